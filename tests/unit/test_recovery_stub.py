"""The recovery stub: what it pretends, and where it may be."""

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.adapters.executors.recovery_stub import MARKER, RecoveryStubFactory
from pm_orchestrator.bootstrap.crews.solo_executor import RegisteredExecutors
from pm_orchestrator.bootstrap.registry import EXECUTORS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import BlockedReason
from pm_orchestrator.domain.setup.settings import ExecutorSettings
from pm_orchestrator.ports.executor import ExecutorConfig, ExecutorTask
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_sandbox import MemorySandbox

words = st.sampled_from(
    ["", "production", "Production", " PRODUCTION\n", "test", "development", None]
)


def config(**variables: str | None) -> ExecutorConfig:
    return ExecutorConfig(
        settings=ExecutorSettings(),
        variables={k: v for k, v in variables.items() if v is not None},
        clock=FakeClock(),
    )


@given(pm_env=words, node_env=words, mode=st.sampled_from([None, "", "recovery-stub", "other"]))
def test_never_in_production(pm_env: str | None, node_env: str | None, mode: str | None) -> None:
    """R-40 Test Executor Production Safety: asked for it is the stub, or refused in production."""
    given_ = config(PM_ENV=pm_env, NODE_ENV=node_env, PM_EXECUTOR_MODE=mode)
    if mode != "recovery-stub":
        assert RegisteredExecutors().create(given_).name == "claude-code"
    elif "production" in {str(pm_env).strip().lower(), str(node_env).strip().lower()}:
        with pytest.raises(PmError, match="forbidden in production"):
            RegisteredExecutors().create(given_)
    else:
        assert RegisteredExecutors().create(given_).name == "recovery-stub"


def test_no_setting_can_choose_it() -> None:
    """R-40 Test Executor Production Safety: it is not among the registered executors."""
    assert "recovery-stub" not in EXECUTORS.names


@pytest.mark.parametrize(
    ("scenario", "kind", "reason"),
    [
        ("timeout", "blocked", BlockedReason.TIMEOUT),
        ("blocked", "blocked", BlockedReason.INTERACTIVE_PROMPT),
        ("fail-closed", "failed", None),
    ],
)
async def test_scenarios(scenario: str, kind: str, reason: BlockedReason | None) -> None:
    stub = RecoveryStubFactory().create(config(PM_RECOVERY_SCENARIO=scenario))
    task = ExecutorTask(task_id="task-1", instruction="x", hands=MemorySandbox(), timeout_s=2)
    result = await stub.execute(task)
    assert result.claim.kind == kind
    assert (None if result.blocked is None else result.blocked.reason) == reason
    assert MARKER in result.transcript


async def test_an_unknown_scenario_is_refused() -> None:
    stub = RecoveryStubFactory().create(config())
    task = ExecutorTask(task_id="task-1", instruction="x", hands=MemorySandbox(), timeout_s=2)
    with pytest.raises(PmError, match="no scenario"):
        await stub.execute(task)
