"""Every registered vendor as a chat model, through the gateway; one of them directly too."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.adapters.models.http_model import HttpModel
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.bootstrap.traffic.gateway_source import model_behind
from pm_orchestrator.ports.gateway import Access
from pm_orchestrator.testing.benches.any_gateway import any_gateway
from pm_orchestrator.testing.contracts.chat_model_contract import ChatModelContract
from pm_orchestrator.testing.contracts.vendor_bench import SECRET, VendorBench
from pm_orchestrator.testing.memory.fake_clock import CountingIds
from pm_orchestrator.testing.scripted.scripted_vendor import ScriptedVendor

# Long enough for a first call on a busy machine, short enough to wait for in a test.
PATIENCE = 0.8
FIRST, *OTHERS = MODELS.names


class TestDirectly(ChatModelContract):
    @pytest.fixture
    async def bench(self) -> AsyncIterator[VendorBench]:
        bench = VendorBench(AnthropicMessages())
        async with ScriptedVendor(bench.script) as provider:
            access = Access(base_url=provider.base_url, token=SECRET)
            bench.model = HttpModel(AnthropicMessages(), access, PATIENCE)
            bench.received = provider.received
            yield bench


class TestThroughTheGateway(ChatModelContract):
    @pytest.fixture(params=[FIRST, *(pytest.param(n, marks=pytest.mark.long) for n in OTHERS)])
    async def bench(
        self, ids: CountingIds, request: pytest.FixtureRequest
    ) -> AsyncIterator[VendorBench]:
        vendor = MODELS.load(request.param)
        # Who is shown no key has none to repeat.
        repeats = SECRET if vendor.upstream.key_variable else "a key of nobody"
        bench = VendorBench(vendor.dialect, repeats)
        async with ScriptedVendor(bench.script, vendor.dialect) as provider:
            there = replace(vendor.upstream, url_variable="BENCH_URL")
            keys = {} if there.key_variable is None else {there.key_variable: SECRET}
            source = Forward(there, {"BENCH_URL": provider.base_url, **keys}, PATIENCE)
            gateway = any_gateway(source, ids)
            await gateway.start()
            bench.model = model_behind(gateway, "worker-1", request.param, 4 * PATIENCE)
            bench.received = provider.received
            yield bench
            await gateway.close()
