"""A gate on trees that nobody delivered, each run with its evidence and a limit of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from pm_orchestrator.domain.judging.gate import Gate, GateResult
from pm_orchestrator.gates.cross.cross_runs import CrossRun
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
        async with asyncio.TaskGroup() as group:
            made = {label: group.create_task(self.on(label, e)) for label, e in edits.items()}
        return {label: task.result() for label, task in made.items()}

    async def on(self, label: str, edit: TreeEdit) -> CrossRun | None:
        """How it ends there; None where there is no such tree."""
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
        if missing:
            return None
        await self._note(ran.result, f"_{label}")
        return cross_run(ran)


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
