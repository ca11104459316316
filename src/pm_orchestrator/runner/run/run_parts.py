"""What the phases of one run share, made once when the run is wired."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.answer_book import AnswerBook
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.evidence.records.task_facts import FactsBook
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.places.place import Place
from pm_orchestrator.runner.records.notes import Notes
from pm_orchestrator.runner.run.judge import Judge, JudgeParts
from pm_orchestrator.runner.run.kept import Kept
from pm_orchestrator.runner.run.lifecycle import Announce
from pm_orchestrator.runner.run.steps import Analysis, RunOrder

if TYPE_CHECKING:
    from pm_orchestrator.runner.run.earlier_run import EarlierRun

SecondVoice = Callable[[str, OpenLog], Awaitable[TaskType | None]]
"""A model's opinion on the kind of work, where it has one; what it was asked is in the log."""


class EvidenceCheck(msgspec.Struct, frozen=True, kw_only=True):
    """How the evidence stands when the verdict is given."""

    missing: tuple[str, ...] = ()
    """Operations of this run that have no intact evidence."""
    warnings: tuple[Reason, ...] = ()
    """Damage from before, which is nobody's fault here."""


class RunParts(msgspec.Struct, frozen=True, kw_only=True):
    """Ports and places of one run."""

    order: RunOrder
    place: Place
    log: OpenLog
    kept: Kept
    note: Notes
    settings: Settings
    events: EventSink
    masker: Masker
    clock: Clock
    facts: FactsBook
    answers: AnswerBook
    entered: Announce
    """Puts the phase on the session's own record."""
    check_evidence: Callable[[], Awaitable[EvidenceCheck]]
    earlier: "EarlierRun | None" = None
    """What an earlier run of the task has left."""
    accepted: list[str] = msgspec.field(default_factory=list[str])
    """Sub-tasks that were proved so far."""
    second_voice: SecondVoice | None = None
    """Asked about instructions that no rule understands."""

    def requirement(self, analysis: Analysis) -> Requirement:
        """What the instruction asks for, with the instruction itself."""
        return replace(analysis.requirement, instruction=self.order.instruction)

    def judge(self) -> Judge:
        return Judge(
            JudgeParts(
                place=self.place,
                masker=self.masker,
                settings=self.settings,
                clock=self.clock,
                note=self.note,
            )
        )
