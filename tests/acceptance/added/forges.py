"""A forge to be added: one file with a review in each line."""

from pathlib import Path

from typing_extensions import override

from pm_orchestrator.domain.record import from_json, to_json
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.forge import Forge, ForgeFactory, ReviewRecord
from pm_orchestrator.ports.store import DurableFiles


class OneFile(Forge):
    def __init__(self, path: Path, files: DurableFiles) -> None:
        self._path = path
        self._files = files

    @override
    async def propose(self, review: ReviewRecord) -> ReviewRecord:
        for known in await self.list():
            if known.review_id == review.review_id:
                return known
        await self._files.append(self._path, to_json(review) + b"\n")
        return review

    @override
    async def list(self) -> tuple[ReviewRecord, ...]:
        if not self._path.exists():
            return ()
        lines = self._files.read(self._path).splitlines()
        found = [from_json(ReviewRecord, line) for line in lines]
        return tuple(sorted(found, key=lambda review: (review.created_at, review.review_id)))


class Added(ForgeFactory):
    @override
    def open(self, site: AdapterSite) -> Forge:
        return OneFile(site.directory / "added-reviews.jsonl", site.files)
