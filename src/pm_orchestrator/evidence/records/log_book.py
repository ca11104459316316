"""The log of each task, kept in step with the indexes from its first moment to its last.

A task without a log, or a log that ends without saying why, is a broken promise; so
a log that cannot be written stops the task, and one that lacks its reason is refused.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

from msgspec.structs import replace
from typing_extensions import Unpack

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.log_contents import LogContent, UserInput, event_of
from pm_orchestrator.domain.history.session import (
    RunStatus,
    RunTrigger,
    SessionMetadata,
    ThreadEntry,
    ThreadType,
    UnfinishedTask,
)
from pm_orchestrator.domain.history.task_log import (
    CUT_OFF,
    TaskLog,
    TaskLogEntry,
    TaskLogStatus,
    VisibilityLevel,
)
from pm_orchestrator.domain.ids import iso, safe_name
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.domain.tasks.evidence_record import ArtifactList
from pm_orchestrator.evidence.chain.log_seals import LogSeals
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.open_log import TERMINAL, OpenLog
from pm_orchestrator.evidence.records.session_records import SessionRecords
from pm_orchestrator.evidence.records.task_index import TaskIndex, entry_of
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles


class OpenOptions(TypedDict, total=False):
    """What may be said about a new task besides."""

    parent: str | None
    thread_type: ThreadType
    trigger: RunTrigger
    first: LogContent
    """What happened first, where that is not what a user said."""


class TaskLogBook:
    """All task logs of a project, below `claude_dir`; `sole` where nobody else writes them.

    For whoever only looks, `lives` tells whether the owner of a session does: what a dead one
    left open is shown as what it is, and closed by whoever takes the session over.
    """

    def __init__(
        self,
        files: DurableFiles,
        clock: Clock,
        claude_dir: Path,
        masker: Masker,
        *,
        sole: bool = False,
        lives: Callable[[str], bool] | None = None,
    ) -> None:
        self._files = files
        self._clock = clock
        self._claude_dir = claude_dir
        self._masker = masker
        self._sole = sole
        self._lives = lives
        self._index = TaskIndex(files, clock, claude_dir / "logs", sole=sole)
        self._records: dict[str, SessionRecords] = {}
        self._begun: set[str] = set()
        self._linked: str | None = None
        self.seals: LogSeals | None = None
        """Takes down how logs are left; whoever only looks has none."""

    async def start_session(self, session_id: str, started_at: str | None = None) -> None:
        """Begin a session, which needs no task to be one; every record says the same beginning.

        Raises:
            PmError: E210 for an id that is no safe name.
        """
        if session_id in self._begun:
            return
        began = started_at or iso(self._clock.now())
        await self._index.register_session(safe_name(session_id, "session"), began)
        await self.records(session_id).begin(began)
        self._begun.add(session_id)

    def records(self, session_id: str) -> SessionRecords:
        """The session's threads, runs and state."""
        if session_id not in self._records:
            folder = self._index.folder(session_id)
            self._records[session_id] = SessionRecords(
                self._files, self._clock, folder, sole=self._sole
            )
        return self._records[session_id]

    async def open(
        self,
        session_id: str,
        task_id: str,
        thread_id: str,
        run_id: str,
        prompt: str,
        verification_root: Path,
        **options: Unpack[OpenOptions],
    ) -> OpenLog:
        """Register a new task and begin its log.

        Raises:
            PmError: E204 for an id that is taken, E210 for one that is no safe name,
                E102 for a root that is not absolute.
        """
        safe_name(session_id, "session")
        safe_name(task_id, "task")
        if not verification_root.is_absolute():
            raise PmError("bad_project_path", path=verification_root, reason="it is not absolute")
        thread = ThreadEntry(
            thread_id=thread_id, thread_type=options.get("thread_type", ThreadType.MAIN)
        )
        await self.start_session(session_id)
        trigger = options.get("trigger", RunTrigger.USER_INPUT)
        await self.records(session_id).begin_run(session_id, run_id, thread, trigger)
        task = UnfinishedTask(
            session_id=session_id,
            task_id=task_id,
            thread_id=thread_id,
            run_id=run_id,
            prompt=self.masked(prompt),
        )
        now, parent = iso(self._clock.now()), options.get("parent")

        first = options.get("first")

        def make(log_id: str) -> TaskLog:
            return new_log(task, log_id, now, verification_root, parent, first)

        log = await self._index.register_task(session_id, make)
        # Replaced, not created: a log is whole or not there, even after a power cut.
        await self._files.replace(self._index.log_path(session_id, log.log_id), to_file(log))
        await self._link(session_id)
        return self._opened(log)

    async def end_run(self, session_id: str, run_id: str, status: RunStatus) -> None:
        """Note in the session file how a run ended."""
        await self.records(session_id).end_run(run_id, status)

    async def reopen(
        self, session_id: str, any_id: str, run_id: str, trigger: RunTrigger
    ) -> OpenLog:
        """Go on with a task under its id, in a new run.

        Raises:
            PmError: E210 for an unknown task, E204 for one that has not ended.
        """
        log = self.read(session_id, any_id)
        if log.status not in TERMINAL:
            raise PmError("task_not_ended", task=log.task_id)
        thread = next(t for t in self.records(session_id).threads() if t.thread_id == log.thread_id)
        entry = ThreadEntry(thread_id=thread.thread_id, thread_type=thread.thread_type)
        await self.records(session_id).begin_run(session_id, run_id, entry, trigger)
        opened = self._opened(log)
        await opened.reopen(run_id)
        await self._link(session_id)
        return opened

    async def adopt(self, task: UnfinishedTask, verification_root: Path) -> OpenLog | None:
        """The log of a task whose owner died; None where the task has ended or never began.

        A task that is in the index without a log gets one, from what was noted of it.
        """
        entries = self._index.entries(task.session_id)
        entry = next((e for e in entries if e.external_task_id == task.task_id), None)
        if entry is None:
            return None
        try:
            log = self._read(task.session_id, entry)
        except FileNotFoundError:
            began = entry.started_at
            log = new_log(task, entry.task_id, began, verification_root, entry.parent_task_id)
        opened = self._opened(log)
        if log.status in TERMINAL:
            await self._index.update_task(log)
            return None
        return opened

    def _opened(self, log: TaskLog) -> OpenLog:
        return OpenLog(self._files, self._clock, self._index, self._masker, log, self.seals)

    def masked(self, text: str) -> str:
        """`text` as a log may hold it."""
        return self._masker.for_log_events().mask(text).text

    async def settle(self, session_id: str) -> None:
        """Bring the files of `05` up to the last change, when a session is left."""
        await self._index.settle(session_id)
        await self.records(session_id).settle()

    def check(self, session_id: str) -> None:
        """Make sure that every listed task that has ended has its log.

        Raises:
            PmError: E204 when the list of tasks and the logs disagree.
        """
        entries = self._index.entries(session_id)
        ended = [e for e in entries if e.status in TERMINAL]
        logs = sum(self._files.size(self._index.log_path(session_id, e.task_id)) > 0 for e in ended)
        if logs != len(ended):
            raise PmError("logs_disagree", session=session_id, tasks=len(ended), logs=logs)

    async def _link(self, session_id: str) -> None:
        """Keep `.pm-orchestrator/session/logs` pointing at the current session's tasks."""
        if self._linked == session_id:
            return
        link = self._claude_dir.parent / ".pm-orchestrator" / "session" / "logs"
        tasks = self._index.folder(session_id) / "tasks"
        target = Path("..", "..", tasks.relative_to(self._claude_dir.parent))
        await self._files.link(link, target)
        self._linked = session_id

    def entries(self, session_id: str) -> tuple[TaskLogEntry, ...]:
        """The tasks of a session, oldest first.

        An unfinished entry is looked up in its log, which is written first at the end.
        """
        return tuple(self._current(session_id, e) for e in self._index.entries(session_id))

    def unfinished(self, session_id: str) -> tuple[TaskLogEntry, ...]:
        """The tasks of a session that did not end as complete, oldest first."""
        found = (self._current(session_id, e) for e in self._index.unfinished(session_id))
        return tuple(e for e in found if e.status is not TaskLogStatus.COMPLETE)

    def external_ids(self, session_id: str) -> frozenset[str] | set[str]:
        """The ids that a new task of the session may not have."""
        return self._index.external_ids(session_id)

    def is_cut_off(self, session_id: str) -> bool:
        """Whether nobody is left who could end what is open in the session."""
        return self._lives is not None and not self._lives(session_id)

    def _current(self, session_id: str, entry: TaskLogEntry) -> TaskLogEntry:
        if entry.status in TERMINAL:
            return entry
        try:
            entry = entry_of(self._read(session_id, entry), self._clock.now())
        except FileNotFoundError:
            # Registered, but stopped before its log was begun.
            pass
        if entry.status not in TERMINAL and self.is_cut_off(session_id):
            return replace(entry, status=TaskLogStatus.ERROR)
        return entry

    def read(self, session_id: str, any_id: str) -> TaskLog:
        """The log of a task, by its external id or its log id.

        Raises:
            PmError: E210 for an unknown id, E303 for a log that is gone.
        """
        for entry in self._index.entries(session_id):
            if any_id in (entry.task_id, entry.external_task_id):
                try:
                    return self._seen(self._read(session_id, entry))
                except FileNotFoundError as error:
                    path = self._index.log_path(session_id, entry.task_id)
                    raise PmError("artifacts_missing", path=path, evidence=entry.task_id) from error
        raise PmError("task_unknown", task=any_id, session=session_id)

    def read_whole(self, session_id: str, any_id: str) -> TaskLog:
        """The log of a task; of one that is a part, the log of the task it is a part of.

        Raises:
            PmError: as `read`.
        """
        log = self.read(session_id, any_id)
        return log if log.parent_task_id is None else self.read(session_id, log.parent_task_id)

    def _seen(self, log: TaskLog) -> TaskLog:
        if log.status in TERMINAL or not self.is_cut_off(log.session_id):
            return log
        return replace(log, status=TaskLogStatus.ERROR, error_reason=CUT_OFF)

    def _read(self, session_id: str, entry: TaskLogEntry) -> TaskLog:
        path = self._index.log_path(session_id, entry.task_id)
        return from_json(TaskLog, self._files.read(path), str(path))

    def session_ids(self) -> tuple[str, ...]:
        """All sessions, oldest first."""
        return self._index.session_ids()

    def latest_session(self) -> str | None:
        """The session that began last."""
        sessions = self._index.session_ids()
        return sessions[-1] if sessions else None

    def session(self, session_id: str) -> SessionMetadata | None:
        """What the session file says."""
        return self.records(session_id).metadata()


SUMMARY_LENGTH = 100


def new_log(
    task: UnfinishedTask,
    log_id: str,
    now: str,
    root: Path,
    parent: str | None,
    first: LogContent | None = None,
) -> TaskLog:
    """The first content of a task's log; `task.prompt` and `first` are masked already."""
    happened = event_of(first or UserInput(text=task.prompt), now)
    return TaskLog(
        task_id=task.task_id,
        log_id=log_id,
        session_id=task.session_id,
        status=TaskLogStatus.QUEUED,
        started_at=now,
        ended_at=None,
        prompt_summary=" ".join(task.prompt.split())[:SUMMARY_LENGTH],
        runner_decision="accept",
        error_reason=None,
        artifacts=ArtifactList(),
        visibility=VisibilityLevel.SUMMARY,
        masked=True,
        events=(happened,),
        thread_id=task.thread_id,
        run_id=task.run_id,
        parent_task_id=parent,
        created_at=now,
        evidence_refs=(),
        verification_root=str(root),
        verified_files=(),
    )
