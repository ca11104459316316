"""A manager proposes how to split a task, the Runner approves.

Ids, tickets and limits are the Runner's. A proposal whose parts could not be
done side by side, or are larger than allowed, goes back with the reason.
"""

from pathlib import PurePosixPath

from pm_orchestrator.agents.manager import Manager, Proposal, ProposedSubTask, SplitQuestion
from pm_orchestrator.domain.ids import sub_ticket_id
from pm_orchestrator.domain.tasks.task import SubTask, TaskLimits
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.run.phases.decomposition import Split
from pm_orchestrator.runner.run.run_parts import RunParts

MAX_SUB_TASKS = 9
LARGEST_READ = 4 * 1024**2
"""Bytes of a file that a manager may look at."""
LONGEST_DESCRIPTION = 4_000
"""Characters: nine of them travel together in one step."""


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


def why_no_split(proposal: Proposal, named: int, limits: TaskLimits) -> str | None:
    """Why a task that names so many files is still too large for its parts, or None."""
    room = limits.max_files * len(proposal.sub_tasks)
    if named <= room:
        return None
    fewest = -(-named // limits.max_files)
    return f"it names {named} files: that takes at least {fewest} sub-tasks"


def _why_part_unusable(
    part: ProposedSubTask, limits: TaskLimits, taken: dict[str, str]
) -> str | None:
    reason = _why_words_unusable(part)
    if reason is not None:
        return reason
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


def _why_words_unusable(part: ProposedSubTask) -> str | None:
    if not part.title.strip() or not part.description.strip():
        return "a sub-task has no title or no description"
    if not part.acceptance_criteria:
        return f"sub-task {part.title!r} has no acceptance criterion"
    words = len(part.title) + len(part.description) + sum(map(len, part.acceptance_criteria))
    if words > LONGEST_DESCRIPTION:
        return f"sub-task {part.title[:40]!r} takes more than {LONGEST_DESCRIPTION} characters"
    return None


def approved_split(proposal: Proposal, parent: str) -> tuple[SubTask, ...]:
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


def proposed_by(manager: Manager) -> Split:
    """Have the manager split a task; its proposal comes back approved."""

    async def split(parts: RunParts, requirement: Requirement) -> tuple[SubTask, ...]:
        limits = parts.settings.task_limits.limits()
        base = await parts.place.look(None, ())

        async def read(paths: tuple[str, ...]) -> dict[str, bytes]:
            return await parts.place.read_some(base, paths, LARGEST_READ)

        question = SplitQuestion(
            instruction=requirement.instruction,
            files=await parts.place.listing(),
            read=read,
            max_files=limits.max_files,
            model=parts.order.model or "",
        )

        def review(made: Proposal) -> str | None:
            named = len(requirement.expected_files)
            return why_unusable(made, limits) or why_no_split(made, named, limits)

        proposal = await manager.propose(question, review)
        return approved_split(proposal, parts.order.ticket)

    return split
