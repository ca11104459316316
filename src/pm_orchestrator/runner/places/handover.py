"""Handing a run's branches to the user: always to their repository, further only what is proved.

It can be repeated: what is where it belongs already stays as it is.
"""

import unicodedata
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.naming import integration_branch
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.runner.places.place import Delivered

RESCUE_ROOF = "refs/pm/"


class Handover(msgspec.Struct, frozen=True, kw_only=True):
    """From one run's own repository to the user's, and from there to their remote."""

    run_id: str
    ticket: str
    project: Path
    base: str
    remote: str | None
    integration: str | None
    """The branch of the project that finished runs are merged into, where it has one."""
    repository: Repository
    logs: RunLogs

    async def deliver(self, tree: str | None, *, complete: bool) -> Delivered:
        """Bring everything home; push and merge only what is complete."""
        branch = None
        if tree is not None and tree != self.base:
            branch = integration_branch(self.ticket)
            await self.repository.set_branch(branch, tree)
        left: list[Reason] = []
        kept: list[str] = []
        try:
            kept += [ref for ref in await self.put_aside() if ref.startswith(RESCUE_ROOF)]
        except PmError as error:
            await self.logs.line("errors.log", str(error))
            left.append(Reason(key="export_left", params={"why": _clause(error)}))
            complete = False
        if complete and branch is not None and tree is not None:
            left += await self._pushed(branch)
            left += await self._merged(tree)
        return Delivered(branch=branch, kept_refs=tuple(kept), left_to_do=tuple(left))

    async def put_aside(self) -> tuple[str, ...]:
        """Bring every branch and every rescued piece of work to the user's repository."""
        refs = tuple(sorted(await self.repository.own_refs()))
        try:
            await self.repository.export(self.project, refs)
        except PmError as error:
            if error.slug != "branch_checked_out":
                raise
            return tuple([ref for ref in refs if await self._brought(ref)])
        return refs

    async def _brought(self, ref: str) -> bool:
        """Bring one ref home, unless somebody looks at it there."""
        try:
            await self.repository.export(self.project, (ref,))
        except PmError as error:
            await self.logs.line("errors.log", str(error))
            return False
        return True

    async def _pushed(self, branch: str) -> list[Reason]:
        if self.remote is None:
            return []
        try:
            await self.repository.push(self.project, self.remote, branch)
        except PmError as error:
            # The verdict stands, wherever the branch is.
            await self.logs.line("errors.log", str(error))
            params = {"remote": self.remote, "branch": branch, "why": _clause(error)}
            return [Reason(key="push_left", params=params)]
        return []

    async def _merged(self, tree: str) -> list[Reason]:
        """The finished run goes into the project's integration branch as a whole."""
        branch = self.integration
        if branch is None:
            return []
        if not may_merge_into(branch, frozenset({branch})):
            return [_not_merged(branch, "only a person may do that, by a pull request")]
        message = f"[{self.ticket}] merge of {self.run_id}"
        try:
            merged = await self.repository.merge_into(self.project, branch, tree, message)
        except PmError as error:
            return [_not_merged(branch, _clause(error))]
        if merged.commit is None:
            return [_not_merged(branch, f"conflicts in {', '.join(merged.conflicts)}")]
        await self.logs.line("merge.log", f"{tree[:12]} -> {branch}")
        return []


def _clause(error: PmError) -> str:
    return error.what().rstrip(".")


def _not_merged(branch: str, why: str) -> Reason:
    return Reason(key="merge_left", params={"branch": branch, "why": why})


# Where the merger may merge.
#
# The list says what is allowed, because what is not known may be somebody's main
# branch. main and master stay closed whatever a setting says: they are reached by
# a pull request that a person approves.
NEVER = frozenset({"main", "master"})
INTEGRATION = frozenset({"develop", "staging"})


def may_merge_into(branch: str, integration: frozenset[str] = INTEGRATION) -> bool:
    """Whether the merger may move `branch`: one of our own, or an integration branch."""
    name = branch.removeprefix("refs/heads/")
    # Some file systems keep refs without regard to case or form.
    if unicodedata.normalize("NFKC", name).casefold() in NEVER:
        return False
    return name in integration or (name.startswith("agent/") and name != "agent/")
