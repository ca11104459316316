"""Task lists and logs on the screen."""

import pytest
from msgspec.structs import replace

from pm_orchestrator.cli.pages.logs.log_detail import HIDDEN, task_page
from pm_orchestrator.cli.pages.logs.log_pages import log_table, tasks_page
from pm_orchestrator.cli.pages.logs.log_tree import tree_page
from pm_orchestrator.cli.pages.logs.log_views import LogRequest, request_in
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.session import Run, RunStatus, RunTrigger, Thread, ThreadType
from pm_orchestrator.domain.history.task_log import (
    LogEvent,
    LogEventType,
    TaskLog,
    TaskLogEntry,
    TaskLogStatus,
    TerminatedBy,
    VisibilityLevel,
)
from pm_orchestrator.domain.tasks.evidence_record import ArtifactList, VerifiedFile

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


def event(kind: LogEventType, level: VisibilityLevel, **content: object) -> LogEvent:
    return LogEvent(event_type=kind, timestamp=NOW, visibility_level=level, content=content)


SUMMARY, FULL = VisibilityLevel.SUMMARY, VisibilityLevel.FULL
LOG = TaskLog(
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
        event(LogEventType.USER_INPUT, SUMMARY, text="Create README.md"),
        event(LogEventType.EXECUTOR_DISPATCH, FULL, executor="claude-code"),
        event(
            LogEventType.TASK_INCOMPLETE, SUMMARY, status="INCOMPLETE", files_modified=["a", "b"]
        ),
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


def read(_log: str) -> TaskLog:
    return LOG


def plain(text: str) -> str:
    return text


def test_tasks_by_category_with_the_failed_first() -> None:
    entries = [entry(n, s) for n, s in enumerate(TaskLogStatus, start=1)]
    assert tasks_page(entries, read) == (
        "!!! ALERT: 2 task(s) failed !!!\n"
        "\n"
        "Failed Tasks\n"
        "------------\n"
        "[!] task-1768282936524: INCOMPLETE (files=2, tests=1)  [log: task-004]\n"
        "    Reason: Nothing was changed.\n"
        "[!] task-1768282936525: ERROR (files=2, tests=1)  [log: task-005]\n"
        "    Error: Nothing was changed.\n"
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


def test_a_task_that_asks_waits_and_has_not_failed() -> None:
    """R-27 /tasks-/logs Consistency: what waits is counted, and every task once."""
    asked = event(LogEventType.RUNNER_CLARIFICATION, SUMMARY, question="Which\nfile?")
    log = replace(LOG, runner_decision="clarify", events=(*LOG.events, asked))
    page = tasks_page([entry(1, TaskLogStatus.INCOMPLETE)], lambda _: log)
    assert "Waiting Tasks\n-------------\n[?] task-1768282936521: WAITING" in page
    assert "    Question: Which file?" in page
    assert "ALERT" not in page
    assert page.endswith("0 completed, 0 running, 0 pending, 0 failed, 1 waiting")


def test_cancelled_and_invalid_tasks_are_called_so() -> None:
    error = [entry(1, TaskLogStatus.ERROR)]
    cancelled = replace(LOG, terminated_by=TerminatedBy.USER)
    assert "task-1768282936521: CANCELLED (" in tasks_page(error, lambda _: cancelled)
    end = event(LogEventType.TASK_ERROR, SUMMARY, status="INVALID")
    invalid = replace(LOG, events=(*LOG.events, end))
    assert "task-1768282936521: ERROR (INVALID) (" in tasks_page(error, lambda _: invalid)


def test_the_table_shows_both_ids() -> None:
    entries = [entry(1, TaskLogStatus.COMPLETE)]
    assert log_table("session-x", entries, read) == (
        "Task Logs (session: session-x):\n"
        "  # | Log ID   | External ID        | Status   | Duration | Files | Tests\n"
        "  1 | task-001 | task-1768282936521 | COMPLETE | 12.3s    | 2     | 1"
    )
    assert "\n> 1 | task-001" in log_table("session-x", entries, read, selected=0)
    assert "No tasks logged for this session." in log_table("session-x", [], read)


def test_a_log_is_short_unless_asked() -> None:
    short, full = task_page(LOG, plain), task_page(LOG, plain, FULL)
    for text in (short, full):
        assert "Why: Nothing was changed." in text
        assert "File: R.md (gone)" in text
        assert '[2026-01-15 09:00:00] USER INPUT\n  "Create README.md"' in text
        assert "  Files modified: a, b" in text
    assert "EXECUTOR DISPATCH" not in short
    assert "EXECUTOR DISPATCH\n  Executor: claude-code" in full
    assert full.splitlines()[0].endswith("(FULL)")


@pytest.mark.parametrize("level", ["", "FULL", "everything", "Full "])
def test_an_unknown_level_shows_no_more_than_the_summary(level: str) -> None:
    assert task_page(LOG, plain, level) == task_page(LOG, plain)


def test_what_cannot_be_masked_is_hidden_and_the_task_marked() -> None:
    def mask(text: str) -> str:
        if "Create" in text:
            raise ValueError(text)
        return text

    page = task_page(LOG, mask, FULL)
    assert "Create" not in page
    assert HIDDEN in page
    assert "(MASKING FAILED)" in page.splitlines()[0]
    assert "Executor: claude-code" in page


def test_text_does_not_steer_the_terminal_nor_flood_it() -> None:
    wild = event(
        LogEventType.USER_INPUT, SUMMARY, text="\x1b[2Jhello\r\nworld", files=list("x" * 50)
    )
    long = event(LogEventType.USER_RESPONSE, SUMMARY, response="y" * 5000)
    page = task_page(replace(LOG, events=(wild, long)), plain)
    assert "\x1b" not in page
    assert '"?[2Jhello world"' in page
    assert "… (30 more)" in page
    assert "… (5000 characters)" in page


def test_the_tree_shows_threads_runs_and_children() -> None:
    threads = [
        Thread(thread_id="thr_001", session_id="s", thread_type=ThreadType.MAIN, created_at=NOW),
        Thread(
            thread_id="thr_002", session_id="s", thread_type=ThreadType.BACKGROUND, created_at=NOW
        ),
        Thread(thread_id="thr_003", session_id="s", thread_type=ThreadType.SYSTEM, created_at=NOW),
    ]
    runs = [
        Run(
            run_id=f"run_00{n}",
            thread_id=f"thr_00{n}",
            session_id="s",
            started_at=NOW,
            completed_at=None if n == 2 else NOW,
            status=RunStatus.RUNNING,
            trigger=RunTrigger.USER_INPUT,
        )
        for n in (1, 2)
    ]
    parent = replace(entry(1, TaskLogStatus.COMPLETE), run_id="run_001")
    child = replace(
        entry(2, TaskLogStatus.ERROR), run_id="run_001", parent_task_id=parent.external_task_id
    )
    other = replace(entry(3, TaskLogStatus.RUNNING), run_id="run_002", parent_task_id="gone")
    log = replace(LOG, prompt_summary="設定ファイル" * 10)
    page = tree_page("s", threads, runs, [parent, child, other], lambda _: log)
    assert page.splitlines() == [
        "Task Tree (session: s):",
        "",
        "Thread: thr_001 (main conversation)",
        "└── Run: run_001 [09:00:00 - 09:00:00]",
        "    └── task-001 [COMPLETE] USER_INPUT → TASK_INCOMPLETE  [task-1768282936521]",
        '        ├── "設定ファイル設定ファイル設定ファイル設定ファイル設定ファイ…"',
        "        └── task-002 [ERROR] USER_INPUT → TASK_INCOMPLETE  [task-1768282936522]",
        '            └── "設定ファイル設定ファイル設定ファイル設定ファイル設定ファイ…"',
        "",
        "Thread: thr_002 (background executor)",
        "└── Run: run_002 [09:00:00 - …]",
        "    └── task-003 [IN_PROGRESS] USER_INPUT → TASK_INCOMPLETE  [task-1768282936523]",
        "        └── (executor output - hidden in summary)",
        "",
        "Legend: [COMPLETE] [INCOMPLETE] [ERROR]",
    ]
    full = tree_page("s", threads, runs, [other], lambda _: log, FULL)
    assert "hidden in summary" not in full


def test_what_is_typed_behind_logs() -> None:
    assert request_in("") == LogRequest()
    assert request_in("task-001 --full") == LogRequest(task="task-001", level=FULL)
    assert request_in("--tree") == LogRequest(form="tree")
    assert request_in("--json task-001").form == "json"
    for wrong in ("--verbose", "task-001 task-002"):
        with pytest.raises(PmError, match="E210"):
            request_in(wrong)
