"""A gate on trees that nobody delivered, each run with its evidence and a limit of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from pm_orchestrator.domain.judging.gate import Gate, GateResult
from pm_orchestrator.gates.cross.crossing import CrossRun
from pm_orchestrator.gates.judge.gate_run import GateRun, run_gate
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.runner.places.place import Judged, TreeEdit

LEAST_SECONDS = 12.0
TIMES_AS_LONG = 4
"""How much longer than on the delivered tree a gate may take on another one."""

NoteRun = Callable[[GateResult, str], Awaitable[GateResult]]


class OtherTrees:
    """One gate on other trees, each with its evidence."""

    def __init__(self, judged: Judged, gate: Gate, note: NoteRun, usual_ms: int) -> None:
        self._judged = judged
        self._gate = gate
        self._note = note
        self._most_s = max(LEAST_SECONDS, TIMES_AS_LONG * usual_ms / 1000)

    async def on_all(self, edits: Mapping[str, TreeEdit]) -> dict[str, CrossRun | None]:
        """How it ends on each of them, side by side."""
        made: dict[str, asyncio.Task[GateRun | None]] = {}
        try:
            async with asyncio.TaskGroup() as group:
                for label, edit in edits.items():
                    made[label] = group.create_task(self._run(edit))
        except ExceptionGroup as failed:
            # One of them says as much as all, and says it to whoever knows what it means.
            raise failed.exceptions[0] from failed
        # Written down when all are over: each of them is watched for what it does to records.
        return {label: await self._noted(label, task.result()) for label, task in made.items()}

    async def on(self, label: str, edit: TreeEdit) -> CrossRun | None:
        """How it ends there; None where there is no such tree."""
        return await self._noted(label, await self._run(edit))

    async def _noted(self, label: str, ran: GateRun | None) -> CrossRun | None:
        if ran is None:
            return None
        await self._note(ran.result, f"_{label}")
        return cross_run(ran)

    async def _run(self, edit: TreeEdit) -> GateRun | None:
        missing = False

        async def run(gate: Gate) -> CommandResult:
            nonlocal missing
            cut_off = CommandResult(exit_code=None, stdout=b"", stderr=b"", timed_out=True)
            try:
                async with asyncio.timeout(self._most_s):
                    found = await self._judged.run_edited(gate, edit)
            except TimeoutError:
                return cut_off
            missing = found is None
            return found or cut_off

        ran = await run_gate(self._gate, run)
        return None if missing else ran


def cross_run(ran: GateRun) -> CrossRun:
    """A run as far as it is compared."""
    report = ran.report
    if report is None:
        return CrossRun(verdict=ran.result.verdict, count=ran.result.tests)
    return CrossRun(
        verdict=ran.result.verdict,
        passed=report.passed,
        failed=frozenset(report.failed),
        by_test=True,
    )
