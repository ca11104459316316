"""Who altered the Runner's records: nobody, another process of ours, or somebody else."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import RandomIds, SystemClock
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.guard.tamper import SealedRecords
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.ports.recorder import Operation

SESSION = "session-1"


class Bench:
    """A project with a session, a task and some evidence."""

    def __init__(self, root: Path) -> None:
        self.claude = root / ".claude"
        self.heads = root / "state" / "heads.json"
        self.settings = self.claude / "settings.json"
        self.policy = "old"
        self.files = LocalFiles(SystemClock())
        self.book = TaskLogBook(self.files, SystemClock(), self.claude, Masker(()))
        self.records = SealedRecords(
            self.claude, self.heads, root / "owners", self._policy, self._now_ns
        )

    def recorder(self) -> EvidenceRecorder:
        """As another process would have it."""
        return EvidenceRecorder(
            self.files, SystemClock(), RandomIds(), Masker(()), self.claude, self.heads
        )

    async def fill(self) -> None:
        await self.book.start_session(SESSION)
        await record(self.recorder(), 3)
        tasks = self.claude / "logs" / "sessions" / SESSION / "tasks"
        tasks.mkdir(parents=True)
        (tasks / "task-001.json").write_text("{}", encoding="utf-8")
        self.settings.write_text("{}", encoding="utf-8")

    def _policy(self) -> str:
        if self.policy == "broken":
            raise PmError("config_corrupt", path="p", reason="r")
        return self.policy

    @staticmethod
    def _now_ns() -> int:
        return int(SystemClock().now().timestamp() * 1e9)


async def record(recorder: EvidenceRecorder, count: int = 1) -> None:
    for number in range(count):
        await recorder.record(
            Operation(type="step", raw=str(number), session_id=SESSION, task_id="task-1")
        )


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    await made.fill()
    return made


async def test_untouched_records_are_fine(bench: Bench) -> None:
    seal = bench.records.seal(SESSION)
    assert bench.records.altered(seal) == ()
    assert bench.records.to_put_back(seal) == {}


async def test_another_process_of_ours_may_be_at_work(bench: Bench) -> None:
    seal = bench.records.seal(SESSION)
    await record(bench.recorder(), 2)
    await bench.book.start_session("session-2")
    assert bench.records.altered(seal) == ()


async def test_another_process_may_be_in_the_middle_of_a_record(bench: Bench) -> None:
    chain = bench.claude / "evidence" / "chain.jsonl"
    seal = bench.records.seal(SESSION)
    before = chain.read_bytes(), bench.heads.read_bytes()
    await record(bench.recorder())
    after = chain.read_bytes(), bench.heads.read_bytes()
    chain.write_bytes(before[0])
    bench.heads.write_bytes(before[1])
    looking = asyncio.create_task(asyncio.to_thread(bench.records.altered, seal))
    await asyncio.sleep(0.05)
    chain.write_bytes(after[0])
    await asyncio.sleep(0.15)
    bench.heads.write_bytes(after[1])
    assert await looking == ()


async def test_what_a_crash_left_behind_is_no_alteration(bench: Bench) -> None:
    left = bench.claude / "evidence" / "ev-left.json"
    left.write_text("{}", encoding="utf-8")
    await record(bench.recorder())
    long_ago = Bench._now_ns() + 10_000_000_000
    bench.records._now_ns = lambda: long_ago  # as if it had been there for ten seconds
    seal = bench.records.seal(SESSION)
    await record(bench.recorder())
    assert bench.records.altered(seal) == ()


async def test_our_own_last_words_in_the_log_are_ours(bench: Bench) -> None:
    seal = bench.records.seal(SESSION)
    log = bench.claude / "logs" / "sessions" / SESSION / "tasks" / "task-001.json"
    log.write_text("ours", encoding="utf-8")
    assert bench.records.altered(seal, b"ours") == ()
    assert bench.records.altered(seal, b"other") != ()


def cut_chain(bench: Bench) -> None:
    chain = bench.claude / "evidence" / "chain.jsonl"
    os.truncate(chain, chain.stat().st_size // 2)


def forge_line(bench: Bench) -> None:
    chain = bench.claude / "evidence" / "chain.jsonl"
    chain.write_bytes(chain.read_bytes() + chain.read_bytes().splitlines(keepends=True)[0])


def forge_record(bench: Bench) -> None:
    (bench.claude / "evidence" / "ev-forged.json").write_text("{}", encoding="utf-8")


def alter_record(bench: Bench) -> None:
    path = next((bench.claude / "evidence").glob("ev-*.json"))
    path.write_bytes(path.read_bytes().replace(b"step", b"leap"))


def remove_record(bench: Bench) -> None:
    next((bench.claude / "evidence").glob("ev-*.json")).unlink()


def alter_heads(bench: Bench) -> None:
    bench.heads.write_bytes(bench.heads.read_bytes().splitlines(keepends=True)[0])


def drop_session(bench: Bench) -> None:
    (bench.claude / "logs" / "index.json").unlink()


def garble_sessions(bench: Bench) -> None:
    (bench.claude / "logs" / "index.json").write_text("garbage", encoding="utf-8")


def alter_log(bench: Bench) -> None:
    log = bench.claude / "logs" / "sessions" / SESSION / "tasks" / "task-001.json"
    log.write_text('{"status": "complete"}', encoding="utf-8")


def alter_owner(bench: Bench) -> None:
    owners = bench.claude.parent / "owners"
    (owners / f"{SESSION}.json").write_text("{}", encoding="utf-8")


def new_policy(bench: Bench) -> None:
    bench.policy = "new"


def broken_policy(bench: Bench) -> None:
    bench.policy = "broken"


@pytest.mark.parametrize(
    ("act", "named"),
    [
        (cut_chain, "chain.jsonl"),
        (forge_line, "chain.jsonl"),
        (forge_record, "ev-forged.json"),
        (alter_record, "ev-"),
        (remove_record, "ev-"),
        (alter_heads, "heads.json"),
        (drop_session, "logs/index.json"),
        (garble_sessions, "logs/index.json"),
        (alter_log, "task-001.json"),
        (alter_owner, f"owners/{SESSION}.json"),
        (new_policy, "settings.json"),
        (broken_policy, "settings.json"),
    ],
)
async def test_every_alteration_is_named(
    bench: Bench, act: Callable[[Bench], None], named: str
) -> None:
    (bench.claude.parent / "owners").mkdir()
    seal = bench.records.seal(SESSION)
    act(bench)
    assert any(named in name for name in bench.records.altered(seal))


async def test_logs_and_settings_are_put_back(bench: Bench) -> None:
    seal = bench.records.seal(SESSION)
    alter_log(bench)
    bench.settings.unlink()
    back = bench.records.to_put_back(seal)
    assert {path.name: data for path, data in back.items()} == {
        "task-001.json": b"{}",
        "settings.json": b"{}",
    }
