"""The indexes over task logs: which sessions there are, and which tasks they have.

A task is in the index before anything else is written about it, so whatever the
list of tasks shows, the list of logs shows too.
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import iso, numbered
from pm_orchestrator.domain.record import Record, from_json, to_file
from pm_orchestrator.domain.session import (
    RunEntry,
    RunStatus,
    SessionMetadata,
    ThreadEntry,
)
from pm_orchestrator.domain.task_log import (
    LogEventType,
    SessionLogEntry,
    SessionLogIndex,
    TaskLog,
    TaskLogEntry,
    TaskLogIndex,
)
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

R = TypeVar("R", bound=Record)


def entry_of(log: TaskLog, now: datetime) -> TaskLogEntry:
    """What an index says about a task: all of it follows from the log."""
    end = datetime.fromisoformat(log.ended_at) if log.ended_at else now
    seconds = (end - datetime.fromisoformat(log.started_at)).total_seconds()
    tests = [event for event in log.events if event.event_type is LogEventType.TEST_EXECUTION]
    return TaskLogEntry(
        task_id=log.log_id,
        external_task_id=log.task_id,
        thread_id=log.thread_id,
        run_id=log.run_id,
        parent_task_id=log.parent_task_id,
        status=log.status,
        started_at=log.started_at,
        completed_at=log.ended_at,
        duration_ms=max(0, round(seconds * 1000)),
        files_modified_count=sum(file.exists for file in log.verified_files),
        tests_run_count=len(tests),
        log_file=f"tasks/{log.log_id}.json",
    )


class TaskIndex:
    """Reads and writes the indexes below `logs`. Changes are made under a lock."""

    def __init__(self, files: DurableFiles, clock: Clock, logs: Path) -> None:
        self._files = files
        self._clock = clock
        self._logs = logs

    def folder(self, session_id: str) -> Path:
        return self._logs / "sessions" / session_id

    def log_path(self, session_id: str, log_id: str) -> Path:
        return self.folder(session_id) / "tasks" / f"{log_id}.json"

    def sessions(self) -> tuple[SessionLogEntry, ...]:
        index = self._read(SessionLogIndex, self._logs / "index.json")
        return index.sessions if index else ()

    def entries(self, session_id: str) -> tuple[TaskLogEntry, ...]:
        index = self._read(TaskLogIndex, self.folder(session_id) / "index.json")
        return index.entries if index else ()

    async def register_session(self, session_id: str) -> None:
        """List a session that is new; the list of sessions only ever grows."""
        if any(entry.session_id == session_id for entry in self.sessions()):
            return
        path = self._logs / "index.json"
        async with self._files.exclusive(path):
            now = iso(self._clock.now())
            index = self._read(SessionLogIndex, path)
            index = index or SessionLogIndex(created_at=now, updated_at=now, sessions=())
            if all(entry.session_id != session_id for entry in index.sessions):
                index_file = f"sessions/{session_id}/index.json"
                entry = SessionLogEntry(
                    session_id=session_id, started_at=now, index_file=index_file
                )
                sessions = (*index.sessions, entry)
                await self._write(path, replace(index, updated_at=now, sessions=sessions))

    async def register_run(
        self, session_id: str, thread: ThreadEntry, run_id: str, status: RunStatus
    ) -> None:
        """Put a thread and a run into the session file, or a run's new status."""
        path = self.folder(session_id) / "session.json"
        async with self._files.exclusive(path):
            session = self._read(SessionMetadata, path) or SessionMetadata(
                session_id=session_id, started_at=iso(self._clock.now()), threads=(), runs=()
            )
            threads = {entry.thread_id: entry for entry in session.threads}
            threads.setdefault(thread.thread_id, thread)
            runs = {entry.run_id: entry for entry in session.runs}
            runs[run_id] = RunEntry(run_id=run_id, thread_id=thread.thread_id, status=status)
            changed = replace(session, threads=tuple(threads.values()), runs=tuple(runs.values()))
            if changed != session:
                await self._write(path, changed)

    def session(self, session_id: str) -> SessionMetadata | None:
        return self._read(SessionMetadata, self.folder(session_id) / "session.json")

    async def register_task(self, session_id: str, make: Callable[[str], TaskLog]) -> TaskLog:
        """Give a task its log id and put it into the session's index.

        Raises:
            PmError: E204 when one of its ids is taken; nothing is written then.
        """
        path = self.folder(session_id) / "index.json"
        async with self._files.exclusive(path):
            now = self._clock.now()
            entries = self.entries(session_id)
            taken = {e.external_task_id for e in entries} | {e.task_id for e in entries}
            log = make(_free_log_id(len(entries), taken))
            if log.task_id in taken:
                raise PmError("task_duplicate", task=log.task_id, session=session_id)
            await self._write_entries(session_id, (*entries, entry_of(log, now)))
        return log

    async def update_task(self, log: TaskLog) -> None:
        """Bring the entry of a task into step with its log."""
        async with self._files.exclusive(self.folder(log.session_id) / "index.json"):
            now = self._clock.now()
            entries = tuple(
                entry_of(log, now) if entry.task_id == log.log_id else entry
                for entry in self.entries(log.session_id)
            )
            await self._write_entries(log.session_id, entries)

    async def _write_entries(self, session_id: str, entries: tuple[TaskLogEntry, ...]) -> None:
        path = self.folder(session_id) / "index.json"
        now = iso(self._clock.now())
        old = self._read(TaskLogIndex, path)
        index = TaskLogIndex(
            session_id=session_id,
            created_at=old.created_at if old else now,
            updated_at=now,
            entries=entries,
        )
        await self._write(path, index)

    def _read(self, kind: type[R], path: Path) -> R | None:
        try:
            data = self._files.read(path)
        except FileNotFoundError:
            return None
        return from_json(kind, data, str(path))

    async def _write(self, path: Path, record: Record) -> None:
        await self._files.replace(path, to_file(record))


def _free_log_id(count: int, taken: set[str]) -> str:
    """The next `task-NNN`; one that a client already uses as its own id is left out."""
    number = count + 1
    while numbered("task", number) in taken:
        number += 1
    return numbered("task", number)
