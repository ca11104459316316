"""The verdict and the report of runs in which little or nothing could be looked at."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

import msgspec
import pytest
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.domain.judging.outcome import Facts, Reason
from pm_orchestrator.domain.setup.settings import default_settings
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.task_facts import FactsBook
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.gates.judge.hard_limits import MeasuredUse, used_together
from pm_orchestrator.runner.places.place import Delivered
from pm_orchestrator.runner.run.examined import Examined, examination, kept_as
from pm_orchestrator.runner.run.kept import KeptInMemory
from pm_orchestrator.runner.run.lifecycle import Lifecycle, together
from pm_orchestrator.runner.run.phases import execution
from pm_orchestrator.runner.run.phases.backlog import Backlog
from pm_orchestrator.runner.run.phases.execution import Execution
from pm_orchestrator.runner.run.phases.reporting import Reporting
from pm_orchestrator.runner.run.phases.validation import Validation
from pm_orchestrator.runner.run.run_parts import EvidenceCheck, RunParts
from pm_orchestrator.runner.run.steps import (
    ExamineInput,
    Integration,
    ReportInput,
    RunOrder,
    ValidateInput,
    Verdict,
    WorkDone,
)
from pm_orchestrator.testing.data.any_record import sample
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles
from pm_orchestrator.testing.memory.memory_place import MemoryPlace
from pm_orchestrator.testing.memory.memory_recorder import MemoryRecorder

TICKET = "20260115-ab12-01"
NOTHING = Facts(commit="c1", changes=(), expected_files=(), missing_files=(), gates=None)
NOT_DONE = Reason(key="part_stopped", params={"what": "the model is busy"})


class Run:
    """What the last phases of one run stand on, in memory."""

    def __init__(self) -> None:
        self.kept = KeptInMemory()
        self.files = MemoryFiles()
        self.records = MemoryRecorder()
        nobody = cast("Any", None)
        unanswered: Any = SimpleNamespace(log=SimpleNamespace(events=()))
        self.parts = RunParts(
            order=msgspec.convert(sample(RunOrder), RunOrder),
            place=MemoryPlace({}, {}),
            log=unanswered,
            kept=self.kept,
            note=self.records.notes(),
            settings=default_settings(),
            events=nobody,
            masker=Masker(()),
            clock=FakeClock(),
            facts=FactsBook(self.files, Path("/p/.claude"), Masker(())),
            answers=nobody,
            entered=nobody,
            check_evidence=self._intact,
        )

    @staticmethod
    async def _intact() -> EvidenceCheck:
        return EvidenceCheck()

    async def examined(self, name: str, facts: Facts = NOTHING) -> Examined:
        record = replace(
            msgspec.convert(sample(Examined), Examined), outcome=decide(facts), findings=()
        )
        result = replace(record.result, question=None, denied_calls=())
        record = replace(record, result=result)
        await self.kept.keep(name, record)
        return record

    async def report(self, *work: WorkDone) -> RunResult:
        await self.kept.keep("facts", NOTHING)
        given = ReportInput(
            work=work,
            integration=Integration(tree=None, merged=(), left_out={}, facts=None),
            verdict=Verdict(status=TaskStatus.INCOMPLETE, reason=NOT_DONE, facts="facts"),
            delivered=Delivered(),
        )
        backlog = Backlog(self.files, Path("/p/backlog"))
        end = await Reporting(self.parts, backlog=backlog).report(given)
        return self.kept.read(RunResult, end.result)


def work(*attempts: int) -> WorkDone:
    record = msgspec.convert(sample(WorkDone), WorkDone)
    sub_task = replace(record.sub_task, ticket=TICKET, parent_id="20260115-ab12")
    return replace(record, sub_task=sub_task, attempts=attempts, examined=None, failure=None)


@pytest.fixture
def run() -> Run:
    return Run()


async def test_work_that_nobody_could_look_at_is_reported_without_a_claim(run: Run) -> None:
    result = await run.report(work(1))
    assert (result.claim, result.status) == (None, TaskStatus.INCOMPLETE)
    assert b"status: todo" in next(iter(run.files.disk.values()))


async def test_the_last_attempt_that_was_looked_at_speaks(run: Run) -> None:
    seen = await run.examined(kept_as(TICKET, 1))
    result = await run.report(work(1, 2))
    assert result.claim == seen.result.claim


async def test_what_an_earlier_run_delivered_is_reported_with_its_claim(run: Run) -> None:
    seen = await run.examined("earlier")
    done = replace(work(), examined=examination(seen.outcome, "earlier"))
    result = await run.report(done)
    assert result.claim == seen.result.claim


class Parted(MemoryPlace):
    """A place where parts of the work are done apart."""

    @property
    @override
    def splits(self) -> bool:
        return True


async def test_an_attempt_that_is_looked_at_again_is_not_counted_twice(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that was cut off after its look is done once more; what came before it counts."""
    counted: list[int | None] = []

    def together_(uses: Sequence[MeasuredUse]) -> MeasuredUse:
        counted.extend(use.seconds for use in uses)
        return used_together(uses)

    monkeypatch.setattr(execution, "used_together", together_)
    for number in (1, 2, 3):
        seen = await run.examined(kept_as(TICKET, number))
        result = replace(seen.result, seconds=10 * number)
        await run.kept.keep(kept_as(TICKET, number), replace(seen, result=result))
    given = msgspec.convert(sample(ExamineInput), ExamineInput)
    result = replace(given.result, ticket=TICKET, attempt=2, seconds=7, question=None)
    assignment = replace(given.assignment, attempt=2)
    requirement = replace(given.analysis.requirement, task_type=TaskType.IMPLEMENTATION)
    analysis = replace(given.analysis, on_base=None, refs=None, requirement=requirement)
    given = replace(given, whole=False, result=result, assignment=assignment, analysis=analysis)
    quiet: Any = SimpleNamespace(publish=AsyncMock())
    parts = replace(run.parts, place=Parted({}, {}), events=quiet)
    await Execution(parts).examine(given)
    assert counted == [10, 7]


@pytest.mark.parametrize("on_base", [None, "base"])
async def test_where_nothing_was_brought_together_the_tree_itself_is_looked_at(
    run: Run, on_base: str | None
) -> None:
    given = msgspec.convert(sample(ValidateInput), ValidateInput)
    requirement = replace(
        given.analysis.requirement, effects=(Effect(kind="directory", name="docs"),)
    )
    given = replace(
        given,
        analysis=replace(given.analysis, requirement=requirement, on_base=on_base, refs=None),
        tickets=(TICKET,),
        integration=Integration(tree=None, merged=(), left_out={TICKET: NOT_DONE}, facts=None),
    )
    if on_base is not None:
        from pm_orchestrator.domain.judging.gate import GateReport

        await run.kept.keep(on_base, GateReport(commit="c0", results=()))
    verdict = await Validation(run.parts).validate(given)
    facts = run.kept.read(Facts, verdict.facts)
    assert verdict.status is TaskStatus.INCOMPLETE
    assert (facts.left_out, facts.comparisons) == ({TICKET: NOT_DONE}, ())
    assert [effect.name for effect in facts.unmet] == ["docs"]


async def test_a_phase_that_cannot_be_written_down_is_not_entered() -> None:
    async def broken() -> None:
        raise LookupError("the disk is gone")

    async def fine(phase: Phase | None = None) -> None:
        written.append(phase)

    written: list[Phase | None] = []
    with pytest.raises(LookupError, match="the disk is gone"):
        await together(fine(), broken())
    life = Lifecycle(fine)
    await life.enter(Phase.REQUIREMENT_ANALYSIS)
    assert written == [None, Phase.REQUIREMENT_ANALYSIS]
