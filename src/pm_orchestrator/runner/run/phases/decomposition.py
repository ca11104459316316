"""TASK_DECOMPOSITION: one piece stays one; otherwise somebody is asked to split it."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from pm_orchestrator.domain.history.run_events import PlanDetail, PlanEvent
from pm_orchestrator.domain.ids import sub_ticket_id
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import PLANNED, Analysis, Plan

if TYPE_CHECKING:
    from pm_orchestrator.runner.run.phases.backlog import Backlog

TITLE_LENGTH = 72
Split = Callable[[RunParts, Requirement], Awaitable[tuple[SubTask, ...]]]
"""Makes several sub-tasks of one task."""


def the_task_itself(requirement: Requirement, parent: str) -> SubTask:
    """The task as its own only part."""
    first_line = next((line for line in requirement.instruction.splitlines() if line.strip()), "")
    return SubTask(
        ticket=sub_ticket_id(parent, 1),
        parent_id=parent,
        title=cut_between_words(" ".join(first_line.split()), TITLE_LENGTH) or "task",
        description=requirement.instruction,
        acceptance_criteria=("The instruction is carried out, and the project's checks pass.",),
        expected_files=requirement.expected_files,
    )


class Decomposition:
    """The body of the second phase; with nobody to split it every task is one piece."""

    def __init__(self, parts: RunParts, split: Split | None, backlog: "Backlog | None") -> None:
        self._parts = parts
        self._split = split
        self._backlog = backlog

    async def decompose(self, given: Analysis) -> Plan:
        """Split it where that helps, number the parts, and put them into the backlog."""
        plan = await self._plan(given)
        if self._backlog is not None:
            for sub_task in plan.sub_tasks:
                await self._backlog.put(sub_task, "todo")
        if self._split is not None:
            titles = PlanDetail(titles={s.ticket: s.title for s in plan.sub_tasks})
            planned = PlanEvent(subject=self._parts.order.ticket, detail=titles)
            await self._parts.events.publish(planned)
        await self._parts.kept.keep(PLANNED, plan)
        return plan

    async def _plan(self, given: Analysis) -> Plan:
        parts, requirement = self._parts, self._parts.requirement(given)
        earlier = parts.earlier.plan() if parts.earlier is not None else None
        if earlier is not None:
            return earlier
        limits = parts.settings.task_limits.limits()
        fits = len(requirement.expected_files) <= limits.max_files
        # Where nobody can split it, it is done as it is: what overruns a limit waits for a person.
        if self._split is None or (fits and _is_one_piece(requirement)):
            only = the_task_itself(requirement, parts.order.ticket)
            return Plan(sub_tasks=(only,), whole=True)
        sub_tasks = await self._split(parts, requirement)
        return Plan(sub_tasks=sub_tasks, whole=False)


def _is_one_piece(requirement: Requirement) -> bool:
    # Asked only where there is somebody who could split it.
    from pm_orchestrator.runner.instructions.one_piece import is_one_piece

    return is_one_piece(requirement)
