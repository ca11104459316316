"""What goes along with a change of settings that was asked for, and was not asked for itself.

A changed line belongs to what was asked for where it holds a word of it, a number of it, or
something by which people name its subject; or where it stands below a new line that does.
"As well" takes nothing away, and what is asked for one file is for that file.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.check_files import is_setting
from pm_orchestrator.gates.compare.task_names import words_of
from pm_orchestrator.gates.weaker.asked_settings import asking_sentences, is_subject
from pm_orchestrator.gates.weaker.gate_config import gate_part

TOKEN = LatePattern(r"[A-Za-z0-9_.*/@+-]*[A-Za-z0-9_*]|[぀-ヿ一-鿿]+")
COMMENT = LatePattern(r"^\s*(?:#|//|;|<!--)")
ADDS_TO_IT = LatePattern(
    r"\b(?:as well|too|also|in addition|additionally|besides|add)\b|も|追加|加え",
    re.IGNORECASE | re.ASCII,
)
REPLACES = LatePattern(
    r"\b(?:instead|replac|switch|only|just|drop|remov|delet|rather than|no longer|migrat|mov|stop"
    r"|reduc|lower|chang|bump|upgrad|updat)\w*"
    r"|代わり|置き?換|切り?替|だけ|のみ|やめ|外|削除|変更|変え|下げ|更新|上げ",
    re.IGNORECASE | re.ASCII,
)
PLACE = LatePattern(
    r"(?<![\w./-])(?:[\w.-]+/)*[\w-]+\.[A-Za-z]\w{0,4}\b|(?<![\w./-])(?:[\w.-]+/)+[\w.-]*"
    r"|(?!(?:that|this|the|an?|one|each|every|new|in|of)\b)(?<![\w-])(?P<folder>[\w-]+)"
    r"\s+(?:folder|directory|package|module|file)\b",
    re.ASCII,
)
THERE = LatePattern(
    r"\b(?:(?:that|this|the) (?:file|folder|directory|module|one)|(?:only|just) there"
    r"|nowhere else)\b"
    r"|(?:その|この)(?:ファイル|フォルダ|ディレクトリ)",
    re.IGNORECASE | re.ASCII,
)
# A file that is not to be there any more is no place for an exception.
GOES = LatePattern(
    r"\b(?:can|may|has to|have to|should|must) (?:then )?(?:go|be (?:removed|deleted|dropped))\b"
    r"|(?:を|は|も)(?:削除|消し)|不要になっ",
    re.IGNORECASE | re.ASCII,
)
STRUCTURE = LatePattern(r"[\w\"'-]+\s*[:=]\s*[{\[(]?|[\[\]{}(),;\s]*")
"""Keys without a value of their own, and brackets."""
COMMON = frozenset(
    {"run", "runs", "name", "uses", "with", "steps", "true", "false", "the", "for", "and", "not"}
    | {
        "use",
        "please",
        "add",
        "all",
        "this",
        "that",
        "are",
        "now",
        "from",
        "should",
        "must",
        "test",
    }
    | {"tests", "python", "node", "file", "files", "make", "settings", "config", "tool", "project"}
    | {"section", "allow", "allowed", "ignore", "ignored", "enable", "enabled", "disable", "skip"}
    | {"disabled", "error", "errors", "warn", "warning", "off", "exclude"}
)
"""Words that stand everywhere, and say nothing about what is meant."""
PATH = LatePattern(r"[\w.-]*/[\w./-]*\w|[\w-]+\.[A-Za-z]{1,4}\b", re.ASCII)
DOTTED = LatePattern(r"\d+(?:\.\d+)+")
STEM = 5


class _Line(msgspec.Struct, frozen=True):
    text: str
    above: tuple[str, ...]
    """The headings and keys it stands below."""


def beside_asked(
    instruction: str,
    path: str,
    texts: tuple[str | None, str | None],
    gates: tuple[Gate, ...],
    *,
    of_a_tool: bool = False,
) -> Iterator[str]:
    """Changes of a file of settings that nobody asked for, beside others that somebody did."""
    said = list(asking_sentences(instruction))
    parts = (gate_part(path, text, gates, of_a_tool=of_a_tool) for text in texts)
    old, new = (list(_lines(part)) for part in parts)
    gone, come = _difference(old, new), _difference(new, old)
    pairs = list(_pairs(gone, come))
    words = frozenset[str]().union(*(_words(s) for s in said)) - COMMON
    yield from _elsewhere(instruction, path, said, (*gone, *come))
    touched = [*come, *gone]
    if not any(_is_related(line, words, said, touched) for line in touched):
        # Nothing of it is spoken of by a name, so that nothing can be told apart.
        return
    for was, now in pairs:
        line = now or was
        if line is None:
            continue
        lost, found = _tokens(was) - _tokens(now), _tokens(now) - _tokens(was)
        changed = _words(" ".join(lost | found))
        if now is not None and was is not None:
            key = _key(now)
            spoken = _shares(changed | _words(key), words) or any(is_subject(s, key) for s in said)
        else:
            spoken = _is_related(line, words, said, touched)
        if not spoken:
            yield _shown(line)
        elif was is not None and now is not None and any(map(_only_adds, said)):
            left = [t for t in lost if not all(_shares({word}, words) for word in _words(t))]
            if left and not found >= lost:
                yield f"{_shown(line)}: {', '.join(sorted(left))}"


def _elsewhere(
    instruction: str, path: str, said: list[str], changed: Collection[_Line]
) -> Iterator[str]:
    """An exception that was to be for one place, and does not name it."""
    kept = [sentence for sentence in said if GOES.search(sentence) is None]
    places = {place for sentence in kept for place in _places(sentence, path)}
    if not places and any(map(THERE.search, said)):
        places = set(_places(instruction, path))
    lines = " ".join(" ".join((*line.above, line.text)) for line in changed)
    if changed and places and not any(place in lines for place in places):
        yield f"not for {', '.join(sorted(places))} alone"


def _places(text: str, path: str) -> Iterator[str]:
    """Names of files and folders, the file of settings itself left out."""
    own = PurePosixPath(path).name
    for found in PLACE.finditer(text):
        place = PurePosixPath(found["folder"] or found.group())
        if (
            len(place.stem) > 2
            and place.stem not in COMMON
            and place.name != own
            and not is_setting(place.name)
        ):
            yield place.stem


def _lines(text: str) -> Iterator[_Line]:
    section = ""
    open_: list[tuple[int, str]] = []
    for raw in text.splitlines():
        if not raw.strip() or COMMENT.match(raw):
            continue
        depth, line = len(raw) - len(raw.lstrip()), raw.strip()
        if line.startswith("[") and line.endswith("]") and depth == 0:
            section, open_ = line, []
        while open_ and open_[-1][0] >= depth:
            open_.pop()
        above = (section,) if section and section != line else ()
        yield _Line(line, (*above, *(text for _, text in open_)))
        open_.append((depth, line))


def _difference(one: list[_Line], other: list[_Line]) -> list[_Line]:
    """Lines that stand nowhere in the other text; where they stand is layout."""
    known = {line.text.rstrip(",") for line in other}
    own = (line for line in one if line.text.rstrip(",") not in known)
    return [line for line in own if STRUCTURE.fullmatch(line.text) is None]


def _pairs(gone: list[_Line], come: list[_Line]) -> Iterator[tuple[_Line | None, _Line | None]]:
    """What stands in the place of what: lines that begin alike, the rest by itself."""
    left = list(come)
    for was in gone:
        now = next((line for line in left if _key(line) == _key(was)), None)
        if now is not None:
            left.remove(now)
        yield was, now
    yield from ((None, line) for line in left)


def _key(line: _Line) -> str:
    return re.split(r"[=:\s]", line.text.lstrip("-\"' @"), maxsplit=1)[0]


def _is_related(line: _Line, words: frozenset[str], said: list[str], new: list[_Line]) -> bool:
    fresh = {other.text for other in new}
    above = [text for text in line.above if text in fresh]
    return any(
        _shares(_words(text), words) or any(is_subject(sentence, text) for sentence in said)
        for text in (line.text, *above)
    )


def _only_adds(sentence: str) -> bool:
    return ADDS_TO_IT.search(sentence) is not None and REPLACES.search(sentence) is None


def _tokens(line: _Line | None) -> frozenset[str]:
    return frozenset() if line is None else frozenset(TOKEN.findall(line.text))


def _words(text: str) -> frozenset[str]:
    """Words, and versions and paths as a whole: 3.10 has nothing in common with 3.13."""
    paths = {PurePosixPath(path).stem.lower() for path in PATH.findall(text)}
    rest = DOTTED.sub(" ", PATH.sub(" ", text))
    return words_of(rest) | paths | frozenset(DOTTED.findall(text))


def _shares(some: Collection[str], words: Collection[str]) -> bool:
    """Whether a word, or its stem, is in both."""
    for one in some:
        if one in COMMON or (len(one) < 3 and not any(map(str.isdigit, one))):
            continue
        if one in words or (
            len(one) >= STEM and any(other[:STEM] == one[:STEM] for other in words)
        ):
            return True
    return False


def _shown(line: _Line) -> str:
    return f"besides: {line.text[:80]}"
