"""The indexes over task logs: which sessions there are, and which tasks they have.

A task is in the index before anything else is written about it, so whatever the
list of tasks shows, the list of logs shows too.
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from msgspec import UNSET

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.log_contents import RanTests, contents
from pm_orchestrator.domain.history.task_log import (
    TaskLog,
    TaskLogEntry,
    TaskLogIndex,
    TaskLogStatus,
)
from pm_orchestrator.domain.ids import iso, numbered
from pm_orchestrator.domain.record import Record, from_json, to_file
from pm_orchestrator.evidence.records.global_index import GlobalIndex
from pm_orchestrator.evidence.records.record_journal import RecordJournal
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

R = TypeVar("R", bound=Record)

LAG = 4
"""`index.json` may be behind by at most this fraction of its entries."""


def entry_of(log: TaskLog, now: datetime) -> TaskLogEntry:
    """What an index says about a task: all of it follows from the log."""
    end = datetime.fromisoformat(log.ended_at) if log.ended_at else now
    seconds = (end - datetime.fromisoformat(log.started_at)).total_seconds()
    # A gate that does not say how many tests it ran has run at least itself.
    tests = (
        1 if ran.tests_run is None else ran.tests_run for ran in contents(log.events, RanTests)
    )
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
        tests_run_count=sum(tests),
        log_file=f"tasks/{log.log_id}.json",
        accepted=UNSET if log.accepted is UNSET else bool(log.accepted),
    )


class _Table:
    """The index of one session: `index.json` and the lines noted since."""

    def __init__(
        self,
        session_id: str,
        journal: RecordJournal[TaskLogEntry],
        entries: dict[str, TaskLogEntry],
        behind: int,
        created_at: str | None,
    ) -> None:
        self.session_id = session_id
        self.journal = journal
        self.entries: dict[str, TaskLogEntry] = {}
        self.external: set[str] = set()
        self.unfinished: dict[str, TaskLogEntry] = {}
        self.behind = behind
        self.created_at = created_at
        for entry in entries.values():
            self.keep(entry)

    def keep(self, entry: TaskLogEntry) -> None:
        """Remember an entry, and what is asked of all entries at every task."""
        self.entries[entry.task_id] = entry
        self.external.add(entry.external_task_id)
        self.unfinished.pop(entry.task_id, None)
        # A part is never gone on with but by the task it is a part of.
        if entry.status is not TaskLogStatus.COMPLETE and entry.parent_task_id is None:
            self.unfinished[entry.task_id] = entry


class TaskIndex:
    """Reads and writes the indexes below `logs`. Changes are made under a lock.

    `sole` is for the only writer of a session: it may remember what it wrote, and put
    off rewriting a long `index.json` by noting changes in `index.jsonl` first.
    """

    def __init__(
        self, files: DurableFiles, clock: Clock, logs: Path, *, sole: bool = False
    ) -> None:
        self._files = files
        self._clock = clock
        self._logs = logs
        self._sole = sole
        self._tables: dict[str, _Table] = {}
        self._global = GlobalIndex(files, logs)
        self._listed: set[str] = set()
        self._unlisted = 0
        self._in_all = 0

    def folder(self, session_id: str) -> Path:
        return self._logs / "sessions" / session_id

    def log_path(self, session_id: str, log_id: str) -> Path:
        return self.folder(session_id) / "tasks" / f"{log_id}.json"

    def session_ids(self) -> tuple[str, ...]:
        """All sessions, oldest first."""
        return self._global.session_ids()

    def entries(self, session_id: str) -> tuple[TaskLogEntry, ...]:
        return tuple(self._table(session_id).entries.values())

    def unfinished(self, session_id: str) -> tuple[TaskLogEntry, ...]:
        """Tasks that did not end as complete, oldest first."""
        found = self._table(session_id).unfinished
        return tuple(sorted(found.values(), key=lambda entry: (entry.started_at, entry.task_id)))

    def external_ids(self, session_id: str) -> frozenset[str] | set[str]:
        """The external ids of all tasks; not to be changed."""
        return self._table(session_id).external

    async def register_session(self, session_id: str, started_at: str) -> None:
        """List a session that is new, with an index of its own; the list only ever grows."""
        if session_id in self._listed:
            return
        if session_id not in self._global.session_ids():
            index = _index(session_id, started_at, started_at, ())
            async with self._files.exclusive(path := self.folder(session_id) / "index.json"):
                if self._read(TaskLogIndex, path) is None:
                    await self._write(path, index)
                    self._tables.pop(session_id, None)
            await self._global.put(index)
        self._listed.add(session_id)

    async def register_task(self, session_id: str, make: Callable[[str], TaskLog]) -> TaskLog:
        """Give a task its log id and put it into the session's index.

        Raises:
            PmError: E204 when one of its ids is taken; nothing is written then.
        """
        async with self._files.exclusive(self.folder(session_id) / "index.json"):
            table = await self._writable(session_id)
            log = make(_free_log_id(len(table.entries), table))
            if log.task_id in table.external or log.task_id in table.entries:
                raise PmError("task_duplicate", task=log.task_id, session=session_id)
            await self._put(table, entry_of(log, self._clock.now()))
        return log

    async def update_task(self, log: TaskLog) -> None:
        """Bring the entry of a task into step with its log."""
        async with self._files.exclusive(self.folder(log.session_id) / "index.json"):
            table = await self._writable(log.session_id)
            await self._put(table, entry_of(log, self._clock.now()))

    async def settle(self, session_id: str) -> None:
        """Bring `index.json` up to the last change."""
        async with self._files.exclusive(self.folder(session_id) / "index.json"):
            table = await self._writable(session_id)
            if table.behind:
                await self._compact(table, table.entries)
            if self._unlisted:
                await self._list(table)

    def _table(self, session_id: str) -> "_Table":
        if session_id in self._tables:
            return self._tables[session_id]
        folder = self.folder(session_id)
        journal = RecordJournal(self._files, folder / "index.jsonl", TaskLogEntry)
        index = self._read(TaskLogIndex, folder / "index.json")
        lines = journal.read()
        entries = {e.task_id: e for e in (*(index.entries if index else ()), *lines)}
        created = index.created_at if index else None
        table = _Table(session_id, journal, entries, len(lines), created)
        if self._sole:
            self._tables[session_id] = table
        return table

    async def _writable(self, session_id: str) -> "_Table":
        table = self._table(session_id)
        await table.journal.mend()
        return table

    async def _put(self, table: "_Table", entry: TaskLogEntry) -> None:
        """One line more, or the whole index where that is short enough to be cheap."""
        if (table.behind + 1) * LAG >= len(table.entries) or not self._sole:
            await self._compact(table, {**table.entries, entry.task_id: entry})
            table.keep(entry)
        else:
            await table.journal.add(entry)
            table.keep(entry)
            table.behind += 1
        self._unlisted += 1
        if self._unlisted * LAG >= self._in_all or not self._sole:
            await self._list(table)

    async def _list(self, table: "_Table") -> None:
        """Say the same of the session in the index of all."""
        now = iso(self._clock.now())
        entries = tuple(table.entries.values())
        self._in_all = await self._global.put(
            _index(table.session_id, table.created_at or now, now, entries)
        )
        self._unlisted = 0

    async def _compact(self, table: "_Table", entries: dict[str, TaskLogEntry]) -> None:
        now = iso(self._clock.now())
        index = _index(table.session_id, table.created_at or now, now, tuple(entries.values()))
        await self._write(self.folder(table.session_id) / "index.json", index)
        table.created_at = index.created_at
        # A crash before this leaves lines that are older than the index. They are harmless:
        # an old "running" is looked up in the log, and an old end is what the log of a
        # task that is being taken up again still says.
        await table.journal.clear()
        table.behind = 0

    def _read(self, kind: type[R], path: Path) -> R | None:
        try:
            data = self._files.read(path)
        except FileNotFoundError:
            return None
        return from_json(kind, data, str(path))

    async def _write(self, path: Path, record: Record) -> None:
        await self._files.replace(path, to_file(record))


def _index(
    session_id: str, created_at: str, updated_at: str, entries: tuple[TaskLogEntry, ...]
) -> TaskLogIndex:
    return TaskLogIndex(
        session_id=session_id, created_at=created_at, updated_at=updated_at, entries=entries
    )


def _free_log_id(count: int, table: _Table) -> str:
    """The next `task-NNN`; one that a client already uses as its own id is left out."""
    number = count + 1
    while numbered("task", number) in table.external or numbered("task", number) in table.entries:
        number += 1
    return numbered("task", number)
