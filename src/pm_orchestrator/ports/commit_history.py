"""The history of the user's repository, before and after somebody worked in it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from pm_orchestrator.domain.judging.effect import Recorded, Refs


class CommitHistory(Protocol):
    """Branches, tags and commits. Nothing the repository configures is run, nothing is written."""

    async def refs(self, project: Path) -> Refs | None:
        """What there is now; None where there is no repository."""
        ...

    async def recorded(
        self, project: Path, since: Refs, branches: Iterable[str]
    ) -> Recorded | None:
        """What came since; of `branches` those that were merged. None without a repository."""
        ...
