"""What a run may spend, from what was asked for it, the settings, and what was spent before."""

from decimal import Decimal

from msgspec import UNSET

from pm_orchestrator.bootstrap.shipped_models import price_of
from pm_orchestrator.dispatch.purse import Purse, PurseParts
from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.company.spending import Caps, Spending
from pm_orchestrator.domain.history.log_contents import ExecutorOutput
from pm_orchestrator.domain.setup.settings import BudgetSettings
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.evidence.spending.spend_book import CallSpent, LifeBegan
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


def note_told(project: Project, order: RunOrder, executor: str, told: list[ExecutorOutput]) -> None:
    """Put into the book what a program with an account of its own says that it has used."""
    book = spend_book(project)
    model = order.model or ""
    book.note(LifeBegan(run_id=order.run_id, task_id=order.task_id, way=order.way, model=model))
    for output in told:
        spent = _told(output)
        book.note(CallSpent(run_id=order.run_id, agent=executor, model=model, spent=spent))


def _told(output: ExecutorOutput) -> Spending:
    cached = output.tokens_cache_read_input or 0
    stored = output.tokens_cache_creation_input or 0
    used = TokenUsage(
        input_tokens=(output.tokens_input or 0) + cached + stored,
        output_tokens=output.tokens_output or 0,
        cached_tokens=cached,
        stored_tokens=stored,
    )
    # One that was cut off had no time to tell them apart.
    used = used if used.tokens else TokenUsage(input_tokens=output.tokens_used or 0, estimated=True)
    turns = output.turns or 1
    if output.cost_usd is UNSET:
        return Spending(turns=turns, used=used, unpriced_tokens=used.tokens)
    return Spending(turns=turns, used=used, usd=_exact(output.cost_usd) or Decimal(0))


def _of_run(budgets: BudgetSettings) -> Caps:
    return Caps(
        tokens=budgets.tokens,
        usd=_exact(budgets.usd),
        turns=budgets.turns,
        seconds=None if budgets.minutes is None else budgets.minutes * MINUTE,
    )


def _exact(amount: float | None) -> Decimal | None:
    return None if amount is None else Decimal(str(amount))
