"""What an earlier run of the same task has left: its plan, and how far each part has got."""

from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.domain.company.assignment import Assignment
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.runner.run.examined import Examined, examination, kept_as
from pm_orchestrator.runner.run.kept import Kept
from pm_orchestrator.runner.run.steps import PLANNED, Begun, Plan


class EarlierRun:
    """Reads what the run `before` kept, and brings what it delivered into this one."""

    def __init__(self, before: Kept, mine: Kept, repository: Repository, project: Path) -> None:
        self._before = before
        self._mine = mine
        self._repository = repository
        self._project = project

    def plan(self) -> Plan | None:
        """The plan it worked by; None where it did not get so far."""
        try:
            return self._before.read(Plan, PLANNED)
        except FileNotFoundError:
            return None

    async def begun(self, first: Assignment) -> Begun:
        """Where a sub-task stands: at its beginning, or after its last examined attempt."""
        ticket = first.sub_task.ticket
        number, last, name = 0, None, ""
        # All of them are taken over: the run after this one counts from the first as well.
        while (found := self._examined(ticket, number + 1)) is not None:
            number, last = number + 1, found
            name = await self._mine.keep(kept_as(ticket, number), found)
        if last is None:
            return Begun(assignment=first)
        commit = last.outcome.facts.commit
        if commit is not None:
            await self._repository.import_base(self._project, commit)
            await self._repository.set_branch(first.branch, commit)
        return Begun(
            assignment=replace(first, attempt=number, start=commit or first.start),
            done=examination(last.outcome, name, last.result),
        )

    def _examined(self, ticket: str, number: int) -> Examined | None:
        try:
            return self._before.read(Examined, kept_as(ticket, number))
        except FileNotFoundError:
            return None
