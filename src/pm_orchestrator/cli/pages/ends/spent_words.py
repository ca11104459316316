"""What was spent on models, in words."""

from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.history.report import Spent
from pm_orchestrator.domain.text import Lang

ABOUT = "~"
"""Before what is an estimate."""


def spent_words(spent: Spent, lang: Lang) -> list[str]:
    """Tokens and money, as far as they are known."""
    parts: list[str] = []
    if spent.tokens:
        count = f"{ABOUT if spent.estimated else ''}{spent.tokens:,}"
        parts.append(tell("spent_tokens", lang, count=count))
    if spent.cost_usd is not None:
        parts.append(f"${spent.cost_usd:.4f}")
    return parts
