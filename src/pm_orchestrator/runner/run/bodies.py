"""The bodies of a run's steps, put together over its parts."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pm_orchestrator.domain.history.run_events import PhaseEvent
from pm_orchestrator.ports.engine import Body, Step
from pm_orchestrator.runner.records.notes import Notes
from pm_orchestrator.runner.run import steps
from pm_orchestrator.runner.run.lifecycle import together
from pm_orchestrator.runner.run.phases.analysis import RequirementAnalysis
from pm_orchestrator.runner.run.phases.decomposition import Decomposition, Split
from pm_orchestrator.runner.run.phases.execution import Execution
from pm_orchestrator.runner.run.phases.planning import Planning
from pm_orchestrator.runner.run.phases.reporting import PutForward, Reporting
from pm_orchestrator.runner.run.phases.validation import Validation
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import PhaseEntered, StepWork

if TYPE_CHECKING:
    from pm_orchestrator.runner.run.phases.backlog import Backlog

Bind = Callable[[Step[Any, Any], StepWork], Body]
"""Makes a step's body of the work in it."""


class Others(msgspec.Struct, frozen=True, kw_only=True):
    """Who takes part besides whoever does the work; nobody in solo."""

    split: Split | None = None
    backlog: "Backlog | None" = None
    put_forward: PutForward | None = None
    merging: Mapping[Step[Any, Any], StepWork] = {}


def bodies(parts: RunParts, bind: Bind, others: Others) -> dict[str, Body]:
    """Every step of the run by its name."""

    async def enter_phase(given: PhaseEntered) -> PhaseEntered:
        await parts.entered(given.phase)
        await parts.events.publish(PhaseEvent(subject=given.phase))
        return given

    execution = Execution(parts, others.backlog)
    reporting = Reporting(parts, others.put_forward, others.backlog)
    work: dict[Step[Any, Any], StepWork] = {
        steps.ENTER_PHASE: enter_phase,
        steps.ANALYSE: RequirementAnalysis(parts).analyse,
        steps.DECOMPOSE: Decomposition(parts, others.split, others.backlog).decompose,
        steps.PLAN: Planning(parts).plan,
        steps.ATTEMPT: execution.attempt,
        steps.EXAMINE: execution.examine,
        **others.merging,
        steps.VALIDATE: Validation(parts).validate,
        steps.DELIVER: reporting.deliver,
        steps.REPORT: reporting.report,
    }
    return {step.name: bind(step, do) for step, do in work.items()}


def plainly(note: Notes) -> Bind:
    """For a run without a journal: the work itself, and the record of each phase beside it."""

    def bind(step: Step[Any, Any], work: StepWork) -> Body:
        if step is not steps.ENTER_PHASE:
            return lambda given, _: work(given)

        async def body(given: Any, _: object) -> Any:
            # Two durable writes side by side cost the disk one wait.
            await together(_done(note("enter_phase", given.phase)), _done(work(given)))
            return given

        return body

    return bind


async def _done(work: Awaitable[object]) -> None:
    await work
