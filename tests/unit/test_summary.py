"""The end of a task in a few lines, in both forms."""

import pytest

from pm_orchestrator.cli.pages.summary import Summary, SummaryFormat, summary_text
from pm_orchestrator.domain.tasks.status import TaskStatus


def summary(status: TaskStatus, why: str = "why", **more: object) -> Summary:
    return Summary(task_id="task-1", status=status, why=why, **more)  # pyright: ignore[reportArgumentType]


def test_the_block_of_a_complete_task() -> None:
    text = summary_text(summary(TaskStatus.COMPLETE, "README.md\nwas made"), "ja", "block")
    assert text.splitlines() == [
        "=== TASK SUMMARY ===",
        "[RESULT]  COMPLETE",
        "[TASK]    task-1",
        "[NEXT]    続けてタスクを入力",
        "[WHY]     README.md was made",
        "[HINT]    /logs task-1 で実行ログを確認できます",
        "====================",
    ]


def test_the_block_of_an_error_says_what_helps() -> None:
    text = summary_text(summary(TaskStatus.ERROR, hint="try\nagain"), "en", "block")
    assert "[NEXT]    /logs task-1 --full shows what went wrong" in text
    assert "[HINT]    try again" in text


def test_a_question_is_answered_next() -> None:
    text = summary_text(summary(TaskStatus.INCOMPLETE, asks=True), "en", "block")
    assert "[NEXT]    /reply <answer>" in text


@pytest.mark.parametrize(
    ("status", "lines"),
    [
        (TaskStatus.COMPLETE, ["RESULT: COMPLETE", "TASK: task-1", "NEXT: (none)"]),
        (
            TaskStatus.INCOMPLETE,
            ["RESULT: INCOMPLETE", "TASK: task-1", "NEXT: /logs task-1", "WHY: why"],
        ),
        (TaskStatus.ERROR, ["RESULT: ERROR", "TASK: task-1", "NEXT: /logs task-1", "WHY: why"]),
    ],
)
def test_the_plain_lines(status: TaskStatus, lines: list[str]) -> None:
    text = summary_text(summary(status), "en", "plain")
    assert text.splitlines() == [*lines, "HINT: /logs task-1"]


@pytest.mark.parametrize("form", ["block", "plain"])
@pytest.mark.parametrize(
    ("status", "shown"),
    [
        (TaskStatus.NO_EVIDENCE, "INCOMPLETE"),
        (TaskStatus.INVALID, "ERROR"),
        (TaskStatus.ERROR, "ERROR"),
    ],
)
def test_only_three_results_are_shown(status: TaskStatus, shown: str, form: SummaryFormat) -> None:
    assert shown in summary_text(summary(status), "en", form).splitlines()[form == "block"]


@pytest.mark.parametrize("form", ["block", "plain"])
@pytest.mark.parametrize(
    "why", ["It is probably done", "おそらく完了しました", "失敗かもしれません", ""]
)
def test_what_is_only_supposed_is_no_reason(why: str, form: SummaryFormat) -> None:
    text = summary_text(summary(TaskStatus.INCOMPLETE, why), "ja", form)
    assert "理由はログに記録されています" in text


def test_a_known_reason_stays() -> None:
    text = summary_text(summary(TaskStatus.INCOMPLETE, "test_may.py is missing"), "en", "plain")
    assert "WHY: test_may.py is missing" in text
