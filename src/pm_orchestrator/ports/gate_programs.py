"""Programs that gates are run by: what there is, and what came only with the work."""

from pathlib import Path
from typing import Protocol


class Programs(Protocol):
    """The programs of the user, for one project directory."""

    async def can_run(self, argv: tuple[str, ...]) -> bool:
        """Whether a program is there, and the module that it is to run."""
        ...

    async def note(self) -> None:
        """Note which there are, before anybody writes."""
        ...

    async def newcomers(self) -> tuple[Path, ...]:
        """Programs that were not there when it was noted, and that no gate may take."""
        ...
