"""The session's own records beside its task logs: threads, runs, and how it stands.

`session.json` has exactly the form of `05`. Runs with all their fields are lines of
`runs.jsonl`; `session.json` follows them, at once while it is short, and later in
steps that grow with it, so that the thousandth run costs what the first did.
"""

from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.session import (
    Run,
    RunEntry,
    RunStatus,
    RunTrigger,
    Session,
    SessionMetadata,
    Thread,
    ThreadEntry,
    ThreadType,
)
from pm_orchestrator.domain.ids import iso, numbered
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.evidence.records.record_journal import RecordJournal
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

T = TypeVar("T")

LAG = 4
"""`session.json` may be behind by at most this fraction of its runs."""


class SessionRecords:
    """The records in one session's folder. `sole` is for the only writer: it may remember."""

    def __init__(self, files: DurableFiles, clock: Clock, folder: Path, *, sole: bool) -> None:
        self._files = files
        self._clock = clock
        self._folder = folder
        self._sole = sole
        self._journal = RecordJournal(files, folder / "runs.jsonl", Run)
        self._known: dict[str, Run] | None = None
        self._behind = 0

    def runs(self) -> dict[str, Run]:
        """All runs by id, oldest first."""
        if self._sole and self._known is not None:
            return self._known
        self._known = {run.run_id: run for run in self._journal.read()}
        return self._known

    def threads(self) -> tuple[Thread, ...]:
        found = self._read(tuple[Thread, ...], "threads.json")
        return found or ()

    def thread_of(self, kind: ThreadType) -> str:
        """The thread of this kind, or the id that it will have."""
        threads = self.threads()
        found = (t.thread_id for t in threads if t.thread_type is kind)
        # The first is the conversation, even where nothing was said in it yet.
        new = 1 if kind is ThreadType.MAIN else max(len(threads), 1) + 1
        return next(found, numbered("thr", new))

    def state(self) -> Session | None:
        return self._read(Session, "session_state.json")

    async def save_state(self, session: Session) -> None:
        await self._files.replace(self._folder / "session_state.json", to_file(session))

    def metadata(self) -> SessionMetadata | None:
        """What `session.json` says, brought up to the last run."""
        stored = self._read(SessionMetadata, "session.json")
        return None if stored is None else self._with_runs(stored)

    def _with_runs(self, stored: SessionMetadata) -> SessionMetadata:
        return replace(
            stored,
            threads=tuple(
                ThreadEntry(thread_id=t.thread_id, thread_type=t.thread_type)
                for t in self.threads()
            ),
            runs=tuple(
                RunEntry(run_id=r.run_id, thread_id=r.thread_id, status=r.status)
                for r in self.runs().values()
            ),
        )

    async def begin(self, started_at: str) -> None:
        """Write the session file of a session without runs."""
        if self._read(SessionMetadata, "session.json") is None:
            await self._write(self._empty(started_at))

    async def begin_run(
        self, session_id: str, run_id: str, thread: ThreadEntry, trigger: RunTrigger
    ) -> None:
        """Note a run that begins, and its thread where that is new."""
        now = iso(self._clock.now())
        async with self._files.exclusive(self._folder / "session.json"):
            await self._journal.mend()
            known = self.runs().get(run_id)
            if known is not None:
                # It was cut off and is taken up again.
                if known.status is not RunStatus.RUNNING:
                    again = replace(known, status=RunStatus.RUNNING, completed_at=None)
                    await self._note(again)
                return
            await self._add_thread(session_id, thread, now)
            await self._note(
                Run(
                    run_id=run_id,
                    thread_id=thread.thread_id,
                    session_id=session_id,
                    started_at=now,
                    completed_at=None,
                    status=RunStatus.RUNNING,
                    trigger=trigger,
                )
            )

    async def end_run(self, run_id: str, status: RunStatus) -> None:
        """Note how a run ended.

        Raises:
            PmError: E210 for a run that never began here.
        """
        async with self._files.exclusive(self._folder / "session.json"):
            await self._journal.mend()
            run = self.runs().get(run_id)
            if run is None:
                raise PmError("task_unknown", task=run_id, session=self._folder.name)
            await self._note(replace(run, status=status, completed_at=iso(self._clock.now())))

    async def settle(self) -> None:
        """Bring `session.json` up to the last run."""
        if self._behind:
            async with self._files.exclusive(self._folder / "session.json"):
                await self._settle()

    async def _add_thread(self, session_id: str, thread: ThreadEntry, now: str) -> None:
        threads = self.threads()
        if any(t.thread_id == thread.thread_id for t in threads):
            return
        new = Thread(
            thread_id=thread.thread_id,
            session_id=session_id,
            thread_type=ThreadType(thread.thread_type),
            created_at=now,
        )
        await self._files.replace(self._folder / "threads.json", to_file((*threads, new)))

    async def _note(self, run: Run) -> None:
        known = self.runs()
        await self._journal.add(run)
        known[run.run_id] = run
        self._behind += 1
        if self._behind * LAG >= len(known) or not self._sole:
            await self._settle()

    async def _settle(self) -> None:
        stored = self._read(SessionMetadata, "session.json")
        await self._write(stored or self._empty(iso(self._clock.now())))

    def _empty(self, started_at: str) -> SessionMetadata:
        return SessionMetadata(
            session_id=self._folder.name, started_at=started_at, threads=(), runs=()
        )

    async def _write(self, metadata: SessionMetadata) -> None:
        path = self._folder / "session.json"
        await self._files.replace(path, to_file(self._with_runs(metadata)))
        self._behind = 0

    def _read(self, kind: type[T], name: str) -> T | None:
        path = self._folder / name
        try:
            data = self._files.read(path)
        except FileNotFoundError:
            return None
        return from_json(kind, data, str(path))
