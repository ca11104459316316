"""Conversations with models that outlive a task, so that the next one goes on in them.

They are stored masked, as everything is, and go on from what is stored: a secret that was
said once is not said to the vendor again.
"""

from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.domain.company.model_conversation import ConversationHistory, Message
from pm_orchestrator.domain.ids import safe_name
from pm_orchestrator.domain.record import MalformedRecordError, from_json, to_file
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

MOST_KEPT = 100


class Conversations:
    """One file for each, named by when it was last gone on with and by its id."""

    def __init__(self, files: DurableFiles, folder: Path, masker: Masker, clock: Clock) -> None:
        self._files = files
        self._folder = folder
        self._masker = masker
        self._clock = clock

    def read(self, name: str) -> tuple[Message, ...] | None:
        """What was said in it; None where it is not known any more."""
        try:
            for file in self._stored(name):
                data = self._files.read(self._folder / file)
                return from_json(ConversationHistory, data, name).messages
        except (FileNotFoundError, MalformedRecordError):
            return None
        return None

    async def keep(self, name: str, history: ConversationHistory) -> None:
        """Store it in place of what was stored before; the oldest of too many are given up."""
        masked = tuple(self._masked(message) for message in history.messages)
        stored = redact(replace(history, messages=()), self._masker)
        before = self._stored(name)
        file = f"{self._clock.now():%Y%m%dT%H%M%S%f}-{name}.json"
        await self._files.replace(self._folder / file, to_file(replace(stored, messages=masked)))
        old = {*before, *self._files.names(self._folder)[:-MOST_KEPT]} - {file}
        await self._files.remove([self._folder / each for each in sorted(old)])

    def _masked(self, message: Message) -> Message:
        masked = redact(message, self._masker)
        # A vendor that signs its reasoning refuses it with a word changed.
        return masked if masked == message else replace(masked, verbatim=None)

    def _stored(self, name: str) -> tuple[str, ...]:
        end = f"-{safe_name(name, 'conversation')}.json"
        return tuple(file for file in self._files.names(self._folder) if file.endswith(end))
