"""Where a finished run is put before a person."""

from typing import Literal, Protocol

from pm_orchestrator.domain.judging.gate import GateResult
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.adapter import AdapterFactory, AdapterSite

ReviewState = Literal["open", "approved", "rejected", "changes_requested"]


class ReviewRecord(Record, frozen=True, kw_only=True):
    """A proposed merge: a pull request, or a local record where there is no forge."""

    review_id: str
    run_id: str
    title: str
    body: str
    source_branch: str
    target_branch: str
    commit: str
    gates: tuple[GateResult, ...]
    state: ReviewState
    created_at: str
    url: str | None = None


class Forge(Protocol):
    """Takes proposals. Proposing the same review id again changes nothing."""

    async def propose(self, review: ReviewRecord) -> ReviewRecord: ...

    async def list(self) -> tuple[ReviewRecord, ...]: ...


class ForgeFactory(AdapterFactory, Protocol):
    """Opens the forge of a project."""

    def open(self, site: AdapterSite) -> Forge: ...
