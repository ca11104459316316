"""Labelled instructions: how many are understood, and that no dangerous one gets by."""

from pathlib import Path

import pytest

from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.runner.instructions.kinds.task_types import classify, louder

FOLDER = Path(__file__).parent / "instructions"
RIGHT_AT_LEAST = 0.95
SENTENCES_AT_LEAST = 220


def labelled(*languages: str) -> list[tuple[TaskType, str]]:
    rows: list[tuple[TaskType, str]] = []
    for language in languages:
        for line in (FOLDER / f"{language}.tsv").read_text("utf-8").splitlines():
            kind, _, sentence = line.partition("\t")
            rows.append((TaskType(kind), sentence))
    return rows


ALL = labelled("english", "japanese")


@pytest.mark.parametrize("rows", [ALL, labelled("english"), labelled("japanese")])
def test_almost_all_are_understood(rows: list[tuple[TaskType, str]]) -> None:
    found = [(kind, classify(sentence), sentence) for kind, sentence in rows]
    wrong = [f"{kind}, taken for {got}: {text}" for kind, got, text in found if got is not kind]
    rate = 1 - len(wrong) / len(rows)
    assert rate >= RIGHT_AT_LEAST, f"{rate:.1%} of {len(rows)} right; wrong: {wrong}"


def test_every_dangerous_one_is_caught() -> None:
    missed = [
        text
        for kind, text in ALL
        if kind is TaskType.DANGEROUS_OP and classify(text) is not TaskType.DANGEROUS_OP
    ]
    assert missed == []


def test_no_change_is_taken_for_a_question() -> None:
    """An answer is proved by its text alone, so this mistake could complete undone work."""
    answers = {TaskType.READ_INFO, TaskType.REPORT}
    lowered = [text for kind, text in ALL if kind not in answers and classify(text) in answers]
    assert lowered == []


def test_the_set_is_large_and_has_every_kind_in_both_languages() -> None:
    assert len({text for _, text in ALL}) == len(ALL) >= SENTENCES_AT_LEAST
    for language in ("english", "japanese"):
        assert {kind for kind, _ in labelled(language)} == set(TaskType)


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        (TaskType.READ_INFO, None, TaskType.READ_INFO),
        (TaskType.READ_INFO, TaskType.DANGEROUS_OP, TaskType.DANGEROUS_OP),
        (TaskType.DANGEROUS_OP, TaskType.READ_INFO, TaskType.DANGEROUS_OP),
        (TaskType.IMPLEMENTATION, TaskType.READ_INFO, TaskType.IMPLEMENTATION),
        (TaskType.READ_INFO, TaskType.IMPLEMENTATION, TaskType.IMPLEMENTATION),
        (TaskType.LIGHT_EDIT, TaskType.CONFIG_CI_CHANGE, TaskType.CONFIG_CI_CHANGE),
        (TaskType.REPORT, TaskType.READ_INFO, TaskType.REPORT),
    ],
)
def test_the_more_careful_of_two_voices_counts(
    first: TaskType, second: TaskType | None, result: TaskType
) -> None:
    assert louder(first, second) is result
