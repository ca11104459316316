"""Solo mode: one executor in the project directory, the same seven phases, the same verdict."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.gate import Gate, GateReport
from pm_orchestrator.domain.outcome import ExecutorClaim, Facts, VerifiedOutcome, gone_files
from pm_orchestrator.domain.phase import Phase
from pm_orchestrator.domain.settings import Settings
from pm_orchestrator.evidence.masking import Masker
from pm_orchestrator.evidence.redaction import redact
from pm_orchestrator.evidence.workspace_diff import compare, fingerprint, take_snapshot
from pm_orchestrator.gates.completion import decide
from pm_orchestrator.gates.detection import altered_gates, applicable, detect
from pm_orchestrator.gates.sequence import RunGate, run_gates
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.executor import Executor, ExecutorTask
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.runner.lifecycle import Lifecycle
from pm_orchestrator.runner.phases.analysis import files_named, refuse_unclear


class SoloOrder(msgspec.Struct, frozen=True, kw_only=True):
    """One instruction for one executor."""

    session_id: str
    task_id: str
    instruction: str
    project: Path
    model: str | None = None


class SoloEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict beside the claim."""

    outcome: VerifiedOutcome
    claim: ExecutorClaim
    evidence_ids: tuple[str, ...]


class SoloTask:
    """Runs one instruction with one executor."""

    def __init__(
        self,
        *,
        executor: Executor,
        run_gate: RunGate,
        recorder: Recorder,
        masker: Masker,
        settings: Settings,
        events: EventSink,
    ) -> None:
        self._executor = executor
        self._run_gate = run_gate
        self._recorder = recorder
        self._masker = masker
        self._settings = settings
        self._events = events
        self._evidence: list[str] = []

    async def run(self, order: SoloOrder) -> SoloEnd:
        """Walk the phases; each leaves its evidence before the next begins."""

        async def announce(phase: Phase) -> None:
            await self._record(order, "enter_phase", phase)
            await self._events.publish("phase", phase)

        life = Lifecycle(announce)
        await life.enter(Phase.REQUIREMENT_ANALYSIS)
        refuse_unclear(order.instruction, order.task_id)
        expected = files_named(order.instruction)

        await life.enter(Phase.TASK_DECOMPOSITION)
        limit = self._settings.task_limits.files
        if len(expected) > limit:
            raise PmError("limit_exceeded", limit="files", allowed=limit, actual=len(expected))

        await life.enter(Phase.PLANNING)
        gates = await detect(_reader(order.project), self._settings.gates)
        before = await asyncio.to_thread(take_snapshot, order.project)

        await life.enter(Phase.EXECUTION)
        claim = await self._execute(order)

        await life.enter(Phase.QA)
        after = await asyncio.to_thread(take_snapshot, order.project)
        changes = compare(before, after)
        report = await self._check(order, applicable(gates, changes), fingerprint(after))

        await life.enter(Phase.COMPLETION_VALIDATION)
        gone = gone_files(changes)
        wanted = dict.fromkeys((*expected, *claim.claimed_files))
        outcome = decide(
            Facts(
                commit=fingerprint(after) if changes else None,
                changes=changes,
                expected_files=expected,
                missing_files=tuple(p for p in wanted if p not in after and p not in gone),
                gates=report,
                altered_gates=altered_gates(gates, changes, expected),
            )
        )
        await self._record(order, "validate", f"{outcome.status}: {outcome.reason()}")
        await life.enter(Phase.REPORT)
        return SoloEnd(outcome=outcome, claim=claim, evidence_ids=tuple(self._evidence))

    async def _execute(self, order: SoloOrder) -> ExecutorClaim:
        task = ExecutorTask(
            task_id=order.task_id,
            instruction=order.instruction,
            project=order.project,
            timeout_s=float(self._settings.task_limits.seconds),
            model=order.model,
        )
        claim = redact(await self._executor.execute(task), self._masker)
        await self._record(order, "execute", f"{claim.kind}: {claim.summary}")
        if claim.kind == "failed":
            raise PmError(
                "executor_failed", executor=self._executor.name, reason=claim.summary or "no reason"
            )
        return claim

    async def _check(self, order: SoloOrder, gates: tuple[Gate, ...], tree: str) -> GateReport:
        report = redact(await run_gates(gates, self._run_gate, tree), self._masker)
        for result in report.results:
            await self._record(order, f"gate_{result.kind}", f"{result.verdict}\n{result.output}")
        return report

    async def _record(self, order: SoloOrder, kind: str, raw: str) -> None:
        evidence = await self._recorder.record(
            Operation(
                type=kind,
                raw=raw,
                session_id=order.session_id,
                task_id=order.task_id,
                executor_id=self._executor.name,
            )
        )
        self._evidence.append(evidence.evidence_id)


def _reader(root: Path) -> Callable[[str], Awaitable[bytes | None]]:
    async def read(path: str) -> bytes | None:
        try:
            return await asyncio.to_thread((root / path).read_bytes)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    return read
