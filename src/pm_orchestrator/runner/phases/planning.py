"""PLANNING: branches, starting points and turns for every sub-task. Pure."""

from pm_orchestrator.domain.assignment import Assignment
from pm_orchestrator.domain.naming import branch_name
from pm_orchestrator.runner.steps import PlanInput, Schedule


async def plan(given: PlanInput) -> Schedule:
    """The first attempt at each sub-task, all from the same base and all at once."""
    return Schedule(
        first_assignments=tuple(
            Assignment(
                run_id=given.order.run_id,
                task_id=given.order.task_id,
                sub_task=sub_task,
                branch=branch_name(sub_task.ticket, sub_task.title),
                start=given.analysis.base,
                attempt=1,
                feedback="",
                model=given.order.model,
                max_turns=given.order.max_turns,
            )
            for sub_task in given.plan.sub_tasks
        )
    )
