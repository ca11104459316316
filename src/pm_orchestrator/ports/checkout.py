"""What the user's checkout says about itself."""

from pathlib import Path
from typing import Protocol


class Checkout(Protocol):
    """The user's repository, read where it is; a place without one has little to say."""

    async def branch(self) -> str:
        """The branch that is checked out, which a finished run is proposed to."""
        ...

    async def remote(self) -> str | None:
        """`origin` if there is one, else the first remote, else None."""
        ...

    async def files(self) -> tuple[str, ...]:
        """The files below the project that git knows, or that nothing keeps from it."""
        ...

    async def exclude(self, *names: str) -> None:
        """Keep files of the project out of the user's commits, in this clone only."""
        ...

    async def shelter(self, *folders: Path) -> None:
        """Keep folders out of the user's commits, and where they are when git cleans up."""
        ...
