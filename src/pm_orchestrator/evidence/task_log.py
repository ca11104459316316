"""The book of tasks: every task is in it from its first moment to its terminal state.

A task is entered in the index before anything is done for it, and its log is
closed before its result is used, so that the lists people see never disagree.
"""

from pathlib import Path
from typing import Any, TypedDict, TypeVar

from msgspec import UNSET
from msgspec.structs import replace
from typing_extensions import Unpack

from pm_orchestrator.domain import ids
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.evidence import ArtifactList, EvidenceSummary, VerifiedFile
from pm_orchestrator.domain.record import Record, from_json, to_file
from pm_orchestrator.domain.session import RunEntry, RunStatus, SessionMetadata, ThreadEntry
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.domain.task_log import (
    LogEvent,
    LogEventType,
    SessionIndex,
    SessionIndexEntry,
    TaskLog,
    TaskLogEntry,
    TaskLogIndex,
    TaskLogStatus,
    VisibilityLevel,
    log_status,
)
from pm_orchestrator.evidence.masking import Masker
from pm_orchestrator.evidence.redaction import redact_tree
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

R = TypeVar("R", bound=Record)

SUMMARY_LENGTH = 100
TERMINAL_EVENTS = {
    TaskLogStatus.COMPLETE: LogEventType.TASK_COMPLETED,
    TaskLogStatus.INCOMPLETE: LogEventType.TASK_INCOMPLETE,
    TaskLogStatus.ERROR: LogEventType.TASK_ERROR,
}


class Beginning(TypedDict):
    """What is known of a task when it begins."""

    session_id: str
    task_id: str
    thread_id: str
    run_id: str
    prompt: str
    root: Path
    parent: str | None


class Ending(TypedDict, total=False):
    """What a terminal state says besides its status and reason."""

    artifacts: ArtifactList
    verified_files: tuple[VerifiedFile, ...]
    evidence_refs: tuple[str, ...]
    evidence_summary: EvidenceSummary
    runner_decision: str
    executor_summary: str | None
    tests_run: int


class TaskLogBook:
    """The logs below one project's `.claude`."""

    def __init__(self, files: DurableFiles, clock: Clock, claude_dir: Path, masker: Masker) -> None:
        self._files = files
        self._clock = clock
        self._claude_dir = claude_dir
        self._logs = claude_dir / "logs"
        self.masker = masker.for_log_events()

    async def start_session(self, session_id: str, threads: tuple[ThreadEntry, ...]) -> None:
        """Open a session and make it the current one.

        Raises:
            FileExistsError: there is a session of this name.
        """
        now = ids.iso(self._clock.now())
        folder = self._session(session_id)
        metadata = SessionMetadata(session_id=session_id, started_at=now, threads=threads, runs=())
        await self._files.create(folder / "session.json", to_file(metadata))
        index = TaskLogIndex(session_id=session_id, created_at=now, updated_at=now, entries=())
        await self._files.create(folder / "index.json", to_file(index))
        async with self._files.exclusive(self._logs / "index.json"):
            known = self._sessions()
            entry = SessionIndexEntry(session_id=session_id, started_at=now)
            listed = SessionIndex(updated_at=now, sessions=(*known, entry))
            await self._files.replace(self._logs / "index.json", to_file(listed))
        await self._files.link(
            self._claude_dir.parent / ".pm-orchestrator" / "session" / "logs", folder / "tasks"
        )

    async def open(self, **task: Unpack[Beginning]) -> "OpenLog":
        """Enter a task in the index and begin its log.

        Raises:
            PmError: E302 when the session is unknown or damaged, or the task is in it already.
        """
        session_id, task_id = task["session_id"], task["task_id"]
        index_path = self._session(session_id) / "index.json"
        now = ids.iso(self._clock.now())
        async with self._files.exclusive(index_path):
            index = self._index(session_id)
            if any(entry.external_task_id == task_id for entry in index.entries):
                raise PmError("evidence_invalid", evidence=task_id, reason="it is logged already")
            log_id = ids.numbered("task", len(index.entries) + 1)
            entry = TaskLogEntry(
                task_id=log_id,
                external_task_id=task_id,
                thread_id=task["thread_id"],
                run_id=task["run_id"],
                parent_task_id=task["parent"],
                status=TaskLogStatus.RUNNING,
                started_at=now,
                completed_at=None,
                duration_ms=0,
                files_modified_count=0,
                tests_run_count=0,
                log_file=f"tasks/{log_id}.json",
            )
            await self._write_index(index, (*index.entries, entry))
        await self._list_run(session_id, task["run_id"], task["thread_id"], RunStatus.RUNNING)
        log = OpenLog(self, self._clock, self._begin(task, log_id, now))
        await self.save(log.content)
        return log

    def _begin(self, task: Beginning, log_id: str, now: str) -> TaskLog:
        prompt = self.masker.mask(task["prompt"]).text
        started = LogEvent(
            event_type=LogEventType.USER_INPUT,
            timestamp=now,
            visibility_level=VisibilityLevel.SUMMARY,
            content={"text": prompt},
        )
        return TaskLog(
            task_id=task["task_id"],
            log_id=log_id,
            session_id=task["session_id"],
            status=TaskLogStatus.RUNNING,
            started_at=now,
            ended_at=None,
            prompt_summary=prompt[:SUMMARY_LENGTH],
            runner_decision="pending",
            error_reason=None,
            artifacts=ArtifactList(),
            visibility=VisibilityLevel.SUMMARY,
            masked=True,
            events=(started,),
            thread_id=task["thread_id"],
            run_id=task["run_id"],
            parent_task_id=task["parent"],
            created_at=now,
            evidence_refs=(),
            verification_root=str(task["root"]),
            verified_files=(),
        )

    def entries(self, session_id: str) -> tuple[TaskLogEntry, ...]:
        """The tasks of a session, in order of beginning."""
        return self._index(session_id).entries

    def read(self, session_id: str, wanted: str) -> TaskLog:
        """The log of a task, by either of its ids.

        Raises:
            PmError: E210 when there is no such task; E302 when its log is damaged.
        """
        for entry in self.entries(session_id):
            if wanted in {entry.task_id, entry.external_task_id}:
                path = self._session(session_id) / entry.log_file
                return self._record(TaskLog, path)
        raise PmError("bad_argument", reason=f"there is no task {wanted}", command="logs")

    def latest_session(self) -> str | None:
        """The session that was started last."""
        known = self._sessions()
        return known[-1].session_id if known else None

    async def save(self, log: TaskLog) -> None:
        """Write a log as it stands."""
        path = self._session(log.session_id) / "tasks" / f"{log.log_id}.json"
        await self._files.replace(path, to_file(log))

    async def settle(self, log: TaskLog, duration_ms: int, tests_run: int) -> None:
        """Bring index and session in step with a log that has reached its terminal state."""
        index_path = self._session(log.session_id) / "index.json"
        async with self._files.exclusive(index_path):
            index = self._index(log.session_id)
            entries = tuple(
                replace(
                    entry,
                    status=log.status,
                    completed_at=log.ended_at,
                    duration_ms=duration_ms,
                    files_modified_count=sum(f.exists for f in log.verified_files),
                    tests_run_count=tests_run,
                )
                if entry.task_id == log.log_id
                else entry
                for entry in index.entries
            )
            await self._write_index(index, entries)
        done = RunStatus.FAILED if log.status is TaskLogStatus.ERROR else RunStatus.COMPLETED
        await self._list_run(log.session_id, log.run_id, log.thread_id, done)

    async def _list_run(
        self, session_id: str, run_id: str, thread_id: str, status: RunStatus
    ) -> None:
        path = self._session(session_id) / "session.json"
        async with self._files.exclusive(path):
            session = self._record(SessionMetadata, path)
            others = tuple(r for r in session.runs if r.run_id != run_id)
            runs = (*others, RunEntry(run_id=run_id, thread_id=thread_id, status=status))
            await self._files.replace(path, to_file(replace(session, runs=runs)))

    async def _write_index(self, index: TaskLogIndex, entries: tuple[TaskLogEntry, ...]) -> None:
        updated = replace(index, updated_at=ids.iso(self._clock.now()), entries=entries)
        path = self._session(index.session_id) / "index.json"
        await self._files.replace(path, to_file(updated))

    def _index(self, session_id: str) -> TaskLogIndex:
        return self._record(TaskLogIndex, self._session(session_id) / "index.json")

    def _sessions(self) -> tuple[SessionIndexEntry, ...]:
        path = self._logs / "index.json"
        if not self._files.size(path):
            return ()
        return self._record(SessionIndex, path).sessions

    def _session(self, session_id: str) -> Path:
        return self._logs / "sessions" / ids.safe_name(session_id, "session")

    def _record(self, kind: type[R], path: Path) -> R:
        try:
            return from_json(kind, self._files.read(path), source=str(path))
        except FileNotFoundError:
            raise PmError("evidence_invalid", evidence=path, reason="it is missing") from None


class OpenLog:
    """A log between its beginning and its terminal state."""

    def __init__(self, book: TaskLogBook, clock: Clock, content: TaskLog) -> None:
        self._book = book
        self._clock = clock
        self._began = clock.now()
        self.content = content

    async def event(
        self, kind: LogEventType, content: dict[str, Any], level: VisibilityLevel
    ) -> None:
        """Take down something that happened."""
        self._add(kind, content, level)
        await self._book.save(self.content)

    async def close(self, status: TaskStatus, reason: str | None, **end: Unpack[Ending]) -> None:
        """Reach the terminal state, in the log first and then in the index.

        Raises:
            PmError: E302 when a task that is not complete has no reason.
        """
        word = log_status(status)
        why = self._book.masker.mask(reason).text if reason else None
        if word is not TaskLogStatus.COMPLETE and not why:
            raise PmError("evidence_invalid", evidence=self.content.log_id, reason="no reason")
        self._add(
            TERMINAL_EVENTS[word],
            {
                "status": str(status),
                "files_modified": [f.path for f in end.get("verified_files", ()) if f.exists],
                **({"error_message": why} if why else {}),
            },
            VisibilityLevel.SUMMARY,
        )
        now = self._clock.now()
        said = end.get("executor_summary")
        self.content = replace(
            self.content,
            status=word,
            ended_at=ids.iso(now),
            error_reason=None if word is TaskLogStatus.COMPLETE else why,
            runner_decision=end.get("runner_decision", "reject"),
            artifacts=end.get("artifacts", ArtifactList()),
            verified_files=end.get("verified_files", ()),
            evidence_refs=end.get("evidence_refs", ()),
            evidence_summary=end.get("evidence_summary", UNSET),
            executor_summary=self._book.masker.mask(said).text if said else UNSET,
        )
        await self._book.save(self.content)
        duration_ms = int((now - self._began).total_seconds() * 1000)
        await self._book.settle(self.content, duration_ms, end.get("tests_run", 0))

    def _add(self, kind: LogEventType, content: dict[str, Any], level: VisibilityLevel) -> None:
        event = LogEvent(
            event_type=kind,
            timestamp=ids.iso(self._clock.now()),
            visibility_level=level,
            content=redact_tree(content, self._book.masker),
        )
        self.content = replace(self.content, events=(*self.content.events, event))
