"""Texts that were to be in another language, and say most of it as they did."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.words.families import STEMS, is_member
from pm_orchestrator.runner.instructions.words.pasted import FENCED
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.places.place import Place, Seen

MOST_READ = 100
TRANSLATED = frozenset(
    {".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".html", ".json", ".yaml", ".yml", ".po"}
)
# Who asks for one of these does not ask for the whole text.
A_PART = pattern(
    r"""
    \b(?:headings?|titles?|sections?|chapters?|captions?|labels?|comments?|messages?|strings?|lines?|paragraphs?|sentences?|words?|terms?|table|intro(?:duction)?|only|just|part|first|last|missing|remaining|rest|new|untranslated)\b
    |見出し|タイトル|節|章|だけ|のみ|一部|部分|コメント|メッセージ|文言|項目|最初|最後|残り|未翻訳|段落|行目|表の|用語
    """
)
WORD = re.compile(r"[^\W\d_]{2,}")
LONG = re.compile(r"[぀-ヿ一-鿿가-힣]{6}")
LEAST_WORDS = 3
"""A line with fewer may be a name, or the same in both languages."""
HALF = 0.5
NAMED = joined(
    r"""
    \btranslat\w*\s(?:(?!,\s|;|[.!?]\s|\sand\s(?!\S+\.\w)).)*?(?<![\w/.-])<NAME>(?![\w/-])
    |<NAME>(?![\w/-])[^。、\n]{0,30}?(?:翻訳|訳|日本語|英語|中国語|韓国語)
    """,
    NAME="<NAME>",
)


async def untranslated(
    place: Place, instruction: str, seen: Seen, made: Iterable[FileChange]
) -> list[str]:
    """Those of the texts of which the most stands there as it did."""
    listing, found, beside = await place.listing(), list[str](), False
    texts = [c for c in made if PurePosixPath(c.path).suffix in TRANSLATED]
    part = A_PART.search(instruction) is not None
    for change in texts:
        if change.kind != "created":
            continue
        sources = [path for path in listing if _stem(path) == _stem(change.path)][:MOST_READ]
        beside = beside or bool(sources)
        now = await place.read_now(seen, change.path)
        olds = [await place.read_base(path) for path in sources]
        if now is not None and any(now == old or (not part and _is_kept(old, now)) for old in olds):
            found.append(change.path)
    if beside or part:
        # What was put beside the old text need not take its place.
        return found
    for change in texts:
        if change.kind == "modified" and seen.comparable and _is_object(change.path, instruction):
            now = await place.read_now(seen, change.path)
            if now is not None and _is_kept(await place.read_base(change.path), now):
                found.append(change.path)
    return found


def _is_object(path: str, instruction: str) -> bool:
    """Whether the words say of this file that it is to be translated."""
    names = [path, PurePosixPath(path).name, *(f for f in STEMS if is_member(f, path))]
    return any(
        LatePattern(NAMED.replace("<NAME>", re.escape(name)), re.IGNORECASE).search(instruction)
        for name in names
    )


def _is_kept(before: bytes | None, after: bytes) -> bool:
    """Whether most of the lines that say something still say the same."""
    if before is None:
        return False
    said = _said(before)
    still = frozenset(_said(after))
    return bool(said) and sum(line in still for line in said) > HALF * len(said)


def _said(content: bytes) -> list[str]:
    text = FENCED.sub("", content.decode("utf-8", "replace"))
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in lines if len(WORD.findall(line)) >= LEAST_WORDS or LONG.search(line)]


def _stem(path: str) -> tuple[str, str]:
    """What a text is called, whatever language its name adds."""
    place = PurePosixPath(path)
    stem = place.name.partition(".")[0]
    for mark in ("_", "-"):
        head, _, tail = stem.rpartition(mark)
        stem = head if head and len(tail) in {2, 5} and tail.isalpha() else stem
    return stem.lower(), place.suffix
