"""The local engine keeps the contract of engines."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.engines.local import LocalEngines
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.engine import Body, RunCode
from pm_orchestrator.testing.benches.adapter_site import adapter_site
from pm_orchestrator.testing.contracts.durable_engine_contract import DurableEngineContract
from pm_orchestrator.testing.contracts.engine_contract import Execute
from pm_orchestrator.testing.memory.fake_clock import FakeClock

In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)


class TestLocalEngine(DurableEngineContract):
    @pytest.fixture
    @override
    def execute(self, tmp_path: Path, clock: FakeClock) -> Execute:
        async def start_or_resume(
            code: RunCode[In, Out], given: In, output: type[Out], bodies: Mapping[str, Body]
        ) -> Out:
            clock.advance(1)
            engine = LocalEngines().open(adapter_site(tmp_path, clock), bodies)
            return await engine.execute(code, given, output)

        return start_or_resume
