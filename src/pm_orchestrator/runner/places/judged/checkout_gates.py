"""Gates on a commit, each on a fresh checkout in a fresh sandbox.

Nothing an agent or another gate left lying about can help a commit pass: what is judged
is exactly the tree that would be delivered.
"""

from pathlib import Path

import msgspec
from typing_extensions import override

from pm_orchestrator.dispatch.sandbox_checkout import SandboxCheckout
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.gates.detect.base_tree import Argv, asks_for
from pm_orchestrator.gates.detect.setup_recipes import SetupRecipe
from pm_orchestrator.gates.judge.printed_results import with_printed
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import SandboxRuntime, SandboxSpec
from pm_orchestrator.runner.places.place import Judged, OnBase, TreeEdit

BRANCH = "pm-check"
ASK_S = 30.0
MEGABYTE = 1024**2


class Checkouts(msgspec.Struct, frozen=True, kw_only=True):
    """What checkouts of one run are made with."""

    repository: Repository
    runtime: SandboxRuntime
    spec: SandboxSpec
    timeout_s: float
    logs: RunLogs
    unbuilt: SetupRecipe | None = None
    """How the layer that the project's lock files ask for is built, where it is not there."""

    async def refuse_too_large(self, project: Path, commit: str) -> None:
        """Raises PmError E704 when a commit has no room in a sandbox, before it is copied."""
        # As much again for what is changed and built; the history is read where it lies.
        needed = 2 * await self.repository.tree_size(project, commit)
        if needed > self.spec.disk_bytes:
            raise PmError(
                "repository_too_large",
                needed=-(-needed // MEGABYTE),
                room=self.spec.disk_bytes // MEGABYTE,
            )

    def brings(self, path: str) -> bool:
        """Whether a path of the project is seen in sandboxes although no commit has it."""
        return any(path.startswith(f"{each.at}/") for each in self.spec.directories)

    async def can_run(self, argv: Argv) -> bool:
        """Whether a gate's program is in the sandboxes, and the module it is to run."""
        spec = msgspec.structs.replace(self.spec, name=f"{self.spec.name}-programs")
        sandbox = await self.runtime.open(spec)
        try:
            return (await sandbox.run(asks_for(argv), timeout_s=ASK_S)).exit_code == 0
        except PmError:
            return False
        finally:
            await sandbox.close()

    async def run(self, gate: Gate, commit: str) -> CommandResult:
        """One gate on one commit, and nothing left of either."""
        name = f"{self.spec.name}-gate-{commit[:8]}"
        spec = msgspec.structs.replace(self.spec, name=name, asks_runners=True)
        sandbox = await self.runtime.open(spec)
        try:
            await SandboxCheckout.load(sandbox, self.repository, BRANCH, commit)
            result = await sandbox.run(gate.argv, timeout_s=self.timeout_s)
            report = await sandbox.reported()
        finally:
            await sandbox.close()
        code = "none" if result.exit_code is None else result.exit_code
        await self.logs.line("quality_gates.log", f"{commit[:12]} {gate.kind} exit code {code}")
        return with_printed(result, report)


class CheckoutGates(Judged):
    """The gates on one commit, and on its base."""

    def __init__(self, checkouts: Checkouts, commit: str, base: str) -> None:
        self._checkouts = checkouts
        self._commit = commit
        self._base = base

    @override
    async def run(self, gate: Gate) -> CommandResult:
        return await self._checkouts.run(gate, self._commit)

    @override
    async def run_on_base(self, gate: Gate) -> OnBase:
        return OnBase(result=await self._checkouts.run(gate, self._base))

    @override
    async def run_edited(self, gate: Gate, edit: TreeEdit) -> CommandResult | None:
        repository = self._checkouts.repository
        back = tuple(change.path for change in edit.taken_back)
        commit = await repository.edited(self._commit, self._base, back, edit.contents)
        return await self._checkouts.run(gate, commit)

    @override
    async def files(self) -> tuple[str, ...]:
        return await self._checkouts.repository.files(self._commit)

    @override
    async def tidy(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        # Each gate had a checkout of its own, which is gone.
        return (), ()
