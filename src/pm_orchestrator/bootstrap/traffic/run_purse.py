"""What a run may spend, from what was asked for it, the settings, and what was spent before."""

from decimal import Decimal

from pm_orchestrator.bootstrap.shipped_models import price_of
from pm_orchestrator.dispatch.purse import Purse, PurseParts
from pm_orchestrator.domain.company.spending import Caps
from pm_orchestrator.domain.setup.settings import BudgetSettings
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.spent_on_models import spend_book
from pm_orchestrator.runner.run.steps import RunOrder

MINUTE = 60


def open_purse(project: Project, run: RunIds, asked: Caps | None) -> Purse:
    """The purse of a run that begins, or is taken up again."""
    budgets = project.settings.budgets
    return Purse(
        PurseParts(
            run_id=run.run_id,
            task_id=run.task_id,
            book=spend_book(project),
            files=project.files,
            clock=project.clock,
            price_of=lambda _, model: price_of(model, budgets.prices),
            asked=asked or Caps(),
            caps=_of_run(budgets),
            daily=Caps(tokens=budgets.tokens_per_day, usd=_exact(budgets.usd_per_day)),
        )
    )


def begun_purse(project: Project, order: RunOrder, asked: Caps | None) -> Purse:
    """The same, with a line in the book that says that it is at it."""
    purse = open_purse(project, order, asked)
    purse.begin(order.way, order.model or "")
    return purse


def _of_run(budgets: BudgetSettings) -> Caps:
    return Caps(
        tokens=budgets.tokens,
        usd=_exact(budgets.usd),
        turns=budgets.turns,
        seconds=None if budgets.minutes is None else budgets.minutes * MINUTE,
    )


def _exact(amount: float | None) -> Decimal | None:
    return None if amount is None else Decimal(str(amount))
