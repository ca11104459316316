"""Where a new branch or tag is to stand: "from v1.2", "the previous commit", 一つ前のコミット.

A point is told as git would be told. Whether there is such a commit only the repository knows,
so any word may be one, and what is none there is not held against anybody.
"""

import re
from collections.abc import Callable

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern

REF = r"(?:\x00\d+\x00|[`'\"][^`'\"\s]+[`'\"]|[A-Za-z0-9_@][A-Za-z0-9_./+-]*(?:[~^]\d*)*)"
COUNTED = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "一": 1,
    "ひと": 1,
    "二": 2,
    "ふた": 2,
    "三": 3,
}
NUMBER = "|".join((*COUNTED, r"\d+"))
BACK = joined(
    r"""
    (?:the\s+)?(?:(?:previous|penultimate|(?:second|next)[ -]to[ -]last)\s+commit
    |commit\s+(?:just\s+|right\s+)?before(?:\s+(?:it|that|this|HEAD|(?:the\s+)?(?:last|latest|current|newest)(?:\s+(?:one|commit))?))?)
    """
)
AGO = joined(r"(?:<NUMBER>)\s+commits?\s+(?:ago|back|earlier|before\s+HEAD)", NUMBER=NUMBER)
HERE = r"(?:the\s+)?(?:last|latest|current|newest|most\s+recent)\s+commit"
ENGLISH = joined(
    r"""
    (?:<BACK>|<AGO>|<HERE>|(?:the\s+)?(?:(?:tip|head|end)\s+of\s+)?(?:the\s+)?(?:(?:tag|branch|commit|release|version)\s+)?<REF>)
    """,
    BACK=BACK, AGO=AGO, HERE=HERE, REF=REF,
)  # fmt: skip
TSU_BACK = joined(
    r"(?:HEADの(?:<NUMBER>)つ?前|(?:HEADの)?(?:<NUMBER>)つ?前の(?:コミット|版))", NUMBER=NUMBER
)
KONO = r"(?:現在|今|最新|直前|最後|直近)のコミット"
JAPANESE = joined(
    r"""
    (?:<BACK>|<HERE>|(?:(?:タグ|ブランチ|コミット)\s*)?[「『]?<REF>[」』]?\s*(?:の?(?:タグ|ブランチ|コミット))?(?:の先頭)?)\s*
    """,
    BACK=TSU_BACK, HERE=KONO, REF=REF,
)  # fmt: skip
FROM = joined(
    r"<POINT>(?:から|を(?:元|もと|基|ベース)に(?:して)?)\s*、?\s*(?:新しい|新しく|新たに)?\s*",
    POINT=JAPANESE,
)
ONE_BACK, SOME_BACK = (
    pattern(BACK),
    pattern(rf"(?:HEADの)?(?P<number>{NUMBER})(?:\s+commits?\s|つ?前)"),
)
AT_HEAD = pattern(rf"{HERE}|{KONO}")
BRANCH_FROM = pattern(
    r"\b(?:from|off(?:\s+of)?|based\s+(?:on|off)(?:\s+of)?|starting\s+(?:from|at)|at)\s+(?P<point><POINT>)",
    POINT=ENGLISH,
)
TAG_AT = pattern(
    r"\b(?:from|at|on|for|to|pointing\s+(?:to|at))\s+(?P<point><POINT>)", POINT=ENGLISH
)
GIVEN = pattern(r"\s+(?P<point><REF>)\s*(?:$|[.,;!])", REF=REF)
AHEAD = pattern(
    r"(?:^|[,;]\s+)(?:starting\s+)?(?:from|at|off)\s+(?P<point><POINT>)\s*,\s*(?:\w+\s+){0,2}$",
    POINT=ENGLISH,
)
FROM_BEFORE = pattern(r"(?P<point><FROM>)$", FROM=FROM)
TO_BEFORE = pattern(
    r"(?P<point><POINT>)に(?:は|も)?、?\s*(?:(?:注釈|署名|メッセージ)付き|(?:軽量|新しい|リリース)|annotated)*の?\s*$",
    POINT=JAPANESE,
)
PART = LatePattern(r"[,;:!?]\s|\.\s|\s(?:and|then|but|with|so|that|which)\s", re.IGNORECASE)
Naming = Callable[[str], str]


def branch_start(rest: str, before: str, path: Naming) -> str:
    """Where a branch is to begin, by what follows its name or stands ahead of the clause."""
    found = BRANCH_FROM.search(PART.split(rest, maxsplit=1)[0]) or AHEAD.search(before)
    return point(found["point"], path) if found else ""


def tag_target(rest: str, path: Naming) -> str:
    """Where a tag is to point, by what follows its name."""
    found = TAG_AT.search(PART.split(rest, maxsplit=1)[0])
    return point(found["point"], path) if found else ""


def given_to_git(rest: str, path: Naming) -> str:
    """The second word after `git branch` or `git tag`."""
    found = GIVEN.match(rest)
    return point(found["point"], path) if found else ""


def japanese_start(before: str, path: Naming) -> str:
    """Where a branch is to begin, by what stands before its name."""
    found = FROM_BEFORE.search(before)
    return point(found["point"], path) if found else ""


def japanese_target(before: str, path: Naming) -> str:
    """Where a tag is to point, by what stands before its name."""
    found = TO_BEFORE.search(before)
    return point(found["point"], path) if found else ""


def point(text: str, path: Naming) -> str:
    """One point in git's own words."""
    if ONE_BACK.match(text):
        return "HEAD~1"
    if number := SOME_BACK.match(text):
        said = number["number"].lower()
        return f"HEAD~{COUNTED.get(said) or said}"
    if AT_HEAD.match(text):
        return "HEAD"
    # Whatever else is said of it stands before: "the tag v1.2".
    return path(re.findall(REF, text)[-1])
