"""What a pruning did, for a person."""

from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.evidence.chain.pruning import PruneReport

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def prune_page(report: PruneReport, lang: Lang) -> str:
    """What went, or would go, and what is left."""
    until = report.before[:10]
    key = "prune_none" if not report.pruned else "prune_dry" if report.dry_run else "prune_done"
    went = say(key, lang, count=report.pruned, size=_size(report.freed_bytes), date=until)
    left = say("prune_left", lang, count=report.kept, size=_size(report.kept_bytes))
    return f"{went}\n{left}"


def _size(count: int) -> str:
    amount, unit = float(count), 0
    while amount >= 1024 and unit < len(UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:.1f} {UNITS[unit]}" if unit else f"{count} B"
