"""One receipt per step: done once, masked, and recorded before it is used."""

from pathlib import Path

import pytest

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.engine import Step, StepContext
from pm_orchestrator.runner.records.notes import Notes
from pm_orchestrator.runner.run.receipts import Receipts
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock

SECRET = "sk-ant-" + "api03-" + "Zq9x" * 12


class Words(Record, frozen=True, kw_only=True):
    """What a step takes and gives."""

    text: str
    commit: str | None = None


SAY = Step(name="say", input=Words, output=Words)
CONTEXT = StepContext(key="say/1", attempt=1)


class Shop:
    """Receipts over real files."""

    def __init__(self, root: Path) -> None:
        clock = FakeClock()
        self.root = root
        self.files = LocalFiles(clock)
        self.masker = Masker()
        self.recorder = EvidenceRecorder(
            self.files, clock, CountingIds(), self.masker, root / ".claude", None
        )
        self.calls = 0
        self.told: list[str] = []

    def receipts(self) -> Receipts:
        run = RunIds(session_id="s", task_id="task-1", run_id="run_001")
        note = Notes(self.recorder, run, self.told.append)
        return Receipts(self.files, note, self.root / "receipts", self.masker)

    async def work(self, given: Words) -> Words:
        self.calls += 1
        return Words(text=f"{given.text} {SECRET}", commit="c" * 40)


def leaks(root: Path) -> list[Path]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return [path for path in files if SECRET.encode() in path.read_bytes()]


async def test_a_step_is_done_once_even_for_a_new_owner(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    first = await shop.receipts().bind(SAY, shop.work)(Words(text="a"), CONTEXT)
    later = shop.receipts()
    again = await later.bind(SAY, shop.work)(Words(text="a"), CONTEXT)
    assert (first, shop.calls) == (again, 1)
    assert len(shop.told) == 1, "the task's log knows of it too"
    report = check(tmp_path / ".claude", None)
    assert (report.intact, report.committed) == (True, 1)


async def test_what_leaves_a_step_is_masked(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    output = await shop.receipts().bind(SAY, shop.work)(Words(text="a"), CONTEXT)
    assert SECRET not in output.text
    assert "[MASKED:" in output.text
    assert leaks(tmp_path) == []


async def test_a_failing_step_has_no_receipt_and_its_words_are_masked(tmp_path: Path) -> None:
    shop = Shop(tmp_path)

    async def fail(_: Words) -> Words:
        raise NeedsPersonError("git_failed", operation="push", reason=SECRET)

    receipts = shop.receipts()
    with pytest.raises(NeedsPersonError) as caught:
        await receipts.bind(SAY, fail)(Words(text="a"), CONTEXT)
    assert SECRET not in str(caught.value)
    await receipts.bind(SAY, shop.work)(Words(text="a"), CONTEXT)
    assert shop.calls == 1


async def test_without_evidence_there_is_no_receipt(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    (tmp_path / ".claude").write_text("in the way", encoding="utf-8")
    with pytest.raises(PmError, match="E301"):
        await shop.receipts().bind(SAY, shop.work)(Words(text="a"), CONTEXT)
    assert not (tmp_path / "receipts").exists()
