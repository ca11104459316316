"""REPORT: what was proved, for people and programs, and the way to a person's approval."""

from collections.abc import Callable
from pathlib import Path

from pm_orchestrator.agents.reviewer import write_review
from pm_orchestrator.domain.evidence import EvidenceInventory
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.naming import integration_branch
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.report import RunResult
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.ports.forge import Forge
from pm_orchestrator.runner.run_parts import RunParts
from pm_orchestrator.runner.run_report import run_report, summary_page, work_results
from pm_orchestrator.runner.steps import ReportInput


class Reporting:
    """The body of the last phase."""

    def __init__(
        self,
        parts: RunParts,
        forge: Forge,
        inventory: Callable[[], EvidenceInventory],
        evidence_ids: Callable[[], dict[str, str]],
    ) -> None:
        self._parts = parts
        self._forge = forge
        self._inventory = inventory
        self._evidence_ids = evidence_ids

    async def report(self, given: ReportInput) -> RunResult:
        """Bring the branches home, propose the review, write the result."""
        complete = given.outcome.status is TaskStatus.COMPLETE
        branch = await self._bring_home(given)
        limits = self._parts.settings.task_limits.limits()
        result = RunResult(
            run_id=given.order.run_id,
            ticket_id=given.order.ticket,
            status=given.outcome.status,
            reason=given.outcome.because(),
            instruction=given.order.instruction,
            branch=branch,
            commit=given.outcome.facts.commit,
            changes=given.outcome.facts.changes,
            gates=given.outcome.facts.gates,
            left_out=given.integration.left_out,
            report=run_report(given, limits, self._inventory(), self._evidence_ids()),
            work=work_results(given),
            review_id=f"review-{given.order.run_id}" if complete else None,
            unenforced_limits=_unenforced(given),
        )
        if complete and branch is not None:
            await self._propose(given, result, branch)
        directory = self._parts.directory
        await self._parts.files.replace(directory.result, to_file(result))
        await self._parts.files.replace(directory.summary, summary_page(result).encode())
        return result

    async def _bring_home(self, given: ReportInput) -> str | None:
        """All branches and rescued work go to the user's repository, whatever the verdict."""
        refs = [f"refs/heads/{w.branch}" for w in given.work if w.outcome.facts.commit]
        refs += [a.rescue_ref for w in given.work for a in w.attempts if a.rescue_ref]
        branch = None
        if given.integration.merged:
            branch = integration_branch(given.order.ticket)
            await self._parts.repository.set_branch(branch, given.integration.commit)
            refs.append(f"refs/heads/{branch}")
        if refs:
            project = Path(given.order.project)
            await self._parts.repository.export(project, tuple(dict.fromkeys(refs)))
        return branch

    async def _propose(self, given: ReportInput, result: RunResult, branch: str) -> None:
        """Only what is COMPLETE goes to the remote and before a person."""
        if given.order.remote is not None:
            project = Path(given.order.project)
            await self._parts.repository.push(project, given.order.remote, branch)
        now = iso(self._parts.clock.now())
        await self._forge.propose(write_review(result, given.order.target, now))


def _unenforced(given: ReportInput) -> tuple[str, ...]:
    names = (n for w in given.work for a in w.attempts for n in a.unenforced_limits)
    return tuple(dict.fromkeys(names))
