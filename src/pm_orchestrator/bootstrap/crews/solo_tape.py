"""What a solo task is replayed from, or recorded on."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pm_orchestrator.adapters.gateway.recording import Recording


class SoloTape(msgspec.Struct):
    """Empty for nearly all tasks."""

    replay: Path | None = None
    record: Path | None = None
    recording: "Recording | None" = None
    """As soon as somebody was asked; in memory, as nobody takes up a solo run that was cut off."""

    @property
    def used(self) -> bool:
        return self.replay is not None or self.record is not None
