"""bubblewrap keeps the contract of sandboxes."""

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.ports.sandbox import SandboxRuntime
from pm_orchestrator.testing.sandbox_contract import SandboxContract


class TestBwrapSandbox(SandboxContract):
    @pytest.fixture
    @override
    def runtime(self) -> SandboxRuntime:
        return BwrapRuntime(
            LocalCommands(kill_grace_s=0.2), search_path="/usr/bin:/bin", kill_grace_s=0.2
        )
