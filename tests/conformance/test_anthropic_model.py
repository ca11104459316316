"""Anthropic's API as a chat model, asked directly and through the gateway."""

from collections.abc import AsyncIterator

import pytest

from pm_orchestrator.adapters.gateway.server import LoopbackGateway
from pm_orchestrator.adapters.models.anthropic import AnthropicModel, AnthropicModels
from pm_orchestrator.testing.contracts.anthropic_bench import SECRET, AnthropicBench, forward
from pm_orchestrator.testing.contracts.chat_model_contract import ChatModelContract
from pm_orchestrator.testing.memory.fake_clock import CountingIds
from pm_orchestrator.testing.scripted.scripted_anthropic import ScriptedAnthropic

# Long enough for a first call on a busy machine, short enough to wait for in a test.
PATIENCE = 0.8


class TestAnthropicDirect(ChatModelContract):
    @pytest.fixture
    async def bench(self) -> AsyncIterator[AnthropicBench]:
        bench = AnthropicBench()
        async with ScriptedAnthropic(bench.script) as provider:
            bench.model = AnthropicModel(provider.base_url, SECRET, timeout=PATIENCE)
            bench.received = provider.received
            yield bench


class TestAnthropicThroughTheGateway(ChatModelContract):
    @pytest.fixture
    async def bench(self, ids: CountingIds) -> AsyncIterator[AnthropicBench]:
        bench = AnthropicBench()
        async with ScriptedAnthropic(bench.script) as provider:
            gateway = LoopbackGateway(forward(provider.base_url, SECRET, timeout=PATIENCE), ids)
            await gateway.start()
            access = gateway.admit("worker-1")
            bench.model = AnthropicModels().create(access, timeout_s=4 * PATIENCE)
            bench.received = provider.received
            yield bench
            await gateway.close()
