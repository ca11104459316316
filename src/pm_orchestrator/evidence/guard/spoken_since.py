"""Who else was at work on the project meanwhile: what is theirs may have changed by right.

Whoever works records evidence, and owns the session it works in. So what the chain got since
a moment, and who lives, tells another process of ours from somebody who is none.
"""

from collections.abc import Callable, Collection
from pathlib import Path

from pm_orchestrator.domain.record import MalformedRecordError, from_json
from pm_orchestrator.domain.tasks.evidence_record import ChainLink, Evidence
from pm_orchestrator.evidence.chain.links import chain_path, record_path
from pm_orchestrator.evidence.look.plain_open import open_file, try_read

Living = Callable[[], Collection[str]]
"""The sessions that have a living owner."""


class SpokenSince:
    """What the chain got after its first `size` bytes, up to the moment of each question.

    `own` is the session in which the work was done: its word does not count here.
    """

    def __init__(self, claude_dir: Path, size: int, own: str, living: Living) -> None:
        self._claude_dir = claude_dir
        self._size = size
        self._own = own
        self._living = living

    def records(self) -> tuple[Evidence, ...]:
        """Oldest first; whoever checks the chain names what is no record."""
        found: list[Evidence] = []
        for line in self._lines():
            try:
                link = from_json(ChainLink, line, "chain")
                data = try_read(record_path(self._claude_dir, link.evidence_id))
                if data is not None:
                    found.append(from_json(Evidence, data, link.evidence_id))
            except MalformedRecordError:
                continue
        return tuple(found)

    def others(self) -> frozenset[str]:
        """Sessions that others were, or are, at work in."""
        spoke = {Path(record.raw_logs).parts[1] for record in self.records()}
        return frozenset((*spoke, *self._living())) - {self._own}

    def _lines(self) -> list[bytes]:
        try:
            with open_file(chain_path(self._claude_dir)) as chain:
                chain.seek(self._size)
                added = chain.read()
        except OSError:
            return []
        return added[: added.rfind(b"\n") + 1].splitlines()
