"""Showing a person how two saved trees differ, file by file and line by line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pm_orchestrator.domain.judging.line_changes import ChangedLines


class TreeDifferences(Protocol):
    """Two commits of one repository, side by side; nothing that it configures is run.

    All methods raise PmError E801 when git fails, and where a commit is not there.
    """

    async def lines(self, repository: Path, before: str, after: str) -> tuple[ChangedLines, ...]:
        """Every file that differs, renames found; a mode that changed counts too."""
        ...

    async def patch(
        self, repository: Path, before: str, after: str, files: Sequence[ChangedLines]
    ) -> bytes:
        """The same as git writes it, for these of the files; of large ones only that they differ.

        Files are bounded in number by the caller.
        """
        ...
