"""TASK_DECOMPOSITION: the manager proposes, the Runner approves.

Ids, tickets and limits are the Runner's. A proposal whose parts could not be
done side by side, or are larger than allowed, goes back with the reason.
"""

from pathlib import PurePosixPath

from pm_orchestrator.agents.manager import Manager, Proposal, ProposedSubTask, Question
from pm_orchestrator.domain.ids import sub_ticket_id
from pm_orchestrator.domain.naming import sub_task_file
from pm_orchestrator.domain.task import SubTask, TaskLimits
from pm_orchestrator.runner.run_parts import RunParts
from pm_orchestrator.runner.steps import DecomposeInput, Plan

MAX_SUB_TASKS = 9
LISTED_FILES = 400


def why_unusable(proposal: Proposal, limits: TaskLimits) -> str | None:
    """Why a proposal cannot be carried out as it stands, or None."""
    if not 1 <= len(proposal.sub_tasks) <= MAX_SUB_TASKS:
        return f"there must be 1 to {MAX_SUB_TASKS} sub-tasks, not {len(proposal.sub_tasks)}"
    taken: dict[str, str] = {}
    for part in proposal.sub_tasks:
        reason = _why_part_unusable(part, limits, taken)
        if reason is not None:
            return reason
    return None


def _why_part_unusable(
    part: ProposedSubTask, limits: TaskLimits, taken: dict[str, str]
) -> str | None:
    if not part.title.strip() or not part.description.strip():
        return "a sub-task has no title or no description"
    if not part.acceptance_criteria:
        return f"sub-task {part.title!r} has no acceptance criterion"
    if len(part.expected_files) > limits.max_files:
        count = len(part.expected_files)
        return f"sub-task {part.title!r} needs {count} files, allowed are {limits.max_files}"
    for name in part.expected_files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            return f"{name!r} is not a path inside the project"
        if str(path) in taken:
            return f"{name} is in two sub-tasks: {taken[str(path)]!r} and {part.title!r}"
        taken[str(path)] = part.title
    return None


def approve(proposal: Proposal, parent: str) -> tuple[SubTask, ...]:
    """The proposal as sub-tasks of `parent`, numbered by the Runner."""
    return tuple(
        SubTask(
            ticket=sub_ticket_id(parent, number),
            parent_id=parent,
            title=" ".join(part.title.split()),
            description=part.description,
            acceptance_criteria=part.acceptance_criteria,
            expected_files=tuple(str(PurePosixPath(f)) for f in part.expected_files),
            estimated_effort=part.estimated_effort,
        )
        for number, part in enumerate(proposal.sub_tasks, start=1)
    )


def backlog_page(sub_task: SubTask) -> str:
    """The sub-task as a page for people."""
    criteria = "\n".join(f"- {c}" for c in sub_task.acceptance_criteria)
    files = "\n".join(f"- {f}" for f in sub_task.expected_files) or "- (none named)"
    return (
        f"# {sub_task.ticket} {sub_task.title}\n\n"
        f"parent: {sub_task.parent_id}\nstatus: todo\neffort: {sub_task.estimated_effort}\n\n"
        f"{sub_task.description}\n\n## Done means\n\n{criteria}\n\n## Expected files\n\n{files}\n"
    )


class Decomposition:
    """The body of the second phase in a company run."""

    def __init__(self, parts: RunParts, manager: Manager) -> None:
        self._parts = parts
        self._manager = manager

    async def decompose(self, given: DecomposeInput) -> Plan:
        """Ask, judge, number, and put the sub-tasks into the backlog."""
        limits = self._parts.settings.task_limits.limits()
        listing = await self._parts.repository.files(given.analysis.base)
        question = Question(
            instruction=given.order.instruction,
            files=listing[:LISTED_FILES],
            max_files=limits.max_files,
            model=given.order.model,
        )
        proposal = await self._manager.propose(
            question, lambda proposed: why_unusable(proposed, limits)
        )
        sub_tasks = approve(proposal, given.order.ticket)
        for sub_task in sub_tasks:
            name = sub_task_file(sub_task.parent_id, sub_task.sub_id)
            page = backlog_page(sub_task).encode()
            await self._parts.files.replace(self._parts.paths.backlog / name, page)
        titles = {s.ticket: s.title for s in sub_tasks}
        await self._parts.events.publish("plan", given.order.ticket, titles=titles)
        return Plan(sub_tasks=sub_tasks)
