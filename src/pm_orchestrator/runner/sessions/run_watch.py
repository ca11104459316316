"""Following a task from its files alone, from any process, until it has ended.

Whoever watches holds nothing and changes nothing: the work neither knows nor cares. A task
whose process died is told from one that is slow by asking whether its owner lives.
"""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunReport
from pm_orchestrator.domain.history.run_events import RunEvent, read_event
from pm_orchestrator.domain.history.session import Run, RunStatus
from pm_orchestrator.domain.history.task_log import (
    CUT_OFF,
    LogEvent,
    TaskLog,
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
        """The run or task of this id, or the latest task there is.

        Raises:
            PmError: E210 for an unknown id, or where nothing has been done yet.
        """
        for session_id in reversed(self._book.session_ids()):
            runs = self._book.records(session_id).runs()
            entries = self._book.entries(session_id)
            if wanted is not None and wanted in runs:
                mine = next((e.task_id for e in entries if e.run_id == wanted), None)
                return Watched(run=runs[wanted], log_id=mine)
            for entry in reversed(entries):
                if wanted is None and entry.parent_task_id is not None:
                    continue
                if wanted in (None, entry.task_id, entry.external_task_id):
                    return Watched(run=runs[entry.run_id], log_id=entry.task_id)
        if wanted is None:
            raise PmError("nothing_to_watch")
        raise PmError("task_unknown", task=wanted, session=self._book.latest_session() or "-")

    async def follow(self, watched: Watched, *, full: bool = False) -> AsyncGenerator[Happening]:
        """Everything that happened and happens in the run; the last is always its end."""
        place, seen = 0, 0
        while True:
            # The end is looked for first: what was said before it is then all there.
            log = self._log(watched)
            end = self._end(watched, log)
            place, news = self._run_events(watched.run.run_id, place)
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

    def _run_events(self, run_id: str, place: int) -> tuple[int, list[FromRun | FromTask]]:
        path = self._paths.runs / run_id / "events.jsonl"
        try:
            data = self._files.read(path)[place:]
        except FileNotFoundError:
            return place, []
        whole = data[: data.rfind(b"\n") + 1]
        return place + len(whole), [
            FromRun(event=read_event(line, str(path))) for line in whole.splitlines()
        ]

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
            return _ended(watched, log, _verdict(log.status), log.error_reason)
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


def _verdict(status: TaskLogStatus) -> TaskStatus:
    return TaskStatus(status.value.upper())


def _when(happening: FromRun | FromTask) -> str:
    return happening.event.timestamp


def _brief(happening: FromRun | FromTask) -> bool:
    if isinstance(happening, FromRun):
        return True
    return happening.event.visibility_level is VisibilityLevel.SUMMARY
