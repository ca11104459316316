"""Programs that gates are run by: what there is, and what came only with the work."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import msgspec


class OutsideChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What became otherwise around the project since it was noted."""

    newcomers: tuple[Path, ...] = ()
    """Programs that were not there, and that no gate may take."""
    settings: Mapping[Path, bytes] = msgspec.field(default_factory=dict[Path, bytes])
    """Files that tell tools at home how to work, as they were."""


class Programs(Protocol):
    """The programs of the user, for one project directory."""

    async def can_run(self, argv: tuple[str, ...]) -> bool:
        """Whether a program is there, and the module that it is to run."""
        ...

    async def note(self) -> None:
        """Note how things are, before anybody writes."""
        ...

    async def outside_changes(self) -> OutsideChanges:
        """What gates have to be kept from seeing."""
        ...
