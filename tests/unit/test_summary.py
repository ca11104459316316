"""The end of a task in a few lines, in both forms."""

import pytest

from pm_orchestrator.cli.pages.summary import Summary, SummaryFormat, summary_text
from pm_orchestrator.cli.terminal.spelling import Spelling
from pm_orchestrator.domain.tasks.status import TaskStatus

HERE = Spelling({"/logs": True, "/accept": True, "/reply": True})
"""Where the reader is: in the conversation."""


def summary(status: TaskStatus, why: str = "why", **more: object) -> Summary:
    return Summary(task_id="task-1", status=status, why=why, **more)  # pyright: ignore[reportArgumentType]


def test_the_block_of_a_complete_task() -> None:
    text = summary_text(summary(TaskStatus.COMPLETE, "README.md\nwas made"), "ja", "block", HERE)
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
    text = summary_text(summary(TaskStatus.ERROR, hint="try\nagain"), "en", "block", HERE)
    assert "[NEXT]    /logs task-1 --full shows what went wrong" in text
    assert "[HINT]    try again" in text


def test_a_question_is_answered_next() -> None:
    text = summary_text(summary(TaskStatus.INCOMPLETE, asks=True), "en", "block", HERE)
    assert "[NEXT]    /reply ANSWER goes on" in text
    shell = summary_text(summary(TaskStatus.INCOMPLETE, asks=True), "en", "block", Spelling())
    assert "[NEXT]    pm-orchestrator reply task-1 ANSWER goes on" in shell


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
    text = summary_text(summary(status), "en", "plain", HERE)
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
    assert shown in summary_text(summary(status), "en", form, HERE).splitlines()[form == "block"]


@pytest.mark.parametrize("form", ["block", "plain"])
@pytest.mark.parametrize(
    "why", ["It is probably done", "おそらく完了しました", "失敗かもしれません", ""]
)
def test_what_is_only_supposed_is_no_reason(why: str, form: SummaryFormat) -> None:
    """R-39 Immediate Summary Output: [WHY] is a reason all the same."""
    text = summary_text(summary(TaskStatus.INCOMPLETE, why), "ja", form, HERE)
    assert "タスクの完了を示す証拠がありません" in text
    asking = summary(TaskStatus.INCOMPLETE, why, asks=True)
    assert "続行には回答が必要です" in summary_text(asking, "ja", form, HERE)


def test_what_is_known_beside_a_supposition_stays() -> None:
    """R-39 Immediate Summary Output: our own words about somebody else's doubt."""
    why = "The claim only supposes that the work is done: “probably fine”. Maybe later. 2 failed."
    text = summary_text(summary(TaskStatus.INCOMPLETE, why), "en", "plain", HERE)
    assert "WHY: The claim only supposes that the work is done: “…”. 2 failed." in text


def test_the_name_of_a_file_supposes_nothing() -> None:
    why = "Not in the delivered tree: src/maybe.py, might-do.md."
    text = summary_text(summary(TaskStatus.INCOMPLETE, why), "en", "plain", HERE)
    assert f"WHY: {why}" in text


def test_a_known_reason_stays() -> None:
    text = summary_text(
        summary(TaskStatus.INCOMPLETE, "test_may.py is missing"), "en", "plain", HERE
    )
    assert "WHY: test_may.py is missing" in text
