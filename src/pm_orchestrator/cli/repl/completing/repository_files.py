"""The files of the repository, for `@`: looked up between two lines, so that no key waits."""

import asyncio
from collections.abc import Iterator

from pm_orchestrator.cli.repl.conversation import Conversation

MOST = 50
"""Offered at once; who has more to choose from types on."""


class RepositoryFiles:
    """What git knows or would take below the directory; nothing where there is no repository."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._names: tuple[str, ...] = ()
        self._looking: asyncio.Task[None] | None = None

    def look(self) -> None:
        """Look again, beside everything else."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())

    async def stop(self) -> None:
        """Nothing of ours goes on."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    def containing(self, begun: str) -> Iterator[str]:
        """Files with these letters in their path, those first whose own name begins so."""
        sought = begun.lower()
        fitting = (name for name in self._names if sought in name.lower())
        ranked = sorted(fitting, key=lambda name: (_rank(name.lower(), sought), name))
        return iter(ranked[:MOST])

    async def _look(self) -> None:
        from pm_orchestrator.bootstrap.arrival.repository_around import repository_files

        conversation = self._conversation
        self._names = await repository_files(conversation.environment, conversation.project)


def _rank(name: str, sought: str) -> int:
    if name.rpartition("/")[2].startswith(sought):
        return 0
    return 1 if name.startswith(sought) else 2
