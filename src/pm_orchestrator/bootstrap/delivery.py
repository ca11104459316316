"""Handing a company's finished run over: at its end, after an acceptance, or once more."""

from msgspec.structs import replace

from pm_orchestrator.adapters.git.run.run_repository import RunRepository
from pm_orchestrator.agents.reviewer import write_review
from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.company_orders import CompanyOrders
from pm_orchestrator.bootstrap.reviews import reviews_of
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.places.handover import Handover
from pm_orchestrator.runner.run.steps import RunOrder


def run_repository(app: Application, directory: RunDirectory) -> RunRepository:
    """The repository of one run."""
    logs = RunLogs(directory.folder, app.masker, app.clock)
    return RunRepository(
        directory.repository,
        commands=app.commands,
        clock=app.clock,
        sink=lambda line: logs.json_line("git.log", line),
        user_env=app.environment.variables,
    )


def handover_of(app: Application, order: RunOrder, repository: RunRepository) -> Handover:
    """What brings the work of one run to the user."""
    return Handover(
        run_id=order.run_id,
        ticket=order.ticket,
        project=app.paths.root,
        base=order.base,
        remote=order.remote,
        integration=app.settings.company.integration_branch,
        repository=repository,
        logs=RunLogs(app.paths.runs / order.run_id, app.masker, app.clock),
    )


async def deliver_again(app: Application, run_id: str, result: RunResult) -> RunResult:
    """Hand over what the run `run_id` made, and put it before a person where it is complete.

    Raises:
        PmError: E210 where the run never got to work, E801 when git fails.
    """
    order = CompanyOrders(app).read(run_id)
    repository = run_repository(app, RunDirectory(app.paths.runs / order.run_id))
    tree = result.gates.commit if result.gates is not None and result.changes else None
    complete = result.status is TaskStatus.COMPLETE
    delivered = await handover_of(app, order, repository).deliver(tree, complete=complete)
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
        review = write_review(end, order.target, iso(app.clock.now()))
        await reviews_of(app).propose(review)
    return end
