"""What a pruning did, for a person."""

import msgspec

from pm_orchestrator.bootstrap.sandboxing.project_layer import LayerPruning
from pm_orchestrator.cli.pages.sizes import size_text
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.evidence.chain.pruning import PruneReport


class PruneEnd(PruneReport, frozen=True, kw_only=True):
    """What a pruning did in the project, and to the user's layers."""

    layers: LayerPruning


def prune_end(report: PruneReport, layers: LayerPruning) -> PruneEnd:
    """Both in one."""
    return PruneEnd(**msgspec.structs.asdict(report), layers=layers)


def prune_page(report: PruneEnd, lang: Lang) -> str:
    """What went, or would go, and what is left."""
    until = report.before[:10]
    key = "prune_none" if not report.pruned else "prune_dry" if report.dry_run else "prune_done"
    went = say(key, lang, count=report.pruned, size=size_text(report.freed_bytes), date=until)
    left = say("prune_left", lang, count=report.kept, size=size_text(report.kept_bytes))
    lines, layers = [went, left], report.layers
    if layers.pruned or layers.kept:
        key = "prune_layers_dry" if report.dry_run else "prune_layers"
        freed, kept = size_text(layers.freed_bytes), size_text(layers.kept_bytes)
        lines.append(
            say(key, lang, count=layers.pruned, size=freed, left=layers.kept, left_size=kept)
        )
    return "\n".join(lines)
