"""What is kept once is never written over, and what was put in its place is found out."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.outcome import Facts
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.evidence.chain.links import record_path
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.answer_book import AnswerBook
from pm_orchestrator.evidence.records.task_facts import FactsBook, TaskFacts
from pm_orchestrator.evidence.records.task_inventory import task_inventory
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles

CLAUDE = Path("/project/.claude")
HEAD = Path("/state/heads/project.json")
NOTHING = Facts(commit=None, changes=(), expected_files=(), missing_files=(), gates=None)
KEPT = TaskFacts(session_id="s-1", task_id="task-1", run_id="run_001", facts=NOTHING, claim=None)


def run(run_id: str) -> RunIds:
    return RunIds(session_id="s-1", task_id="task-1", run_id=run_id)


async def test_a_run_has_one_answer() -> None:
    book = AnswerBook(MemoryFiles(), CLAUDE, Masker())
    assert await book.keep(run("run_001"), "It adds.") is not None
    with pytest.raises(PmError) as refused:
        await book.keep(run("run_001"), "It does more.")
    assert refused.value.code == "E302"
    assert await book.keep(run("run_002"), "It does more.") is not None


async def test_a_run_has_one_verdict() -> None:
    """R-18 Atomic Evidence Recording: the facts of a verdict are written once."""
    book = FactsBook(MemoryFiles(), CLAUDE, Masker())
    await book.keep(KEPT)
    with pytest.raises(PmError) as refused:
        await book.keep(replace(KEPT, facts=replace(NOTHING, commit="c" * 40)))
    assert refused.value.code == "E302"
    assert book.read(KEPT) == KEPT


async def test_facts_of_another_task_are_no_facts() -> None:
    """R-21 Evidence Integrity Management: a copy under another name is refused."""
    files = MemoryFiles()
    book = FactsBook(files, CLAUDE, Masker())
    with pytest.raises(PmError) as missing:
        book.read(KEPT)
    assert missing.value.code == "E303"
    await book.keep(KEPT)
    folder = CLAUDE / "logs" / "sessions" / "s-1" / "facts"
    await files.replace(folder / "task-2.run_001.json", files.read(folder / "task-1.run_001.json"))
    with pytest.raises(PmError) as foreign:
        book.read(replace(KEPT, task_id="task-2"))
    assert foreign.value.code == "E302"


async def test_the_inventory_says_what_is_wrong_with_each_record() -> None:
    """R-21 Evidence Integrity Management: gone, garbled and altered are told apart."""
    files = MemoryFiles()
    recorder = EvidenceRecorder(files, FakeClock(), CountingIds(), Masker(), CLAUDE, HEAD)
    made = [
        await recorder.record(
            Operation(type="execute", raw=f"raw {n}", session_id="s-1", task_id="task-1")
        )
        for n in range(3)
    ]
    good, garbled, altered = made
    await files.replace(record_path(CLAUDE, garbled.evidence_id), b"{")
    await files.replace(CLAUDE / altered.raw_logs, b"something else")
    ids = [*(evidence.evidence_id for evidence in made), "ev-never"]
    found = task_inventory(files, CLAUDE, ids)
    assert found.total_evidence_items == len(ids)
    assert found.missing_evidence_operations == ("ev-never",)
    assert found.integrity_failures == (garbled.evidence_id, altered.evidence_id)
    assert found.raw_evidence_files == (good.raw_logs, altered.raw_logs)
