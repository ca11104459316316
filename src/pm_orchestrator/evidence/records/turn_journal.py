"""The turns of an attempt as they are written down: masked, one line each, durable at once."""

from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.domain.company.kept_turns import KeptTurn
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.evidence.records.record_journal import RecordJournal
from pm_orchestrator.ports.store import DurableFiles


class TurnJournal:
    """The file of one attempt."""

    def __init__(self, files: DurableFiles, path: Path, masker: Masker) -> None:
        self._lines = RecordJournal(files, path, KeptTurn)
        self._masker = masker

    def read(self) -> list[KeptTurn]:
        """All that was kept.

        Raises:
            MalformedRecordError: E302 for a line that is no turn.
        """
        return self._lines.read()

    async def add(self, turn: KeptTurn) -> None:
        """Keep one more; of an answer that is masked, its vendor would not know its own words."""
        clean = redact(turn, self._masker)
        if clean != turn:
            reply = clean.reply
            if reply is not None:
                reply = replace(reply, message=replace(reply.message, verbatim=None))
            clean = replace(clean, masked=True, reply=reply)
        await self._lines.mend()
        await self._lines.add(clean)
