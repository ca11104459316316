"""Review records on disk, for a remote that is a plain repository.

A record is a proposal to a person. It is written once under its review id;
proposing it again finds it there, so a resumed run proposes nothing twice.
"""

import asyncio
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.domain.ids import safe_name
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.forge import Forge, ForgeFactory, ReviewRecord
from pm_orchestrator.ports.store import DurableFiles


class LocalReviews(Forge):
    """One JSON file per review, in one directory."""

    def __init__(self, directory: Path, files: DurableFiles) -> None:
        self._directory = directory
        self._files = files

    @override
    async def propose(self, review: ReviewRecord) -> ReviewRecord:
        path = self._directory / f"{safe_name(review.review_id, 'review id')}.json"
        try:
            return await asyncio.to_thread(self._read, path)
        except FileNotFoundError:
            # Put in place at once: a half-written record would block every later try.
            await self._files.replace(path, to_file(review))
        return review

    @override
    async def list(self) -> tuple[ReviewRecord, ...]:
        return await asyncio.to_thread(self._read_all)

    def _read_all(self) -> tuple[ReviewRecord, ...]:
        found = [self._read(path) for path in self._directory.glob("*.json")]
        return tuple(sorted(found, key=lambda review: (review.created_at, review.review_id)))

    def _read(self, path: Path) -> ReviewRecord:
        return from_json(ReviewRecord, self._files.read(path), str(path))


class LocalForges(ForgeFactory):
    """The reviews of a project lie in a directory of its state."""

    @override
    def open(self, site: AdapterSite) -> Forge:
        return LocalReviews(site.directory / "reviews", site.files)
