"""bubblewrap keeps the contract of sandboxes."""

from typing import Literal

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.ports.sandbox import Sandbox, SandboxRuntime
from pm_orchestrator.testing.contracts.hands_contract import Listening
from pm_orchestrator.testing.contracts.sandbox_contract import SandboxContract
from pm_orchestrator.testing.programs.traces import living, unique_sleep


class Broken(Listening):
    """Cannot bear to hear anything."""

    @override
    def output(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        raise ZeroDivisionError


class TestBwrapSandbox(SandboxContract):
    @pytest.fixture
    @override
    def runtime(self) -> SandboxRuntime:
        return BwrapRuntime(
            LocalCommands(kill_grace_s=0.2), search_path="/usr/bin:/bin", kill_grace_s=0.2
        )

    async def test_a_command_does_not_outlive_a_watcher_that_breaks(self, sandbox: Sandbox) -> None:
        mark = unique_sleep()
        script = f"echo here; sleep {mark}"
        with pytest.raises(ZeroDivisionError):
            await sandbox.follow(("sh", "-c", script), Broken(), timeout_s=60)
        assert living(mark) == []
