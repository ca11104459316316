"""What the user's checkout says about itself."""

from typing import Protocol


class Checkout(Protocol):
    """The user's repository, read where it is; a place without one has little to say."""

    async def branch(self) -> str:
        """The branch that is checked out, which a finished run is proposed to."""
        ...

    async def remote(self) -> str | None:
        """`origin` if there is one, else the first remote, else None."""
        ...

    async def exclude(self, name: str) -> None:
        """Keep a file of the project out of the user's commits, in this clone only."""
        ...
