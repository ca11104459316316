"""All runs of a project with how they stand; reading them changes nothing."""

from collections.abc import Callable
from typing import Literal

from pm_orchestrator.domain.history.report import Spent
from pm_orchestrator.domain.history.session import Run, RunStatus, RunTrigger, ThreadType
from pm_orchestrator.domain.history.task_log import TaskLogEntry
from pm_orchestrator.domain.record import Record
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.records.task_run import Way, way_of_run

RunWord = Literal["COMPLETE", "INCOMPLETE", "ERROR", "IN_PROGRESS", "CANCELLED"]


class RunLine(Record, frozen=True, kw_only=True):
    """One run."""

    run_id: str
    session_id: str
    task_id: str | None
    """None where the task has gone on in a later run."""
    mode: Way
    status: RunWord
    accepted: bool = False
    """Complete by a person's word, and not by proof."""
    trigger: RunTrigger
    started_at: str
    completed_at: str | None
    spent: Spent | None = None
    """On models, as far as it was counted."""


def run_lines(
    book: TaskLogBook, paths: ProjectPaths, lives: Callable[[str], bool]
) -> tuple[RunLine, ...]:
    """Every run that somebody asked for, oldest first.

    `lives` tells whether the owner of a session does.
    """
    lines: list[RunLine] = []
    for session_id in book.session_ids():
        tasks = {entry.run_id: entry for entry in book.entries(session_id)}
        records = book.records(session_id)
        conversation = records.thread_of(ThreadType.MAIN)
        for run in records.runs().values():
            if run.thread_id != conversation:
                continue
            task = tasks.get(run.run_id)
            lines.append(
                RunLine(
                    run_id=run.run_id,
                    session_id=session_id,
                    task_id=task.external_task_id if task is not None else None,
                    mode=way_of_run(paths, run.run_id),
                    status=_word(run, task, lives),
                    accepted=task is not None and task.accepted is True,
                    trigger=run.trigger,
                    started_at=run.started_at,
                    completed_at=run.completed_at,
                )
            )
    return tuple(sorted(lines, key=lambda line: (line.started_at, line.run_id)))


def _word(run: Run, task: TaskLogEntry | None, lives: Callable[[str], bool]) -> RunWord:
    match run.status:
        case RunStatus.RUNNING:
            # A dead process works on nothing; the next start says so in the log as well.
            return "IN_PROGRESS" if lives(run.session_id) else "ERROR"
        case RunStatus.CANCELLED:
            return "CANCELLED"
        case RunStatus.COMPLETED:
            return _verdict(task)
        case _:
            return "ERROR"


def _verdict(task: TaskLogEntry | None) -> RunWord:
    words: dict[str, RunWord] = {"complete": "COMPLETE", "error": "ERROR"}
    # Only what did not end as complete goes on in a later run.
    return words.get(task.status, "INCOMPLETE") if task is not None else "INCOMPLETE"
