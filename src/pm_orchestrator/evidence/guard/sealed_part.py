"""Parts of our records beside the evidence itself, each sealed and compared in its own way."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from pm_orchestrator.evidence.guard.spoken_since import SpokenSince


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What became of sealed files without a process of ours doing it."""

    altered: tuple[Path, ...] = ()
    put_back: dict[Path, bytes] = {}
    """How these were; what is not here is known to be false by what the chain says of it."""
    gone: tuple[Path, ...] = ()
    """Only taken away, which a person who clears up does in good faith: no lie, and named."""
    rewritten: tuple[Path, ...] = ()
    """Written by nobody of ours, perhaps with what was in them: what that was is not known."""
    lost: dict[str, Path] = {}
    """Of these, what evidence rested on, by the id of its record."""


Compare = Callable[[SpokenSince], Difference]


class SealedPart(Protocol):
    """Takes down how some files are now."""

    def seal(self, session_id: str, sessions: tuple[str, ...]) -> Compare:
        """What compares them later; work is done in `session_id`, one of `sessions`."""
        ...
