"""Everything of ours that lies beside the evidence, under one seal."""

from collections.abc import Callable
from pathlib import Path

from pm_orchestrator.evidence.guard.proved_files import damage_to
from pm_orchestrator.evidence.guard.sealed_part import Difference, SealedPart
from pm_orchestrator.evidence.guard.spoken_since import Living, SpokenSince
from pm_orchestrator.evidence.guard.tamper import Seal
from pm_orchestrator.evidence.guard.way_to_records import clear_way


class BesideEvidence:
    """What the latest records prove, and `parts` that each know their own files.

    `living` names the sessions that somebody works in.
    """

    def __init__(self, claude_dir: Path, parts: tuple[SealedPart, ...], living: Living) -> None:
        self._claude_dir = claude_dir
        self._parts = parts
        self._living = living

    def seal(self, records: Seal) -> Callable[[], Difference]:
        """Take down how it is beside these records; what is returned compares it later."""
        own = records.session_id
        parts = tuple(part.seal(own, records.sessions) for part in self._parts)
        since = SpokenSince(self._claude_dir, records.chain.size, own, self._living)

        def compare() -> Difference:
            found = [damage_to(records.proved), *(part(since) for part in parts)]
            back = {path: data for each in found for path, data in each.put_back.items()}
            if back:
                clear_way(self._claude_dir.parent, back, (self._claude_dir,))
            return Difference(
                altered=tuple(dict.fromkeys(path for each in found for path in each.altered)),
                put_back=back,
                gone=tuple(path for each in found for path in each.gone),
                rewritten=tuple(path for each in found for path in each.rewritten),
                lost=found[0].lost,
            )

        return compare
