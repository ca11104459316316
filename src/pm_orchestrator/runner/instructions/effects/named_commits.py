"""Commits that an instruction calls by what they say: the commit "Raise the timeout".

Such a name stands in quotes, where nothing else is read; so it is put into one word first, and
taken out of it when everything was read. Whether a commit says so only the repository knows.
"""

import re

from msgspec.structs import replace

from pm_orchestrator.domain.judging.effect import BY_MESSAGE, Effect
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.effects.commit_wording import QUOTE
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import sentences

WORD = "commit_called_{}_"
CALLED = LatePattern(r"commit_called_(\d+)_")
# In such a sentence a text in quotes is a commit, unless it is said to be a message.
ABOUT_COMMITS = pattern(r"\bcherry-?\s?pick|\brevert|チェリー\s?ピック|リバート|打ち消")
BESIDE = pattern(
    r"""
    (?P<before>\b(?:the|that|this|my|our)\s+commits?\s+(?:(?:called|titled|named|(?:that|which)\s+says?|saying|with\s+the\s+(?:message|subject|title))\s+)?)(?P<after><QUOTE>)
    |(?P<quote><QUOTE>)(?=\s+commit\b(?!\s+message)|\s*(?:という|の|との|って)?コミット(?!メッセージ|し|す|を?お願|まで|で))
    """,
    QUOTE=QUOTE,
)  # fmt: skip
ANY = pattern(QUOTE)
AS_MESSAGE = pattern(
    r"(?:message|subject|title|saying|says|-m|as|メッセージ(?:は|を)?|件名(?:は|を)?)\s*(?::|is|of)?\s*$"
)
NO_COMMIT = pattern(r"^[\w./-]+$")


def with_words(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with a word in place of each name of a commit, and the names."""
    names: list[str] = []

    def word(quote: str) -> str:
        names.append(quote[1:-1].strip())
        return f" {WORD.format(len(names) - 1)} "

    def beside(found: "re.Match[str]") -> str:
        ahead = "the commit" if found["before"] else ""
        return f"{ahead}{word(found['after'] or found['quote'])}"

    def anywhere(found: "re.Match[str]") -> str:
        said = found.string[max(0, found.start() - 30) : found.start()]
        # A single word may be a branch or a file.
        name = NO_COMMIT.search(found.group()[1:-1]) or AS_MESSAGE.search(said)
        return found.group() if name else word(found.group())

    for sentence in sentences(text):
        new = BESIDE.sub(beside, sentence)
        if ABOUT_COMMITS.search(sentence):
            new = ANY.sub(anywhere, new)
        if new != sentence:
            text = text.replace(sentence, new, 1)
    return text, tuple(names)


def named_again(effect: Effect, names: tuple[str, ...]) -> Effect:
    """The effect with the commits as git would find them."""
    if not names:
        return effect

    def name(text: str) -> str:
        found = CALLED.fullmatch(text)
        return BY_MESSAGE + names[int(found[1])] if found else text

    return replace(effect, name=name(effect.name), source=name(effect.source), at=name(effect.at))
