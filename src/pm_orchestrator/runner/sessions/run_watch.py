"""Following a task from its files alone, from any process, until it has ended.

Whoever watches holds nothing and changes nothing: the work neither knows nor cares. A task
whose process died is told from one that is slow by asking whether its owner lives.
"""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunReport
from pm_orchestrator.domain.history.run_events import RunEvent
from pm_orchestrator.domain.history.session import Run, RunStatus
from pm_orchestrator.domain.history.task_log import (
    CUT_OFF,
    LogEvent,
    TaskLog,
    TaskLogEntry,
    TaskLogStatus,
    VisibilityLevel,
)
from pm_orchestrator.domain.record import Record, from_json
from pm_orchestrator.domain.tasks.status import SHOWN, OverallStatus, TaskStatus, exit_code
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.evidence.records.open_log import TERMINAL
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.records.task_result import summary_in
from pm_orchestrator.runner.sessions.event_files import EventFiles
from pm_orchestrator.runner.sessions.task_finding import find_task

POLL_S = 0.3


class FromRun(Record, frozen=True, kw_only=True, tag_field="source", tag="run"):
    """A line of the run's `events.jsonl`."""

    event: RunEvent


class FromTask(Record, frozen=True, kw_only=True, tag_field="source", tag="task"):
    """An event of the task's log."""

    task_id: str
    event: LogEvent


class WatchEnd(Record, frozen=True, kw_only=True, tag_field="source", tag="end"):
    """The last line: how it ended."""

    session_id: str
    task_id: str | None
    run_id: str
    status: TaskStatus
    reason: str | None
    exit_code: int
    accepted: bool = False
    """Complete by a person's word, and not by proof."""


Happening = FromRun | FromTask | WatchEnd


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one task."""

    run: Run
    log_id: str | None
    """None for a run whose task has gone on in a later one."""
    is_over: bool = False
    """Nothing of it happens any more."""


class _Ended(msgspec.Struct, frozen=True):
    """What a result of any version says; the rest of it is nothing to whoever watches."""

    status: OverallStatus


class RunWatch:
    """Finds and follows runs of one project."""

    def __init__(
        self,
        book: TaskLogBook,
        files: DurableFiles,
        paths: ProjectPaths,
        clock: Clock,
        lives: Callable[[str], bool],
    ) -> None:
        self._book = book
        self._files = files
        self._paths = paths
        self._clock = clock
        self._lives = lives
        """Whether the owner of a session does."""

    def find(self, wanted: str | None) -> Watched:
        """The run or task of this id; without one what runs now, or else what ended last.

        Raises:
            PmError: E210 for an id that is none, or where nothing has been done yet.
        """
        return self._now_or_last() if wanted is None else self._named(wanted)

    def _named(self, wanted: str) -> Watched:
        for session_id in reversed(self._book.session_ids()):
            run = self._book.records(session_id).runs().get(wanted)
            if run is not None:
                entries = self._book.entries(session_id)
                mine = next((e.task_id for e in entries if e.run_id == wanted), None)
                return Watched(run=run, log_id=mine)
        session_id, task_id = find_task(self._book, wanted)
        entries = self._book.entries(session_id)
        return self._latest_run(
            session_id, next(e for e in entries if e.external_task_id == task_id)
        )

    def _now_or_last(self) -> Watched:
        whole = [
            (session_id, entry)
            for session_id in self._book.session_ids()
            for entry in self._book.entries(session_id)
            if entry.parent_task_id is None
        ]
        if not whole:
            raise PmError("nothing_to_watch")
        # What has not ended comes before all that has: an entry of a dead owner has ended.
        session_id, entry = max(
            whole, key=lambda found: (found[1].status not in TERMINAL, found[1].started_at)
        )
        return self._latest_run(session_id, entry)

    def _latest_run(self, session_id: str, entry: TaskLogEntry) -> Watched:
        run = self._book.records(session_id).runs()[entry.run_id]
        return Watched(run=run, log_id=entry.task_id, is_over=entry.status in TERMINAL)

    async def follow(self, watched: Watched, *, full: bool = False) -> AsyncGenerator[Happening]:
        """Everything that happened and happens in the run; the last is always its end."""
        run, seen = EventFiles(self._files, self._paths.runs / watched.run.run_id), 0
        while True:
            # The end is looked for first: what was said before it is then all there.
            log = self._log(watched)
            end = self._end(watched, log)
            news: list[FromRun | FromTask] = [FromRun(event=event) for event in run.news()]
            events = self._task_events(watched, log)
            news += events[seen:]
            seen = len(events)
            for happening in sorted(news, key=_when):
                if full or _brief(happening):
                    yield happening
            if end is not None:
                yield end
                return
            await self._clock.sleep(POLL_S)

    def _log(self, watched: Watched) -> TaskLog | None:
        if watched.log_id is None:
            return None
        try:
            return self._book.read(watched.run.session_id, watched.log_id)
        except PmError as error:
            if error.slug == "artifacts_missing":
                # Registered, and about to begin its log.
                return None
            raise

    @staticmethod
    def _task_events(watched: Watched, log: TaskLog | None) -> list[FromRun | FromTask]:
        """Those of this run: a task that went on has events of the runs before as well."""
        if log is None or log.run_id != watched.run.run_id:
            return []
        since = watched.run.started_at
        return [FromTask(task_id=log.task_id, event=e) for e in log.events if e.timestamp >= since]

    def _end(self, watched: Watched, log: TaskLog | None) -> WatchEnd | None:
        run_id, session_id = watched.run.run_id, watched.run.session_id
        if log is not None and log.run_id == run_id and log.status in TERMINAL:
            return _ended(watched, log, _verdict(log.status), _why(log))
        if watched.log_id is None or (log is not None and log.run_id != run_id):
            return self._ended_before(watched)
        if self._lives(session_id):
            return None
        # Its process may have ended in order since we looked.
        again = self._log(watched)
        if again is not None and again.status in TERMINAL:
            return None
        return _ended(watched, again, TaskStatus.ERROR, CUT_OFF)

    def _ended_before(self, watched: Watched) -> WatchEnd:
        """The end of a run that is not the latest of its task."""
        folder = self._paths.runs / watched.run.run_id
        status = _from_file(self._files, folder / "report.json", folder / "execution_result.json")
        if status is None:
            failed = watched.run.status is RunStatus.FAILED
            status = TaskStatus.ERROR if failed else TaskStatus.INCOMPLETE
        return _ended(watched, None, status, None)


def _from_file(files: DurableFiles, report: Path, result: Path) -> TaskStatus | None:
    try:
        return from_json(RunReport, files.read(report), str(report)).overall_status
    except FileNotFoundError:
        pass  # an older run of a company has a result instead
    try:
        return from_json(_Ended, files.read(result), str(result)).status
    except FileNotFoundError:
        return None


def _ended(
    watched: Watched, log: TaskLog | None, status: TaskStatus, reason: str | None
) -> WatchEnd:
    return WatchEnd(
        session_id=watched.run.session_id,
        task_id=log.task_id if log is not None else None,
        run_id=watched.run.run_id,
        status=SHOWN[status],
        reason=reason,
        exit_code=exit_code(status),
        accepted=log is not None and bool(log.accepted),
    )


def _why(log: TaskLog) -> str:
    return log.error_reason or summary_in(log).verification_reason


def _verdict(status: TaskLogStatus) -> TaskStatus:
    return TaskStatus(status.value.upper())


def _when(happening: FromRun | FromTask) -> str:
    return happening.event.timestamp


def _brief(happening: FromRun | FromTask) -> bool:
    if isinstance(happening, FromRun):
        return True
    return happening.event.visibility_level is VisibilityLevel.SUMMARY
