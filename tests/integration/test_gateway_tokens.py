"""What an agent's token is good for, and for how long; and why it had no answer."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.gateway.server import LoopbackGateway
from pm_orchestrator.domain.company.model_conversation import ChatRequest
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.gateway import Access
from pm_orchestrator.testing.benches.any_gateway import any_gateway
from pm_orchestrator.testing.contracts.vendor_bench import forward
from pm_orchestrator.testing.memory.fake_clock import CountingIds
from pm_orchestrator.testing.scripted.anthropic_messages import say_error, say_text
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor

Json = dict[str, Any]
ASK: Json = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}


def hello(agent: str, turn: int, _: ChatRequest) -> Json:
    return say_text(f"hello {agent}, {turn}")


@asynccontextmanager
async def opened(source: AnswerSource) -> AsyncGenerator[LoopbackGateway]:
    gateway = any_gateway(source, CountingIds())
    await gateway.start()
    try:
        yield gateway
    finally:
        await gateway.close()


async def ask(access: Access) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False, verify=False) as client:
        headers = {"x-api-key": access.token}
        return await client.post(f"{access.base_url}/v1/messages", json=ASK, headers=headers)


async def test_a_token_ends_with_the_work_of_its_agent() -> None:
    async with opened(ScriptedAnswers(hello)) as gateway:
        first, again = gateway.admit("worker/01/1"), gateway.admit("worker/01/1")
        other = gateway.admit("worker/02/1")
        assert (await ask(first)).status_code == 200
        gateway.dismiss("worker/01/1")
        for token, status in ((first, 401), (again, 401), (other, 200)):
            assert (await ask(token)).status_code == status
        assert (await ask(gateway.admit("worker/01/1"))).status_code == 200
        assert f":{gateway.port}" in other.base_url
    async with opened(ScriptedAnswers(hello)) as elsewhere:
        there = Access(base_url=f"http://127.0.0.1:{elsewhere.port}", token=other.token)
        assert (await ask(there)).status_code == 401


@pytest.mark.parametrize(
    ("status", "kind", "code", "step"),
    [
        (400, "invalid_request_error", "E602", "stop"),
        (429, "rate_limit_error", "E601", "retry"),
        (500, "api_error", "E601", "retry"),
    ],
)
async def test_why_an_agent_had_no_answer_is_known(
    status: int, kind: str, code: str, step: str
) -> None:
    said = [Failure(kind="status", status=status, body=say_error(kind, "Not now.")), say_text("ok")]
    async with (
        ScriptedVendor(lambda _: said.pop(0)) as vendor,
        opened(forward(vendor.base_url, "key")) as gateway,
    ):
        access = gateway.admit("a")
        assert gateway.failure("a") is None
        await ask(access)
        failure = gateway.failure("a")
        assert failure is not None
        assert (failure.code, failure.next_step) == (code, step)
        assert "Not now." in failure.what()
        await ask(access)
        assert gateway.failure("a") is None


async def test_our_own_refusal_is_known_as_what_it_is() -> None:
    def refuse(_agent: str, _turn: int, _request: ChatRequest) -> Json:
        raise PmError("limit_exceeded", limit="tokens", allowed=1, actual=2)

    async with opened(ScriptedAnswers(refuse)) as gateway:
        await ask(gateway.admit("a"))
        failure = gateway.failure("a")
    assert failure is not None
    assert failure.slug == "limit_exceeded"
