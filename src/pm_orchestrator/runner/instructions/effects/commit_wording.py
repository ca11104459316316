"""What a commit is to say, and all that it may hold.

A text in quotes is the message where the words around it say so; "an error with the message"
and "a message like" do not.
"""

import re

from pm_orchestrator.runner.instructions.effects.starting_points import Naming
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
PLACEHOLDER = re.compile(r"[<>{}…]|\.\.\.")
FILE = r"(?:\x00\d+\x00/?|[\w.-]+/|[\w.-]+(?=\s+(?:folder|directory)\b))"
ONLY = pattern(
    r"""
    (?P<only>only\s+)?(?:git\s+)?commit\s+(?P<just>(?:only|just|solely|nothing\s+but)\s+)?(?:the\s+)?
    (?:(?:files?|changes?|edits?)\s+(?:(?:in|to|of|from)\s+)?)?(?:the\s+)?(?P<files><FILE>(?:(?:,\s*|,?\s+and\s+)<FILE>)*)
    (?P<rest>.*)
    """,
    FILE=FILE,
)
NOTHING_ELSE = pattern(
    r"^\s*(?:only|alone)\b|(?:,|\b(?:and|but))\s*(?:nothing\s+else|no\s+other)\b"
)
LISTED = re.compile(r"\s*(?:,\s*and\s|\band\s|,|と|、|および|及び)\s*", re.ASCII)
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


def english_only(clause: str, path: Naming) -> tuple[str, ...]:
    """All files that a commit may hold, where the clause says that these are all."""
    found = ONLY.match(clause)
    if found is None:
        return ()
    limited = found["only"] or found["just"] or NOTHING_ELSE.search(found["rest"])
    return _files(found["files"], path) if limited else ()


def japanese_only(text: str, path: Naming) -> tuple[str, ...]:
    """The same of a Japanese sentence."""
    found = JAPANESE_ONLY.search(text)
    return _files(found["files"] or found["after"], path) if found else ()


def _files(listed: str, path: Naming) -> tuple[str, ...]:
    names = (path(token).rstrip("/") for token in LISTED.split(listed))
    return tuple(dict.fromkeys(name for name in names if name))
