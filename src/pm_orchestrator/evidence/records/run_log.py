"""Plain log files of a run: masked lines, most of them with a time, for people.

They are a convenience; proof is in the evidence. So a line costs one write, which
the system takes at once, and no fsync.
"""

from pathlib import Path

import msgspec

from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.evidence.look.plain_open import append_to
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact_tree
from pm_orchestrator.ports.clock import Clock


class RunLogs:
    """Appends lines to the log files of one run."""

    def __init__(self, folder: Path, masker: Masker, clock: Clock) -> None:
        self._folder = folder
        self._masker = masker
        self._clock = clock

    async def line(self, name: str, text: str) -> None:
        """One line with the time in front."""
        await self.entry(name, f"{iso(self._clock.now())} {text}")

    async def entry(self, name: str, text: str) -> None:
        """One line as it is, whatever the text contains."""
        flat = " ".join(self._masker.mask(text).text.split())
        append_to(self._folder / name, f"{flat}\n".encode())

    async def json_line(self, name: str, text: str) -> None:
        """One JSON value on a line of its own, masked inside so that it stays one."""
        tree = redact_tree(msgspec.json.decode(text), self._masker)
        append_to(self._folder / name, to_json(tree) + b"\n")
