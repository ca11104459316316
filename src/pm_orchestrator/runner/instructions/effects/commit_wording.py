"""What a commit is to say, and all that it may hold.

A text in quotes is the message where the words around it say so; "an error with the message"
and "a message like" do not.
"""

import re
from typing import NamedTuple

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.effects.starting_points import Naming
from pm_orchestrator.runner.instructions.file_names import Mention
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern

QUOTE = (
    r"""(?:"[^"\n]+"|“[^”\n]+”|`[^`\n]+`|'(?:[^'\n]|'(?=\w))+'(?!\w)|「[^」\n]+」|『[^』\n]+』)"""
)
SAYS = r"\s*(?::|=|of|saying|that\s+says|is|should\s+(?:be|say|read)|must\s+(?:be|say|read))?\s*"
ENGLISH_MESSAGE = pattern(
    r"""
    \bcommits?\b(?:\s+(?!(?:that|which|when|if)\b)(?:and\s+(?=\S*[./])|(?!and\b))\S+){0,10}?\s+
    (?:with|using|under)\s+(?:(?:the|a|an|this|following)\s+)*(?:(?:git|commit)\s+)?message<SAYS>(?P<with><QUOTE>)
    |\bcommit\s+message<SAYS>(?P<own><QUOTE>)
    |\bcommit\b[^.\n]*?\s-a?m\s*(?P<shell><QUOTE>)
    |\bcommit\b[^.\n]*[.;(\n]\s*(?:use\s+)?(?:(?:the|its|as)\s+)*message<SAYS>(?P<after><QUOTE>)
    """,
    SAYS=SAYS, QUOTE=QUOTE,
)  # fmt: skip
JAPANESE_MESSAGE = pattern(
    r"""
    コミットメッセージ(?:は|を|に|には|として)?\s*:?\s*(?P<own><QUOTE>)
    |(?P<with><QUOTE>)(?:という|との|の)?(?:コミット)?メッセージ(?:で|を(?:付け|つけ)て|にして|として)[^。、]{0,8}コミット
    |コミット[^。\n]*[。、\n]\s*メッセージ(?:は|:)\s*:?\s*(?P<after><QUOTE>)\s*(?=で|にし|とし|を使|[。\s]|$)
    """,
    QUOTE=QUOTE,
)
# What is to be filled in, or left out, is no text to find again.
PLACEHOLDER = LatePattern(r"[<>{}…]|\.\.\.")
FILE = r"(?:\x00\d+\x00/?|[\w.-]+/|[\w.-]+(?=\s+(?:folder|directory)\b))"
ONLY = pattern(
    r"""
    (?P<only>only\s+)?(?:git\s+)?commit\s+(?P<just>(?:only|just|solely|nothing\s+but)\s+)?(?:(?:the|my|our|your)\s+)?(?:(?:two|three|both|\d+)\s+)?
    (?:(?:files?|changes?|edits?|work|modifications?|version)\s+(?:(?:in|to|of|from|on)\s+)?)?(?:the\s+)?(?P<files><FILE>(?:(?:,\s*|,?\s+and\s+)<FILE>)*)
    (?P<rest>.*)
    """,
    FILE=FILE,
)
NOTHING_ELSE = pattern(
    r"^\s*(?:only|alone)\b|(?:,|\b(?:and|but))\s*(?:nothing\s+else|no\s+other)\b"
)
MANY = r"\x00\d+\x00(?:(?:,\s*|,?\s+(?:and|or|nor)\s+|と|、|や)\x00\d+\x00)*"
OF = r"(?:(?:the|my|our)\s+)?(?:(?:changes?|edits?)\s+(?:in|to)\s+)?"
ONE = r"(?:it|that(?:\s+(?:one|file))?|this(?:\s+(?:one|file))?|them|those|these)"
LEFT_OUT = pattern(
    r"""
    \b(?:leave|keep)\s+<OF>(?P<left><MANY>|<ONE>)\s+
    (?:uncommitted|unstaged|(?:out\s+)?of\s+(?:it|the\s+commit)\b|out\b)
    |(?:don't|do\s+not|never|without|not)\s+(?:commit(?:ting)?|includ(?:e|ing)|add(?:ing)?)\s+<OF>(?P<not><MANY>)
    (?=\s*(?:$|[.,;:!)]|in\s+(?:it|the\s+commit)|yet|though|with\s+it|please))
    |(?P<stays><MANY>)\s+(?:has\s+to\s+|must\s+|should\s+)?(?:stays?|remains?)\s+
    (?:[\w ]{1,20},\s+)?(?:uncommitted|unstaged|out\s+of\s+it)
    |commit\s+(?:everything|all(?:\s+(?:of\s+)?(?:(?:the|my|our)\s+)?(?:changes|files|edits))?)\s+(?:but|except(?:\s+for)?|apart\s+from)\s+(?:(?:those|the\s+ones)\s+(?:in|to|of)\s+)?<OF>(?P<but><MANY>)
    |\bcommit\b[^.;]*?[,;]\s*(?:but\s+)?not\s+(?:the\s+)?(?P<and_not><MANY>)(?=\s*(?:$|[.,;!)]))
    """,
    MANY=MANY, ONE=ONE, OF=OF,
)  # fmt: skip
JAPANESE_LEFT_OUT = pattern(
    r"""
    (?P<left><MANY>)\s*(?:の(?:変更|差分))?(?:は|を|も)\s*(?:コミットに)?(?:(?:コミット|ステージ)し(?:ないで|なくて|ない)|含め(?:ないで|ずに|ない|なくて)|入れ(?:ないで|ずに|ない)|除(?:いて|外し))
    |(?P<but><MANY>)\s*以外(?:の[^、。]{0,10})?を?(?:すべて|全て|全部)?コミット
    """,
    MANY=MANY,
)  # fmt: skip
LISTED = LatePattern(r"\s*(?:,\s*and\s|\band\s|,|と|、|および|及び)\s*", re.ASCII)
DAKE = joined(
    r"(?P<files><FILE>(?:\s*(?:と|、|,|および|及び)\s*<FILE>)*)\s*(?:の(?:変更|差分)(?:点)?)?(?:だけ|のみ)",
    FILE=FILE,
)
JAPANESE_ONLY = pattern(
    r"<DAKE>(?:を|で)?\s*コミット|コミット(?:するの|の?対象)?は\s*<AFTER>",
    DAKE=DAKE, AFTER=DAKE.replace("files", "after"),
)  # fmt: skip


def commit_messages(instruction: str) -> tuple[str, ...]:
    """Each text that a commit is to say, in order."""
    found = [
        next(text for text in match.groupdict().values() if text)[1:-1].strip()
        for wanted in (ENGLISH_MESSAGE, JAPANESE_MESSAGE)
        for match in wanted.finditer(instruction)
    ]
    return tuple(dict.fromkeys(m for m in found if m and not PLACEHOLDER.search(m)))


class Holding(NamedTuple):
    """Files that a commit is to hold, and whether these are all."""

    files: tuple[str, ...] = ()
    alone: bool = False


def english_holding(clause: str, path: Naming) -> Holding:
    """What a commit is to hold, where the clause names files of which it is made."""
    found = ONLY.match(clause)
    if found is None:
        return Holding()
    limited = found["only"] or found["just"] or NOTHING_ELSE.search(found["rest"])
    return Holding(_files(found["files"], path), alone=bool(limited))


def left_out(text: str, named: list[Mention], *, japanese: bool) -> tuple[str, ...]:
    """Files of which a sentence says that no commit may hold them."""
    rules = JAPANESE_LEFT_OUT if japanese else LEFT_OUT
    found: list[str] = []
    for match in rules.finditer(text):
        tokens = next((group for group in match.groupdict().values() if group), "")
        numbers = re.findall(r"\x00(\d+)\x00", tokens)
        if not numbers:
            # "…, leave that one uncommitted": the file that was named last.
            numbers = re.findall(r"\x00(\d+)\x00", text[: match.start()])[-1:]
        found += [named[int(number)].name for number in numbers]
    return tuple(dict.fromkeys(found))


def japanese_only(text: str, path: Naming) -> tuple[str, ...]:
    """The same of a Japanese sentence."""
    found = JAPANESE_ONLY.search(text)
    return _files(found["files"] or found["after"], path) if found else ()


def _files(listed: str, path: Naming) -> tuple[str, ...]:
    names = (path(token).rstrip("/") for token in LISTED.split(listed))
    return tuple(dict.fromkeys(name for name in names if name))
