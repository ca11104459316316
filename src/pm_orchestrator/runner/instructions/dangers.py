"""Orders that destroy what cannot be brought back.

Speaking of destruction is not ordering it: "explain how to drop a table" and "add
a button that deletes all users" are ordinary work. A phrase counts as an order
unless its clause shows otherwise, so what the rules do not know stays dangerous.
"""

import re

from pm_orchestrator.runner.instructions.words import danger_words as words
from pm_orchestrator.runner.instructions.words.wording import (
    REACH,
    clauses,
    is_japanese,
    just_before,
    plain,
    sentences,
)


def is_dangerous(instruction: str) -> bool:
    """Whether the instruction orders something that cannot be brought back."""
    text = plain(instruction)
    spoken_of = words.DANGER.search(text) or words.JA_DANGER.search(text)
    return any(
        _orders_in_japanese(sentence)
        or _orders_in_english(sentence)
        or _carries_out(sentence, text, spoken_of=spoken_of is not None)
        for sentence in sentences(text)
    )


def _orders_in_japanese(sentence: str) -> bool:
    return any(
        words.JA_NAMES_A_THING.match(sentence, found.end()) is None
        and not _only_edits(sentence, found)
        for found in words.JA_DANGER.finditer(sentence)
    )


def _only_edits(sentence: str, found: re.Match[str]) -> bool:
    """Whether everything that is to go is a part of a program: comments, imports."""
    if words.JA_STORE.search(found.group()):
        return False
    thing = words.JA_CODE.search(sentence, 0, found.end())
    return thing is not None and words.JA_CODE_OBJECT.match(sentence, thing.end()) is not None


def _orders_in_english(sentence: str) -> bool:
    parts = clauses(sentence)
    if not any(words.DANGER.search(clause) for clause in parts):
        return False
    goes_on = _goes_on_asking(sentence, parts)
    return any(
        _orders(clause, goes_on=goes_on and number > 0) for number, clause in enumerate(parts)
    )


def _orders(clause: str, *, goes_on: bool) -> bool:
    asked = goes_on or _asks(clause)
    spoken_of = _named_in_japanese if is_japanese(clause) else _only_spoken_of
    return any(not spoken_of(clause, found, asked=asked) for found in words.DANGER.finditer(clause))


def _carries_out(sentence: str, text: str, *, spoken_of: bool) -> bool:
    """Whether what was only spoken of elsewhere is to be done after all."""
    for clause in clauses(sentence):
        if spoken_of and (words.EXECUTES.search(clause) or words.JA_EXECUTES.search(clause)):
            return True
        if words.DROPS_SOMETHING.search(clause) and words.STORES.search(text):
            return True
    return False


def _goes_on_asking(sentence: str, parts: list[str]) -> bool:
    """Whether later clauses belong to the question that the sentence begins with."""
    if not parts or not _asks(parts[0]) or words.DISGUISED.search(sentence):
        return False
    return sentence.endswith("?") or " how " in f" {parts[0].lower()} "


def _named_in_japanese(clause: str, found: re.Match[str], *, asked: bool) -> bool:
    # English words at the head of a Japanese clause ask nothing.
    del asked
    return words.JA_NAMES_A_THING.match(clause, found.end()) is not None


def _only_spoken_of(clause: str, found: re.Match[str], *, asked: bool) -> bool:
    before = just_before(clause, found.start())
    if words.NEGATED.search(before):
        return True
    if words.MEANS.search(before):
        return False
    if asked:
        return True
    around = f"{before} {clause[found.end() : found.end() + REACH]}"
    return words.BUILDS.match(clause) is not None and words.ARTEFACT.search(around) is not None


def _asks(clause: str) -> bool:
    return words.ASKS.match(clause) is not None and words.DISGUISED.search(clause) is None
