"""The engine without a journal keeps the part of the contract that needs none."""

from collections.abc import Mapping
from typing import TypeVar

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.engines.direct import DirectEngine
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.engine import Body, RunCode
from pm_orchestrator.testing.contracts.engine_contract import EngineContract, Execute
from pm_orchestrator.testing.memory.fake_clock import FakeClock

In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)


class TestDirectEngine(EngineContract):
    @pytest.fixture
    @override
    def execute(self, clock: FakeClock) -> Execute:
        async def begin_anew(
            code: RunCode[In, Out], given: In, output: type[Out], bodies: Mapping[str, Body]
        ) -> Out:
            return await DirectEngine(bodies, clock).execute(code, given, output)

        return begin_anew
