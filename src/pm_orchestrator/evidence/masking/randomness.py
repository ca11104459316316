"""Does a value look like a secret, or like code and prose?

`key = row.id` and `sort(key=len)` must stay readable, so the weakest patterns ask
here first. Words, identifiers, paths, dates and numbers are made of long runs of
one kind of character; generated secrets jump between kinds all the time.
"""

import re
from itertools import pairwise

from pm_orchestrator.domain.late_pattern import LatePattern

WINDOW = 64
"""Only this much is looked at, so that the cost of a long value is bounded."""
MIN_DISTINCT = 6
MIN_JUMPS = 3
MANY_JUMPS = 7
JUMPY = 2 / 7
"""The share of jumps that no name has, whatever can be read of it."""
WORDY = 0.6
USUAL = 0.6
"""The share of a word's neighbours that are common ones."""

_JUMP = LatePattern(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[0-9]|(?<=[0-9])[A-Za-z]|[!@#$%^*?~]")
_CHUNK = LatePattern(r"[A-Z]?[a-z]+|[A-Z]+")
_VOWEL = LatePattern(r"[aeiouy]", re.IGNORECASE)
_CONSONANTS = LatePattern(r"[bcdfghjklmnpqrstvwxz]{6}", re.IGNORECASE)
_CODE = LatePattern(r"[()\[\]{}<>,;|&`\\]")
_FOLLOWING = {
    "a": "bcdgilmnprstuy",
    "b": "aeilosu",
    "c": "aehiklortu",
    "d": "adeiosu",
    "e": "acdefglmnprstvx",
    "f": "aefio",
    "g": "ehinrs",
    "h": "aeio",
    "i": "abcdefglmnoprstvz",
    "k": "e",
    "l": "adeilostuy",
    "m": "aeiops",
    "n": "acdefgiostuv",
    "o": "bcdgklmnoprstuvw",
    "p": "aeiloprsty",
    "q": "u",
    "r": "acdegilmnorstuy",
    "s": "acehilopstu",
    "t": "acehilorstuy",
    "u": "abceilmnprst",
    "v": "aei",
    "w": "ai",
    "x": "pt",
    "y": "p",
    "z": "e",
}
"""The letters that come after each one in nine of ten places of code and prose; by chance they
do in three of ten."""
_SIGNIFICANT = LatePattern(r"[^\W_]|[!@#$%^*?~]")
_STRIKING = LatePattern(r"[A-Z0-9!@#$%^*?~]|[a-z]{12}")
_LONG_RUN = LatePattern(r"[a-z]{12}|[A-Z]{12}")
_DATE = LatePattern(r"\d{4}-\d\d-\d\d")


def looks_random(value: str, minimum: int = 8) -> bool:
    """Whether `value` looks generated; `minimum` counts all but separators."""
    # Most values end here: words and identifiers are short runs of one kind.
    if len(value) < minimum or not _STRIKING.search(value, 0, WINDOW):
        return False
    head = _CODE.split(value[:WINDOW], maxsplit=1)[0]
    jumps = len(_JUMP.findall(head))
    if jumps < MIN_JUMPS and not _LONG_RUN.search(head):
        return False
    characters = len(_SIGNIFICANT.findall(head))
    if characters < minimum or len(set(head)) < MIN_DISTINCT or _DATE.match(head):
        return False
    if jumps >= MANY_JUMPS and jumps >= JUMPY * len(head):
        return True
    return not (is_wordy(head) and _is_usual(head))


def is_wordy(value: str) -> bool:
    """Whether most of `value` can be read aloud."""
    wordy = sum(len(chunk) for chunk in _CHUNK.findall(value) if _is_word(chunk))
    return wordy >= WORDY * len(_SIGNIFICANT.findall(value))


def _is_usual(value: str) -> bool:
    """Whether its letters follow each other as they do in words: vowels alone come by chance."""
    chunks = [chunk.lower() for chunk in _CHUNK.findall(value)]
    pairs = [pair for chunk in chunks for pair in pairwise(chunk)]
    usual = sum(right in _FOLLOWING.get(left, "") for left, right in pairs)
    return usual >= USUAL * len(pairs)


def _is_word(chunk: str) -> bool:
    return len(chunk) >= 3 and bool(_VOWEL.search(chunk)) and not _CONSONANTS.search(chunk)
