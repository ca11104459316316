"""What runs have spent on models, read from the project's own book."""

from collections.abc import Collection

from pm_orchestrator.domain.company.spending import Spending
from pm_orchestrator.domain.history.report import Spent
from pm_orchestrator.evidence.spending.spend_book import SpendBook
from pm_orchestrator.runner.project.project import Project


def spend_book(project: Project) -> SpendBook:
    """The book of a project."""
    return SpendBook(project.files, project.paths.spending, project.clock)


def spent_by_run(project: Project) -> dict[str, Spent]:
    """By each run, what it has on its way at its most."""
    runs = spend_book(project).runs().items()
    return {run_id: _spent(run.total()) for run_id, run in runs if run.total().turns}


def spent_by_runs(project: Project, run_ids: Collection[str]) -> Spent | None:
    """By these together; None where nothing was counted."""
    runs = [run.total() for name, run in spend_book(project).runs().items() if name in run_ids]
    total = sum(runs, Spending())
    return _spent(total) if total.turns else None


def spent_by_task(project: Project, task_id: str, known: Spent) -> Spent:
    """By all runs of a task; `known` is what its log says, which holds for older ones."""
    runs = [run for run in spend_book(project).runs().values() if run.task_id == task_id]
    total = sum((run.total() for run in runs), Spending())
    if total.used.tokens < known.tokens:
        return known
    agents: dict[str, Spending] = {}
    for run in runs:
        for name, spending in run.agents.items():
            agents[name] = agents.get(name, Spending()) + spending
    shares = {name: _spent(spending) for name, spending in sorted(agents.items())}
    return _spent(total, known.seconds, shares)


def _spent(spending: Spending, seconds: int = 0, agents: dict[str, Spent] | None = None) -> Spent:
    used = spending.used
    return Spent(
        tokens=used.tokens,
        cost_usd=float(spending.usd) if spending.usd or not spending.unpriced_tokens else None,
        seconds=seconds,
        turns=spending.turns,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cached_tokens=used.cached_tokens,
        stored_tokens=used.stored_tokens,
        unpriced_tokens=spending.unpriced_tokens,
        estimated=used.estimated,
        agents=agents or {},
    )
