"""The log of each task, kept in step with the indexes from its first moment to its last.

A task without a log, or a log that ends without saying why, is a broken promise; so
a log that cannot be written stops the task, and one that lacks its reason is refused.
"""

from pathlib import Path
from typing import TypedDict

from typing_extensions import Unpack

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.evidence import ArtifactList
from pm_orchestrator.domain.ids import iso, safe_name
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.domain.session import (
    RunStatus,
    SessionMetadata,
    ThreadEntry,
    ThreadType,
)
from pm_orchestrator.domain.task_log import (
    LogEvent,
    LogEventType,
    TaskLog,
    TaskLogEntry,
    TaskLogStatus,
    VisibilityLevel,
)
from pm_orchestrator.evidence.masking import Masker
from pm_orchestrator.evidence.open_log import TERMINAL, OpenLog
from pm_orchestrator.evidence.task_index import TaskIndex, entry_of
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

SUMMARY_LENGTH = 100


class OpenOptions(TypedDict, total=False):
    """What may be said about a new task besides."""

    parent: str | None
    thread_type: ThreadType


class TaskLogBook:
    """All task logs of a project, below `claude_dir`."""

    def __init__(self, files: DurableFiles, clock: Clock, claude_dir: Path, masker: Masker) -> None:
        self._files = files
        self._clock = clock
        self._claude_dir = claude_dir
        self._masker = masker
        self._index = TaskIndex(files, clock, claude_dir / "logs")
        self._linked: str | None = None

    async def start_session(self, session_id: str) -> None:
        """Begin a session, which needs no task to be one.

        Raises:
            PmError: E210 for an id that is no safe name.
        """
        await self._index.register_session(safe_name(session_id, "session"))

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
        await self._index.register_session(session_id)
        await self._index.register_run(session_id, thread, run_id, RunStatus.RUNNING)
        personal = self._masker.for_log_events()
        now = iso(self._clock.now())
        text = personal.mask(prompt).text
        first = LogEvent(
            event_type=LogEventType.USER_INPUT,
            timestamp=now,
            visibility_level=VisibilityLevel.SUMMARY,
            content={"text": text},
        )

        def make(log_id: str) -> TaskLog:
            return TaskLog(
                task_id=task_id,
                log_id=log_id,
                session_id=session_id,
                status=TaskLogStatus.QUEUED,
                started_at=now,
                ended_at=None,
                prompt_summary=" ".join(text.split())[:SUMMARY_LENGTH],
                runner_decision="accept",
                error_reason=None,
                artifacts=ArtifactList(),
                visibility=VisibilityLevel.SUMMARY,
                masked=True,
                events=(first,),
                thread_id=thread_id,
                run_id=run_id,
                parent_task_id=options.get("parent"),
                created_at=now,
                evidence_refs=(),
                verification_root=str(verification_root),
                verified_files=(),
            )

        log = await self._index.register_task(session_id, make)
        # Replaced, not created: a log is whole or not there, even after a power cut.
        await self._files.replace(self._index.log_path(session_id, log.log_id), to_file(log))
        await self._link(session_id)
        return OpenLog(self._files, self._clock, self._index, self._masker, log)

    async def end_run(self, session_id: str, run_id: str, status: RunStatus) -> None:
        """Note in the session file how a run ended."""
        session = self._index.session(session_id)
        runs = {run.run_id: run for run in session.runs} if session else {}
        if session is None or run_id not in runs:
            raise PmError("task_unknown", task=run_id, session=session_id)
        thread = next(t for t in session.threads if t.thread_id == runs[run_id].thread_id)
        await self._index.register_run(session_id, thread, run_id, status)

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

    def _current(self, session_id: str, entry: TaskLogEntry) -> TaskLogEntry:
        if entry.status in TERMINAL:
            return entry
        try:
            return entry_of(self._read(session_id, entry), self._clock.now())
        except FileNotFoundError:
            # Registered, but stopped before its log was begun.
            return entry

    def read(self, session_id: str, any_id: str) -> TaskLog:
        """The log of a task, by its external id or its log id.

        Raises:
            PmError: E210 for an unknown id, E303 for a log that is gone.
        """
        for entry in self._index.entries(session_id):
            if any_id in (entry.task_id, entry.external_task_id):
                try:
                    return self._read(session_id, entry)
                except FileNotFoundError as error:
                    path = self._index.log_path(session_id, entry.task_id)
                    raise PmError("artifacts_missing", path=path, evidence=entry.task_id) from error
        raise PmError("task_unknown", task=any_id, session=session_id)

    def _read(self, session_id: str, entry: TaskLogEntry) -> TaskLog:
        path = self._index.log_path(session_id, entry.task_id)
        return from_json(TaskLog, self._files.read(path), str(path))

    def latest_session(self) -> str | None:
        """The session that began last."""
        sessions = self._index.sessions()
        return sessions[-1].session_id if sessions else None

    def session(self, session_id: str) -> SessionMetadata | None:
        """What the session file says."""
        return self._index.session(session_id)
