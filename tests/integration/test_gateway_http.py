"""The gateway over real loopback HTTP: who is let in, what is kept, what it leaves behind."""

import asyncio
import signal
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import msgspec
import pytest

from pm_orchestrator.adapters.gateway import endpoint
from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.gateway.server import LoopbackGateway
from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.adapters.gateway.vendors import Vendors
from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.adapters.models.http_model import HttpModel
from pm_orchestrator.domain.company.model_conversation import ChatRequest, Message, TokenUsage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.chat_model import Upstream
from pm_orchestrator.ports.gateway import Access, Exchange, OnExchange
from pm_orchestrator.testing.benches.any_gateway import any_gateway
from pm_orchestrator.testing.contracts.vendor_bench import forward
from pm_orchestrator.testing.memory.fake_clock import CountingIds
from pm_orchestrator.testing.scripted.anthropic_messages import say_text
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor

Json = dict[str, Any]
ASK: Json = {
    "model": "m",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "hello"}],
}
CHAT = ChatRequest(model="m", system="", messages=(Message(role="user", text="hello"),))


def hello(agent: str, turn: int, _: ChatRequest) -> Json:
    return say_text(f"hello {agent}, {turn}")


def silence(_agent: str, _turn: int, _request: ChatRequest) -> None:
    return None


@asynccontextmanager
async def opened(
    source: AnswerSource, on_exchange: OnExchange | None = None
) -> AsyncGenerator[LoopbackGateway]:
    gateway = any_gateway(source, CountingIds(), on_exchange)
    await gateway.start()
    try:
        yield gateway
    finally:
        await gateway.close()


async def post(
    access: Access, headers: dict[str, str], body: Json | bytes = ASK, path: str = "/v1/messages"
) -> httpx2.Response:
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    async with httpx2.AsyncClient(trust_env=False, verify=False) as client:
        return await client.post(access.base_url + path, content=content, headers=headers)


async def ask(access: Access, body: Json | bytes = ASK) -> httpx2.Response:
    return await post(access, {"x-api-key": access.token}, body)


def error_kind(response: httpx2.Response) -> str:
    body = response.json()
    assert body["type"] == "error"
    assert body["error"]["message"]
    return body["error"]["type"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-api-key": ""},
        {"x-api-key": "pm-guess"},
        {"authorization": "Bearer pm-guess"},
        {"authorization": "Basic {token}"},
        {"x-api-key": "{token}x"},
    ],
)
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens", "/"])
async def test_without_a_token_nothing_is_answered(headers: dict[str, str], path: str) -> None:
    source = ScriptedAnswers(hello)
    async with opened(source) as gateway:
        access = gateway.admit("worker-1")
        sent = {name: value.format(token=access.token) for name, value in headers.items()}
        response = await post(access, sent, path=path)
    assert response.status_code == 401
    assert error_kind(response) == "authentication_error"
    assert source.asked == []


async def test_a_token_works_as_key_and_as_bearer_and_tells_who_asks() -> None:
    async with opened(ScriptedAnswers(hello)) as gateway:
        first, second = gateway.admit("worker-1"), gateway.admit("worker-2")
        assert first.token != second.token
        one = await ask(first)
        two = await post(first, {"authorization": f"Bearer {second.token}"})
    assert one.json()["content"][0]["text"] == "hello worker-1, 1"
    assert two.json()["content"][0]["text"] == "hello worker-2, 1"


async def test_nobody_is_admitted_before_the_start() -> None:
    with pytest.raises(RuntimeError):
        any_gateway(ScriptedAnswers(hello), CountingIds()).admit("worker-1")


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        (b"", 400, "invalid_request_error"),
        (b"{", 400, "invalid_request_error"),
        (b"[]", 400, "invalid_request_error"),
        (b'{"model": "m"}', 400, "invalid_request_error"),
        (b'{"model": 1, "messages": []}', 400, "invalid_request_error"),
        (b"\xff\xfe", 400, "invalid_request_error"),
        (b'{"model": "m", "messages": [], "x": "' + b"y" * 2000 + b'"}', 413, "request_too_large"),
    ],
)
async def test_a_malformed_request_is_refused_in_the_vendors_form(
    monkeypatch: pytest.MonkeyPatch, body: bytes, status: int, kind: str
) -> None:
    monkeypatch.setattr(endpoint, "MAX_BODY_BYTES", 1000)
    source = ScriptedAnswers(hello)
    async with opened(source) as gateway:
        access = gateway.admit("worker-1")
        response = await ask(access, body)
    assert (response.status_code, error_kind(response)) == (status, kind)
    assert source.asked == []


async def test_a_request_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "BODY_SECONDS", 0.1)
    async with opened(ScriptedAnswers(hello)) as gateway:
        access = gateway.admit("worker-1")
        host, _, port = access.base_url.removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        head = f"POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: {access.token}\r\n"
        writer.write(head.encode() + b"content-length: 100\r\n\r\n{")
        status = await asyncio.wait_for(reader.readline(), 5)
        writer.close()
    assert b" 408 " in status


async def test_other_routes_are_refused_clearly() -> None:
    async with opened(ScriptedAnswers(hello)) as gateway:
        access = gateway.admit("worker-1")
        response = await post(access, {"x-api-key": access.token}, path="/v1/messages/count_tokens")
    assert (response.status_code, error_kind(response)) == (404, "not_found_error")


async def test_usage_is_counted_for_each_agent() -> None:
    def costly(agent: str, turn: int, request: ChatRequest) -> Json:
        usage = {
            "input_tokens": 5,
            "cache_read_input_tokens": 30,
            "cache_creation_input_tokens": 200,
            "output_tokens": 7,
        }
        return hello(agent, turn, request) | {"usage": usage}

    async with opened(ScriptedAnswers(costly)) as gateway:
        first, second = gateway.admit("worker-1"), gateway.admit("worker-2")
        for access in (first, first, second):
            await ask(access)
        assert gateway.usage("worker-1") == TokenUsage(
            input_tokens=470, output_tokens=14, cached_tokens=60, stored_tokens=400
        )
        assert gateway.usage("worker-2") == TokenUsage(
            input_tokens=235, output_tokens=7, cached_tokens=30, stored_tokens=200
        )
        assert gateway.usage("stranger") == TokenUsage()


async def test_the_answer_waits_for_its_evidence() -> None:
    recorded = asyncio.Event()
    reached = asyncio.Event()
    kept: list[Exchange] = []

    async def keep(exchange: Exchange) -> None:
        kept.append(exchange)
        reached.set()
        await recorded.wait()

    async with opened(ScriptedAnswers(hello), keep) as gateway:
        access = gateway.admit("worker-1")
        task = asyncio.create_task(ask(access))
        await asyncio.wait_for(reached.wait(), 5)
        await asyncio.sleep(0.1)
        assert not task.done()
        recorded.set()
        response = await task
    assert response.status_code == 200
    assert kept == [
        Exchange(
            agent="worker-1",
            turn=1,
            status=200,
            request=msgspec.json.encode(ASK),
            response=response.content,
            usage=TokenUsage(input_tokens=100, output_tokens=20),
        )
    ]


async def test_an_answer_without_evidence_is_withheld() -> None:
    async def keep(exchange: Exchange) -> None:
        raise PmError("evidence_not_collected", path="raw/1.log", reason="disk full")

    async with opened(ScriptedAnswers(hello), keep) as gateway:
        access = gateway.admit("worker-1")
        response = await ask(access)
        assert b"hello worker-1" not in response.content
        with pytest.raises(PmError) as caught:
            await HttpModel(AnthropicMessages(), access).chat(CHAT)
        assert gateway.usage("worker-1").output_tokens == 40
    assert caught.value.code == "E301"
    assert "disk full" in caught.value.what()


async def test_a_refused_question_is_on_record_too() -> None:
    kept: list[Exchange] = []

    async def keep(exchange: Exchange) -> None:
        kept.append(exchange)

    async with opened(ScriptedAnswers(silence), keep) as gateway:
        access = gateway.admit("worker-1")
        response = await ask(access)
    assert response.status_code == 409
    assert response.headers["x-should-retry"] == "false"
    assert [(exchange.status, exchange.usage) for exchange in kept] == [(409, TokenUsage())]


async def closing_seconds(gateway: LoopbackGateway) -> float:
    started = time.monotonic()
    await gateway.close()
    return time.monotonic() - started


async def test_closing_is_quick_and_leaves_nothing() -> None:
    before = asyncio.all_tasks()
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    hung = asyncio.Event()

    def hang(_: Json) -> Failure:
        hung.set()
        return Failure(kind="hang")

    async with (
        ScriptedVendor(hang) as provider,
        httpx2.AsyncClient(trust_env=False, verify=False) as idle,
    ):
        gateway = any_gateway(forward(provider.base_url, "key"), CountingIds())
        await gateway.start()
        access = gateway.admit("worker-1")
        # One connection is kept open and idle, one waits for an answer that never comes.
        await idle.get(access.base_url)
        asking = asyncio.create_task(ask(access))
        await asyncio.wait_for(hung.wait(), 5)
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers

        assert await closing_seconds(gateway) < 2
        assert (await asking).status_code == 503
        with pytest.raises(httpx2.ConnectError):
            await ask(access)
        assert await closing_seconds(gateway) < 0.5
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


async def test_closing_does_not_wait_for_an_agent_that_does_not_read() -> None:
    def long(*_: object) -> Json:
        return say_text("x" * 20_000_000)

    gateway = any_gateway(ScriptedAnswers(long), CountingIds())
    await gateway.start()
    access = gateway.admit("worker-1")
    host, _, port = access.base_url.removeprefix("http://").partition(":")
    _, writer = await asyncio.open_connection(host, int(port), limit=1024)
    body = msgspec.json.encode(ASK)
    head = f"POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: {access.token}\r\n"
    writer.write(head.encode() + b"content-length: %d\r\n\r\n%b" % (len(body), body))
    await asyncio.sleep(0.3)
    assert await closing_seconds(gateway) < 5
    writer.transport.abort()


async def test_a_token_is_worthless_after_the_close() -> None:
    gateway = any_gateway(ScriptedAnswers(hello), CountingIds())
    await gateway.start()
    access = gateway.admit("worker-1")
    await gateway.close()
    await gateway.start()
    again = gateway.admit("worker-1")
    response = await post(again, {"x-api-key": access.token})
    await gateway.close()
    assert response.status_code == 401


async def test_starting_is_quick() -> None:
    async def once() -> float:
        started = time.monotonic()
        async with opened(ScriptedAnswers(hello)):
            return time.monotonic() - started

    # The first start pays for imports; the libraries are loaded by then.
    await once()
    assert min([await once() for _ in range(3)]) < 0.5


async def test_each_vendor_is_asked_with_its_own_key_and_no_other() -> None:
    def upstream(vendor: ScriptedVendor, key_variable: str | None) -> Upstream:
        return Upstream(base_url=vendor.base_url, key_variable=key_variable)

    keys = {"OPENAI_API_KEY": "key-of-one", "GEMINI_API_KEY": "key-of-two"}
    answer = say_text("hello")
    async with (
        ScriptedVendor(lambda _: answer) as one,
        ScriptedVendor(lambda _: Failure(kind="status", body=b"no: key-of-two")) as two,
        ScriptedVendor(lambda _: answer) as keyless,
    ):
        vendors = {
            "one": Forward(upstream(one, "OPENAI_API_KEY"), keys, trust_env=False),
            "two": Forward(upstream(two, "GEMINI_API_KEY"), keys, trust_env=False),
            "keyless": Forward(upstream(keyless, None), keys, trust_env=False),
        }
        async with opened(Vendors(vendors)) as gateway:
            asked = {name: await ask(gateway.admit("worker-1", name)) for name in vendors}
    sent = [
        [(name, value) for name, value in r.headers.items() if "key" in value or "pm-" in value]
        for vendor in (one, two, keyless)
        for r in vendor.received
    ]
    assert sent == [
        [("authorization", "Bearer key-of-one")],
        [("authorization", "Bearer key-of-two")],
        [],
    ]
    assert [answer.status_code for answer in asked.values()] == [200, 500, 200]
    assert asked["two"].text == "no: [MASKED:GEMINI_KEY]"
