"""An executor for recovery tests: it gets stuck or fails on request, and does no work.

It must never be chosen by settings, so it is not in the registry; bootstrap
makes it when the environment asks for it, and never in production.
"""

from collections.abc import Mapping

from typing_extensions import override

from pm_orchestrator.domain.company.supervision import Blockage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import BlockedReason, TerminatedBy
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.ports.executor import (
    Executor,
    ExecutorConfig,
    ExecutorFactory,
    ExecutorResult,
    ExecutorTask,
)

NAME = "recovery-stub"
MARKER = f"mode={NAME}"
SCENARIO = "PM_RECOVERY_SCENARIO"
# What each scenario pretends to have met; None is a plain failure.
SCENARIOS: Mapping[str, tuple[BlockedReason, TerminatedBy] | None] = {
    "timeout": (BlockedReason.TIMEOUT, TerminatedBy.TIMEOUT),
    "blocked": (BlockedReason.INTERACTIVE_PROMPT, TerminatedBy.REPL_FAIL_CLOSED),
    "fail-closed": None,
}


class RecoveryStub(Executor):
    """Ends every task the way its scenario says."""

    def __init__(self, scenario: str) -> None:
        self._scenario = scenario

    @property
    @override
    def name(self) -> str:
        return NAME

    @override
    async def problem(self) -> str | None:
        if self._scenario in SCENARIOS:
            return None
        return f"set {SCENARIO} to one of {', '.join(SCENARIOS)}"

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        cure = await self.problem()
        if cure is not None:
            reason = f"there is no scenario {self._scenario!r}"
            raise PmError("executor_invalid", executor=NAME, reason=reason, cure=cure)
        met = SCENARIOS[self._scenario]
        said = f"{MARKER} scenario={self._scenario}"
        if met is None:
            claim = ExecutorClaim(kind="failed", summary=said)
            return ExecutorResult(claim=claim, exit_code=1, transcript=said)
        reason, by = met
        stuck = Blockage(
            reason=reason,
            timeout_ms=round(task.timeout_s * 1000) if by is TerminatedBy.TIMEOUT else 0,
            terminated_by=by,
            detected_pattern=None if by is TerminatedBy.TIMEOUT else f"? {MARKER}",
        )
        claim = ExecutorClaim(kind="blocked", summary=said)
        return ExecutorResult(claim=claim, blocked=stuck, transcript=said)


class RecoveryStubFactory(ExecutorFactory):
    """Makes the stub for the scenario in the environment."""

    @override
    def create(self, config: ExecutorConfig) -> Executor:
        return RecoveryStub(config.variables.get(SCENARIO, ""))
