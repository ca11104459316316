"""What kind of work an instruction asks for. Deterministic.

The dangerous kind is looked for first. After that a request for a change outweighs
a request for an answer, because an answer is proved by its text alone: a change
that was taken for a question could be completed by talking about it.
"""

import re

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.runner.instructions.dangers import is_dangerous
from pm_orchestrator.runner.instructions.file_names import all_mentions, speaks_japanese, unnamed
from pm_orchestrator.runner.instructions.gate_requests import gate_request
from pm_orchestrator.runner.instructions.kinds.answer_here import wants_text_here
from pm_orchestrator.runner.instructions.words import english_words as words, subject_words
from pm_orchestrator.runner.instructions.words.pasted import spoken
from pm_orchestrator.runner.instructions.words.wording import clauses, plain, sentences

ANSWERS = frozenset({TaskType.READ_INFO, TaskType.REPORT})
"""Their product is a text, not a change."""

# The louder of two voices counts: more to be proved, or more to be afraid of.
LOUDNESS = {
    TaskType.READ_INFO: 0,
    TaskType.REPORT: 0,
    TaskType.LIGHT_EDIT: 1,
    TaskType.IMPLEMENTATION: 1,
    TaskType.REVIEW_RESPONSE: 1,
    TaskType.CONFIG_CI_CHANGE: 2,
    TaskType.DANGEROUS_OP: 3,
}
ABOUT_IT = LatePattern(r"\b(?:about|for|of) (?:it|that|this|them)\b", re.IGNORECASE)
BOTH_SIDES = LatePattern(r"\b(?:between|both)\s+(?:the\s+)?\S+$", re.IGNORECASE)
PRONOUN_OBJECT = LatePattern(r"\w+(?:\s+\w+)?\s+(?:it|them|this|that|those|these)\b", re.IGNORECASE)


def classify(instruction: str) -> TaskType:
    """The kind of work in `instruction`."""
    if is_dangerous(instruction):
        return TaskType.DANGEROUS_OP
    request = gate_request(instruction)
    if request is not None and request.alone:
        return TaskType.READ_INFO
    text = plain(spoken(instruction)) or plain(instruction)
    found = recognised(text)
    changes = [kind for kind in found if kind not in ANSWERS]
    if changes or not found:
        return _kind_of_change(text, changes)
    return TaskType.REPORT if TaskType.REPORT in found else TaskType.READ_INFO


def is_unclear(instruction: str) -> bool:
    """Whether no rule recognised anything in it, so that its kind is only assumed."""
    if is_dangerous(instruction) or gate_request(instruction) is not None:
        return False
    return not recognised(plain(instruction))


def recognised(text: str, *, guessed: bool = True) -> list[TaskType]:
    """The kinds of work that the sentences of a plain text ask for.

    `guessed`: a question mark alone counts as a question.
    """
    if wants_text_here(text):
        return [TaskType.REPORT]
    found: list[TaskType] = []
    for sentence in sentences(text):
        found += (
            _japanese_types(unnamed(sentence, all_mentions(sentence)))
            if speaks_japanese(sentence)
            else _english_types(sentence, guessed=guessed)
        )
    return found


def louder(first: TaskType, second: TaskType | None) -> TaskType:
    """The first opinion, unless the second is more careful; it is never the less careful one."""
    if second is None or LOUDNESS[second] <= LOUDNESS[first]:
        return first
    return second


def _kind_of_change(text: str, changes: list[TaskType]) -> TaskType:
    if subject_words.REVIEW.search(text):
        return TaskType.REVIEW_RESPONSE
    if subject_words.CONFIG.search(text):
        return TaskType.CONFIG_CI_CHANGE
    if changes and all(kind is TaskType.LIGHT_EDIT for kind in changes):
        return TaskType.LIGHT_EDIT
    return TaskType.IMPLEMENTATION


def _english_types(sentence: str, *, guessed: bool) -> list[TaskType]:
    found: list[TaskType] = []
    parts = clauses(sentence)
    for number, clause in enumerate(parts):
        kind = _clause_type(clause)
        if number and BOTH_SIDES.search(parts[number - 1]):
            # "between main and develop" goes on with a noun.
            continue
        if kind is None or (number and kind not in ANSWERS and _still_asked(parts[0], clause)):
            continue
        found.append(kind)
    if guessed and not found and sentence.rstrip().endswith("?"):
        return [TaskType.READ_INFO]
    return found


def _japanese_types(sentence: str) -> list[TaskType]:
    # The other language's rules are left alone until they are needed.
    from pm_orchestrator.runner.instructions.words.japanese_types import japanese_types

    return japanese_types(sentence)


def _still_asked(first: str, clause: str) -> bool:
    """Whether a verb only goes on with "how we …": "explain how we create and update users"."""
    own = PRONOUN_OBJECT.match(clause) or ABOUT_IT.search(clause)
    asks = words.ASKS.match(first) is not None and words.ASKS_HOW.search(first) is not None
    return asks and own is None


def _clause_type(clause: str) -> TaskType | None:
    """The kind of one clause by the verb at its head; None for a clause without one."""
    if words.REPORTS.match(clause):
        return TaskType.REPORT
    looks = words.LOOKS.match(clause) is not None
    if looks and words.SHOWN_LATER.search(clause):
        return TaskType.IMPLEMENTATION
    if (looks or words.RUNS.match(clause)) and words.SO_FROM_NOW_ON.search(clause):
        return None
    if looks or words.ASKS.match(clause):
        return TaskType.READ_INFO
    if words.EDITS.match(clause) or words.SMALL.match(clause) or words.BROKEN.search(clause):
        return TaskType.LIGHT_EDIT
    return TaskType.IMPLEMENTATION if words.BUILDS.match(clause) else None
