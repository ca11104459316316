"""Sentences for people: looked up by key, in the language they read."""

import re
from typing import Literal, NamedTuple

from pm_orchestrator.domain.late_pattern import LatePattern

Lang = Literal["en", "ja"]

# English may name a file in Japanese; only Japanese has particles, or ends in its own letters.
_JAPANESE = LatePattern(r"[ぁ-ん]|[ァ-ヶー一-龠々][\s。．.!！?？]*$")

_WORD_END = LatePattern(r"[\w+/=.~-]", re.ASCII)
_WORD_AT_END = LatePattern(r"[\w+/=.~-]+$", re.ASCII)
"""Everything a key can be made of."""


def language_of(instruction: str) -> Lang:
    """The language a person has written in."""
    # Wide ranges of letters take long to compile, and most text has none of them.
    return "ja" if not instruction.isascii() and _JAPANESE.search(instruction) else "en"


_COUNTED = LatePattern(r"\{(\w+)\|(\w*)\|(\w*)\}")


class Sentence(NamedTuple):
    """One sentence in both languages, with `{named}` places.

    `{count|file|files}` is the word for that many; Japanese has no need of it.
    """

    en: str
    ja: str

    def say(self, lang: Lang, **params: object) -> str:
        text = self.ja if lang == "ja" else self.en
        if "|" in text:
            text = _COUNTED.sub(lambda word: word[2 if str(params[word[1]]) == "1" else 3], text)
        return text.format_map(params)


def printed(text: str, most: int = 80) -> str:
    """What somebody typed, as a sentence may repeat it: short, and nothing a terminal obeys."""
    shown = text if len(text) <= most else f"{text[:most]}…"
    return "".join(c if c.isprintable() else "?" for c in shown)


def cut_between_words(text: str, most: int) -> str:
    """At most `most` characters; a word that would be cut in two is left out.

    Half of a key looks like no key and would pass every masking after it.
    """
    if len(text) <= most:
        return text
    head = text[:most]
    if _WORD_END.match(text[most]):
        head = _WORD_AT_END.sub("", head)
    return head.rstrip()
