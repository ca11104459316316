"""Which files of a project are not meant to be looked at."""

from pathlib import Path
from typing import Protocol


class IgnoredFiles(Protocol):
    """What the project's version control leaves out."""

    async def ignored(self, project: Path) -> frozenset[str]:
        """Ignored paths below `project`, relative to it.

        A directory ends with a slash and stands for everything below it. Without
        version control nothing is ignored.

        Raises:
            PmError: E801 when it cannot be found out; guessing would hide files.
        """
        ...
