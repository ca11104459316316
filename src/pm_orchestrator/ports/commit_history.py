"""The history of the user's repository, before and after somebody worked in it."""

from pathlib import Path
from typing import Protocol

from pm_orchestrator.domain.judging.effect import Effect, Recorded, Refs


class CommitHistory(Protocol):
    """Branches, tags and commits. Nothing the repository configures is run, nothing is written."""

    async def refs(self, project: Path) -> Refs | None:
        """What there is now; None where there is no repository."""
        ...

    async def recorded(
        self, project: Path, since: Refs, asked: tuple[Effect, ...]
    ) -> Recorded | None:
        """What came since, as far as `asked` wants to know. None without a repository."""
        ...
