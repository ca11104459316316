"""Gates on a commit, on a fresh checkout in a fresh sandbox.

Nothing an agent left lying about can help its commit pass: what is judged is
exactly the tree that would be delivered.
"""

import msgspec

from pm_orchestrator.dispatch.workspace import Workspace
from pm_orchestrator.domain.gate import Gate, GateReport
from pm_orchestrator.gates.sequence import run_gates
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.runner.run_parts import RunParts

BRANCH = "pm-check"


class CleanCheckout:
    """Runs gates on commits of one run."""

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts

    async def check(self, commit: str, gates: tuple[Gate, ...], label: str) -> GateReport:
        """The gates' word on `commit`; a sandbox is only paid for when there are gates."""
        if not gates:
            return GateReport(commit=commit, results=())
        bundle = await self._parts.repository.bundle(commit, BRANCH)
        name = f"{self._parts.spec.name}-gate-{commit[:8]}"
        spec = msgspec.structs.replace(self._parts.spec, name=name)
        sandbox = await self._parts.runtime.open(spec)
        try:
            await Workspace.load(sandbox, bundle, BRANCH, commit)

            timeout_s = float(self._parts.settings.gates.timeout_seconds)

            async def run(gate: Gate) -> CommandResult:
                return await sandbox.run(gate.argv, timeout_s=timeout_s)

            report = await run_gates(gates, run, commit)
        finally:
            await sandbox.close()
        report = GateReport(
            commit=commit,
            results=tuple(
                msgspec.structs.replace(r, output=self._parts.masker.mask(r.output).text)
                for r in report.results
            ),
        )
        for result in report.results:
            await self._parts.logs.line(
                "quality_gates.log", f"{label} {commit[:12]} {result.kind} {result.verdict}"
            )
        return report
