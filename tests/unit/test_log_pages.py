"""Task lists and logs on the screen."""

from pm_orchestrator.cli.log_pages import log_table, task_page, tasks_page
from pm_orchestrator.cli.summary import summary_block
from pm_orchestrator.domain.evidence import ArtifactList, VerifiedFile
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.domain.task_log import (
    LogEvent,
    LogEventType,
    TaskLog,
    TaskLogEntry,
    TaskLogStatus,
    VisibilityLevel,
)

NOW = "2026-01-15T09:00:00.000Z"


def entry(number: int, status: TaskLogStatus) -> TaskLogEntry:
    return TaskLogEntry(
        task_id=f"task-{number:03d}",
        external_task_id=f"task-176828293652{number}",
        thread_id="thr_002",
        run_id="run_001",
        parent_task_id=None,
        status=status,
        started_at=NOW,
        completed_at=None,
        duration_ms=12_340,
        files_modified_count=2,
        tests_run_count=1,
        log_file=f"tasks/task-{number:03d}.json",
    )


def test_tasks_by_category_with_the_failed_first() -> None:
    entries = [entry(n, s) for n, s in enumerate(TaskLogStatus, start=1)]
    assert tasks_page(entries) == (
        "!!! ALERT: 2 task(s) failed !!!\n"
        "\n"
        "Failed Tasks\n"
        "------------\n"
        "[!] task-1768282936524: INCOMPLETE (files=2, tests=1)  [log: task-004]\n"
        "[!] task-1768282936525: ERROR (files=2, tests=1)  [log: task-005]\n"
        "\n"
        "Active Tasks\n"
        "------------\n"
        "[>] task-1768282936522: IN_PROGRESS (files=2, tests=1)  [log: task-002]\n"
        "\n"
        "Pending Tasks\n"
        "-------------\n"
        "[ ] task-1768282936521: PENDING (files=2, tests=1)  [log: task-001]\n"
        "\n"
        "Completed Tasks\n"
        "---------------\n"
        "[x] task-1768282936523: COMPLETE (files=2, tests=1)  [log: task-003]\n"
        "\n"
        "Summary\n"
        "-------\n"
        "1 completed, 1 running, 1 pending, 2 failed"
    )


def test_the_table_shows_both_ids() -> None:
    assert log_table("session-x", [entry(1, TaskLogStatus.COMPLETE)]) == (
        "Task Logs (session: session-x):\n"
        "  # | Log ID   | External ID        | Status   | Duration | Files | Tests\n"
        "  1 | task-001 | task-1768282936521 | COMPLETE | 12.3s    | 2     | 1"
    )
    assert "No tasks logged for this session." in log_table("session-x", [])


def test_a_log_is_short_unless_asked() -> None:
    def event(kind: LogEventType, level: VisibilityLevel) -> LogEvent:
        return LogEvent(event_type=kind, timestamp=NOW, visibility_level=level, content={"a": 1})

    log = TaskLog(
        task_id="task-1768282936521",
        log_id="task-001",
        session_id="session-x",
        status=TaskLogStatus.INCOMPLETE,
        started_at=NOW,
        ended_at=NOW,
        prompt_summary="Create README.md",
        runner_decision="reject",
        error_reason="Nothing was changed.",
        artifacts=ArtifactList(),
        visibility=VisibilityLevel.SUMMARY,
        masked=True,
        events=(
            event(LogEventType.USER_INPUT, VisibilityLevel.SUMMARY),
            event(LogEventType.EXECUTOR_DISPATCH, VisibilityLevel.FULL),
        ),
        thread_id="thr_002",
        run_id="run_001",
        parent_task_id=None,
        created_at=NOW,
        evidence_refs=("ev-1",),
        verification_root="/p",
        verified_files=(
            VerifiedFile(path="R.md", exists=False, detected_at=NOW, detection_method="diff"),
        ),
    )
    short, full = task_page(log), task_page(log, full=True)
    for text in (short, full):
        assert "Why: Nothing was changed." in text
        assert "File: R.md (gone)" in text
        assert "USER_INPUT" in text
    assert "EXECUTOR_DISPATCH" not in short
    assert "EXECUTOR_DISPATCH" in full


def test_the_summary_block() -> None:
    block = summary_block("task-1", TaskStatus.COMPLETE, "README.md\nwas made", "ja")
    assert block.splitlines() == [
        "=== TASK SUMMARY ===",
        "[RESULT]  COMPLETE",
        "[TASK]    task-1",
        "[NEXT]    続けてタスクを入力",
        "[WHY]     README.md was made",
        "[HINT]    /logs task-1 で実行ログを確認できます",
        "====================",
    ]
    for status, shown in {
        TaskStatus.NO_EVIDENCE: "INCOMPLETE",
        TaskStatus.INVALID: "ERROR",
        TaskStatus.ERROR: "ERROR",
    }.items():
        assert f"[RESULT]  {shown}\n" in summary_block("task-1", status, "why", "en")
