"""The local engine's memory: one SQLite file per run, one owner, one writer thread.

What the writer has committed survives a power cut. Whatever is waiting is
committed together, so that wide runs pay for one sync, not for many. Each
transaction first compares the fencing token: an owner that was replaced while
it slept cannot write another byte.
"""

import asyncio
import os
import queue
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec

from pm_orchestrator.adapters.engines.lease import Lease
from pm_orchestrator.domain.errors import PmError

FORMAT = 1
SCHEMA = """
CREATE TABLE run (
    only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
    token INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    input BLOB,
    started_at TEXT,
    outcome BLOB
) STRICT;
CREATE TABLE step (
    key TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    input BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('started', 'done', 'failed')),
    attempt INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    answer BLOB,
    answered_at TEXT,
    position INTEGER UNIQUE
) STRICT;
INSERT INTO run (only_one, token, owner) VALUES (1, 0, 0);
"""
START = """
INSERT INTO step (key, name, digest, input, state, attempt, failures)
VALUES (:key, :name, :digest, :input, 'started', :attempt, :failures)
ON CONFLICT (key) DO UPDATE SET attempt = :attempt, failures = :failures
"""
ANSWER = """
UPDATE step SET state = :state, answer = :answer, answered_at = :at,
    position = (SELECT coalesce(max(position), 0) + 1 FROM step)
WHERE key = :key AND state = 'started'
"""

AnswerState = Literal["done", "failed"]
T = TypeVar("T")
JournalWork = Callable[[sqlite3.Connection], Any]
Then = Callable[[Any, PmError | None], None]


class StepStart(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt at a step, before it begins."""

    key: str
    name: str
    digest: str
    input: bytes
    attempt: int
    failures: int
    """Attempts that failed for a passing reason."""


class StepAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How a step ended: its result or its failure, as JSON."""

    key: str
    state: AnswerState
    answer: bytes
    at: str


class RecordedRun(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a journal knows."""

    input: bytes
    started_at: str
    outcome: bytes | None
    starts: tuple[StepStart, ...]
    answers: tuple[StepAnswer, ...]
    """In the order in which they were committed."""


class _Entry(NamedTuple):
    operation: JournalWork
    then: Then


class Journal:
    """An open journal. Made by `open`; `close` gives the lease back."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._waiting: queue.SimpleQueue[_Entry | None] = queue.SimpleQueue()
        self._token: int | None = None
        self._lease = Lease(path)
        self._writer = threading.Thread(target=self._write, name=f"journal {path}", daemon=True)
        self._writer.start()

    @classmethod
    async def open(cls, path: Path) -> "Journal":
        """Become the owner of the journal at `path`, which is made if there is none.

        Raises:
            PmError: E402 while another process owns it; E902 when it cannot be used.
        """
        journal = cls(path)
        try:
            journal._token = await journal._do(_take_over)
        except BaseException:
            journal.close()
            raise
        return journal

    async def begin(self, given: bytes, at: str) -> RecordedRun:
        """Note the run's input unless there is one, and tell what is known."""

        def operation(db: sqlite3.Connection) -> RecordedRun:
            db.execute("UPDATE run SET input = ?, started_at = ? WHERE input IS NULL", (given, at))
            return _load(db)

        return await self._do(operation)

    async def start(self, start: StepStart) -> None:
        """Durable when it returns, so that a cut off attempt is known as one."""
        await self._do(lambda db: db.execute(START, msgspec.structs.asdict(start)))

    def answer(self, answer: StepAnswer, then: Then) -> None:
        """Record how a step ended; `then` is called in journal order, once it is durable."""

        def operation(db: sqlite3.Connection) -> None:
            if db.execute(ANSWER, msgspec.structs.asdict(answer)).rowcount != 1:
                raise PmError("step_not_repeated", key=answer.key)

        self._waiting.put(_Entry(operation, then))

    async def finish(self, outcome: bytes) -> None:
        await self._do(lambda db: db.execute("UPDATE run SET outcome = ?", (outcome,)))

    def close(self) -> None:
        """Write what is waiting and let go. Blocks for the few milliseconds that takes."""
        self._waiting.put(None)
        self._writer.join()
        self._lease.release()

    async def _do(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        done: asyncio.Future[T] = self._loop.create_future()

        def then(value: T, error: PmError | None) -> None:
            if done.cancelled():
                return
            if error is None:
                done.set_result(value)
            else:
                done.set_exception(error)

        self._waiting.put(_Entry(operation, then))
        return await done

    def _write(self) -> None:
        db: sqlite3.Connection | None = None
        last = False
        while not last:
            batch, last = self._take_batch()
            values: list[Any] = [None] * len(batch)
            error: PmError | None = None
            try:
                db = db or _connect(self._path)
                values = self._commit(db, batch)
            except PmError as refused:
                error = refused
            # A writer that died would leave everybody waiting: whatever it is, it is told.
            except Exception as broken:  # noqa: BLE001
                error = PmError("disk", path=self._path, reason=broken)
            if batch:
                self._loop.call_soon_threadsafe(_announce, batch, values, error)
        if db is not None:
            db.close()

    def _take_batch(self) -> tuple[list[_Entry], bool]:
        batch: list[_Entry] = []
        entry = self._waiting.get()
        while entry is not None:
            batch.append(entry)
            if self._waiting.empty():
                return batch, False
            entry = self._waiting.get()
        return batch, True

    def _commit(self, db: sqlite3.Connection, batch: list[_Entry]) -> list[Any]:
        # The connection's context manager commits, or rolls back when anything is raised.
        with db:
            db.execute("BEGIN IMMEDIATE")
            if self._token is not None:
                token, owner = db.execute("SELECT token, owner FROM run").fetchone()
                if token != self._token:
                    raise PmError("owner_alive", what=self._path, holder=owner)
            return [entry.operation(db) for entry in batch]


def _announce(batch: list[_Entry], values: list[Any], error: PmError | None) -> None:
    for entry, value in zip(batch, values, strict=True):
        entry.then(value, error)


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    # In WAL mode only FULL syncs at every commit; NORMAL may lose the last ones in a power cut.
    db.execute("PRAGMA synchronous = FULL")
    return db


def _take_over(db: sqlite3.Connection) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == 0:
        for statement in SCHEMA.split(";")[:-1]:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {FORMAT}")
    elif version != FORMAT:
        raise sqlite3.DatabaseError(f"it has format {version}, this version reads {FORMAT}")
    sql = "UPDATE run SET token = token + 1, owner = ? RETURNING token"
    (token,) = db.execute(sql, (os.getpid(),)).fetchone()
    return token


def _load(db: sqlite3.Connection) -> RecordedRun:
    given, started_at, outcome = db.execute("SELECT input, started_at, outcome FROM run").fetchone()
    starts = db.execute("SELECT key, name, digest, input, attempt, failures FROM step")
    answers = db.execute(
        "SELECT key, state, answer, answered_at FROM step"
        " WHERE position IS NOT NULL ORDER BY position"
    )
    return RecordedRun(
        input=given,
        started_at=started_at,
        outcome=outcome,
        starts=tuple(
            StepStart(key=k, name=n, digest=d, input=i, attempt=a, failures=f)
            for k, n, d, i, a, f in starts
        ),
        answers=tuple(StepAnswer(key=k, state=s, answer=a, at=t) for k, s, a, t in answers),
    )
