"""Handing a company's finished run over: at its end, after an acceptance, or once more."""

from msgspec.structs import replace

from pm_orchestrator.agents.reviewer import write_review
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.runner.places.handover import Handover
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.run.steps import RunOrder
from pm_orchestrator.runner.tasks.run_orders import RunOrders


def handover_of(project: Project, order: RunOrder, repository: Repository) -> Handover:
    """What brings the work of one run to the user."""
    return Handover(
        run_id=order.run_id,
        ticket=order.ticket,
        project=project.paths.root,
        base=order.base,
        remote=order.remote,
        integration=project.settings.company.integration_branch,
        repository=repository,
        logs=RunLogs(project.paths.runs / order.run_id, project.masker, project.clock),
    )


async def deliver_again(project: Project, run_id: str, result: RunResult) -> RunResult:
    """Hand over what the run `run_id` made, and put it before a person where it is complete.

    Raises:
        PmError: E210 where the run never got to work, E801 when git fails.
    """
    order = RunOrders(project).read(run_id)
    repository = project.repository(project.paths.run(order.run_id))
    tree = result.gates.commit if result.gates is not None and result.changes else None
    complete = result.status is TaskStatus.COMPLETE
    delivered = await handover_of(project, order, repository).deliver(tree, complete=complete)
    end = replace(
        result,
        ticket_id=order.ticket,
        branch=delivered.branch,
        commit=tree,
        kept_refs=delivered.kept_refs,
        left_to_do=delivered.left_to_do,
        review_id=f"review-{order.run_id}" if complete and delivered.branch is not None else None,
    )
    if end.review_id is not None:
        review = write_review(end, order.target, iso(project.clock.now()))
        await project.reviews().propose(review)
    return end
