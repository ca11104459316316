"""What an executor with an account of its own says that it has used."""

from decimal import Decimal

from msgspec import UNSET

from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.company.spending import Spending
from pm_orchestrator.domain.history.log_contents import ExecutorOutput
from pm_orchestrator.evidence.spending.spend_book import CallSpent, LifeBegan
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.spent_on_models import spend_book
from pm_orchestrator.runner.run.steps import RunOrder


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
    return Spending(turns=turns, used=used, usd=Decimal(str(output.cost_usd)))
