"""The settings while a task runs in the project directory: a copy outside of it counts.

They choose the gates and the limits. Whoever alters them meanwhile is seen by the guard; where
the Runner was killed first, by whoever starts next: it works with the copy, and puts it back.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.evidence.guard.way_to_records import put_aside
from pm_orchestrator.ports.store import DurableFiles

OUR_KEYS = frozenset(field.name for field in msgspec.structs.fields(Settings))


class HeldSettings:
    """`head_file` is the copy of the chain's head, which the copy of the settings lies beside.

    `files` mask nothing: what a person wrote is put back as it was.
    """

    def __init__(self, files: DurableFiles, settings: Path, head_file: Path) -> None:
        self._files = files
        self._settings = settings
        self._copy = head_file.parent.with_name("running") / f"{head_file.stem}.settings.json"

    async def hold(self) -> None:
        """From now on they count as they are."""
        if (now := self._read(self._settings)) is not None:
            await self._files.replace(self._copy, now)

    async def let_go(self) -> None:
        """They are anybody's to edit again."""
        await self._files.remove([self._copy])

    def before(self) -> bytes | None:
        """How they were before they were altered while a task ran; None where they are not."""
        held = self._read(self._copy)
        same = held is None or _ours(held) == _ours(self._read(self._settings) or b"")
        return None if same else held

    async def put_back(self, proof: Callable[[], Awaitable[None]]) -> None:
        """If they were altered, have them as they were, and `proof` of that.

        The altered file stays beside them: it may have been a person, after a crash.
        """
        if (before := self.before()) is not None:
            await proof()
            put_aside(self._settings)
            await self._files.replace(self._settings, before)

    def _read(self, path: Path) -> bytes | None:
        try:
            return self._files.read(path)
        except OSError:
            return None


def _ours(data: bytes) -> dict[str, Any] | bytes:
    """What is in our keys; the others are somebody else's to write."""
    try:
        document = msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return data
    return {key: value for key, value in document.items() if key in OUR_KEYS}
