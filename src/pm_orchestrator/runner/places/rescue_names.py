"""The names under which the user's work is kept, watched over while others work.

A repository that was made anew has lost them in good faith; one that names another commit
would bring back another tree.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.rescue import Rescue


class MovedRefs(msgspec.Struct, frozen=True):
    """What became of them."""

    altered: tuple[str, ...] = ()
    """They named something else, and name their commits again."""
    back: tuple[str, ...] = ()
    """They were gone, and are back."""
    gone: tuple[str, ...] = ()
    """They are gone with what they named."""


class RescueRefs:
    """The rescues of one project."""

    def __init__(self, rescue: Rescue, root: Path) -> None:
        self._rescue = rescue
        self._root = root

    async def seen(self) -> Mapping[str, str]:
        """The latest, and what they name; none where there is nothing to save with."""
        try:
            return await self._rescue.latest(self._root)
        except PmError:
            return {}

    async def put_back(self, before: Mapping[str, str]) -> MovedRefs:
        """Let them name again what they named."""
        if not before:
            return MovedRefs()
        try:
            now = await self._rescue.named_now(self._root, before)
            wrong = {ref: oid for ref, oid in before.items() if now.get(ref) != oid}
            if not wrong:
                return MovedRefs()
            there = await self._rescue.point(self._root, wrong)
        except PmError:
            # There is no repository to ask any more.
            return MovedRefs(gone=tuple(before))
        return MovedRefs(
            altered=tuple(ref for ref in wrong if ref in now),
            back=tuple(ref for ref in there if ref not in now),
            gone=tuple(ref for ref in wrong if ref not in now and ref not in there),
        )
