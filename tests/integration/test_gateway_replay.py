"""Recording from a provider and replaying without one, over real loopback HTTP."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from pm_orchestrator.adapters.gateway.cassette import Cassette, Take, load_cassette, save_cassette
from pm_orchestrator.adapters.gateway.recording import Recording
from pm_orchestrator.adapters.gateway.replay import Replay
from pm_orchestrator.adapters.gateway.server import LoopbackGateway
from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.adapters.models.http_model import HttpModel
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolDefinition,
    ToolResult,
)
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.dialect import BrokenStreamError
from pm_orchestrator.ports.gateway import Access, Exchange
from pm_orchestrator.testing.benches.any_gateway import any_gateway
from pm_orchestrator.testing.contracts.vendor_bench import forward
from pm_orchestrator.testing.memory.fake_clock import CountingIds
from pm_orchestrator.testing.scripted.anthropic_messages import call_tools, say_error, say_text
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor
from pm_orchestrator.testing.scripted.whole_answer import whole_answer

Json = dict[str, Any]
SPOKEN = AnthropicMessages()
KEY = "sk-ant-api03-the-real-one-0123456789"
TOOLS = (ToolDefinition(name="write_file", description="Writes.", schema={"type": "object"}),)
TURNS = 4


def provider_script(body: Json) -> Json:
    """Three tool calls, then a last word; whose they are stands in the system prompt."""
    turn = 1 + sum(1 for message in body["messages"] if message["role"] == "assistant")
    who = body["system"].split()[2]
    if turn < TURNS:
        return call_tools(("write_file", {"path": f"{who}{turn}.py"}), text="I write.", turn=turn)
    return say_text(f"{who} is done")


async def converse(access: Access, who: str, ticket: str, output: str) -> list[ChatReply]:
    """A small tool loop, as an agent would run it in the run of `ticket`."""
    model = HttpModel(AnthropicMessages(), access, 10)
    messages = [Message(role="user", text=f"[{ticket}-01] write in /tmp/pm-{ticket}/x")]
    replies: list[ChatReply] = []
    while not replies or replies[-1].message.tool_calls:
        request = ChatRequest(
            model="m", system=f"You are {who} .", messages=tuple(messages), tools=TOOLS
        )
        replies.append(await model.chat(request))
        results = tuple(
            ToolResult(call_id=call.id, content=output) for call in replies[-1].message.tool_calls
        )
        messages += [replies[-1].message, Message(role="user", tool_results=results)]
    return replies


async def run_all(gateway: LoopbackGateway, ticket: str, output: str) -> list[list[ChatReply]]:
    """Six agents at the same time."""
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(converse(gateway.admit(f"w{n}"), f"w{n}", ticket, output))
            for n in range(6)
        ]
    return [task.result() for task in tasks]


async def test_a_recorded_run_replays_without_the_provider(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    async with ScriptedVendor(provider_script) as provider:
        recording = Recording(forward(provider.base_url, KEY, trust_env=False))
        gateway = any_gateway(recording, CountingIds())
        await gateway.start()
        recorded = await run_all(gateway, "20260115-ab12", "written")
        await gateway.close()
        save_cassette(path, recording.cassette)
        asked = len(provider.received)
        assert asked == 6 * TURNS

        replaying = any_gateway(Replay(load_cassette(path)), CountingIds())
        await replaying.start()
        replayed = await run_all(replaying, "20270301-zz99", "written, but elsewhere")
        assert replaying.usage("w3") == gateway.usage("w3")
        assert replaying.usage("w3") == TokenUsage(input_tokens=400, output_tokens=80)
        await replaying.close()
        assert len(provider.received) == asked
    assert replayed == recorded
    assert [replies[-1].message.text for replies in replayed] == [f"w{n} is done" for n in range(6)]


def any_request(agent: str, turn: int, message: Json) -> Take:
    return Take(agent=agent, turn=turn, digest=None, reply=SPOKEN.read_answer(message))


@pytest.mark.parametrize(
    ("agent", "turns", "reason"),
    [
        ("stranger", 0, "worker-1 only"),
        ("worker-1", 1, "ends at turn 1"),
    ],
)
async def test_what_was_not_recorded_is_an_error_that_is_not_retried(
    agent: str, turns: int, reason: str
) -> None:
    cassette = Cassette(takes=(any_request("worker-1", 1, say_text("hello")),))
    gateway = any_gateway(Replay(cassette), CountingIds())
    await gateway.start()
    access = gateway.admit(agent)
    messages = [Message(role="user", text="go")]
    for _ in range(turns):
        messages += [Message(role="assistant", text="hello"), Message(role="user", text="on")]
    with pytest.raises(PmError) as caught:
        await HttpModel(AnthropicMessages(), access).chat(
            ChatRequest(model="m", system="", messages=tuple(messages))
        )
    await gateway.close()
    assert caught.value.code == "E605"
    assert not isinstance(caught.value, RetryableError)
    assert reason in caught.value.what()
    assert agent in caught.value.what("ja")


STREAMED: Json = {
    "model": "m",
    "stream": True,
    "system": "You are w1 .",
    "messages": [{"role": "user", "content": "go"}],
}


async def ask_for_stream(access: Access) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False, verify=False) as client:
        return await client.post(
            f"{access.base_url}/v1/messages?beta=true",
            content=msgspec.json.encode(STREAMED),
            headers={"authorization": f"Bearer {access.token}", "anthropic-beta": "some-beta"},
        )


async def test_a_streamed_answer_is_passed_on_recorded_and_replayed() -> None:
    async with ScriptedVendor(provider_script) as provider:
        recording = Recording(forward(provider.base_url, KEY, trust_env=False))
        gateway = any_gateway(recording, CountingIds())
        await gateway.start()
        live = await ask_for_stream(gateway.admit("w1"))
        assert gateway.usage("w1") == TokenUsage(input_tokens=100, output_tokens=20)
        await gateway.close()
        sent = provider.received[0]
    assert sent.path == "/v1/messages?beta=true"
    assert sent.headers["anthropic-beta"] == "some-beta"
    said = provider_script(STREAMED)
    assert live.content == b"".join(SPOKEN.write_stream(said))
    assert recording.cassette.takes[0].reply == SPOKEN.read_answer(said)

    replaying = any_gateway(Replay(recording.cassette), CountingIds())
    await replaying.start()
    replayed = await ask_for_stream(replaying.admit("w1"))
    await replaying.close()
    assert replayed.headers["content-type"].startswith("text/event-stream")
    assert whole_answer(SPOKEN, replayed.content)["content"] == said["content"]


async def test_an_agent_that_waits_for_a_stream_hears_pings() -> None:
    message = say_text("at last")

    async def slow(_: Exchange) -> None:
        await asyncio.sleep(0.35)

    cassette = Cassette(takes=(any_request("w1", 1, message),))
    gateway = any_gateway(Replay(cassette), CountingIds(), slow, patience=0.1)
    await gateway.start()
    response = await ask_for_stream(gateway.admit("w1"))
    broken = await ask_for_stream(gateway.admit("w2"))
    await gateway.close()
    assert response.content.startswith(SPOKEN.ping)
    assert whole_answer(SPOKEN, response.content)["content"] == message["content"]
    assert broken.content.startswith(SPOKEN.ping)
    assert b"event: error" in broken.content
    assert b"cassette_mismatch" in broken.content


OVERLOADED = say_error("overloaded_error", "Overloaded")


@pytest.mark.parametrize(
    ("stream", "status"),
    [
        (b"event: error\ndata: " + msgspec.json.encode(OVERLOADED) + b"\n\n", 529),
        (b'data: {"type":"error","error":{"type":"strange","message":"m"}}\n\n', 500),
        (b'data: {"type":"error","error":"strange"}\n\n', 500),
        (b'data: {"type":"message_start","message":{}}\n', 503),
        (b"data: nonsense\n\n", 503),
    ],
)
async def test_a_stream_that_breaks_becomes_a_plain_error(stream: bytes, status: int) -> None:
    def script(_: Json) -> Failure:
        return Failure(kind="garbage", body=stream, content_type="text/event-stream")

    async with ScriptedVendor(script) as provider:
        recording = Recording(forward(provider.base_url, KEY, trust_env=False))
        gateway = any_gateway(recording, CountingIds())
        await gateway.start()
        response = await ask_for_stream(gateway.admit("w1"))
        await gateway.close()
    assert response.status_code == status
    assert response.json()["type"] == "error"
    assert recording.cassette.takes == ()


async def test_a_stream_that_breaks_later_ends_with_an_error_and_is_not_recorded() -> None:
    frames = list(SPOKEN.write_stream(say_text("half a word")))
    half = b"".join(frames[:3])

    def script(_: Json) -> Failure:
        return Failure(kind="garbage", body=half, content_type="text/event-stream")

    async with ScriptedVendor(script) as provider:
        recording = Recording(forward(provider.base_url, KEY, trust_env=False))
        gateway = any_gateway(recording, CountingIds())
        await gateway.start()
        response = await ask_for_stream(gateway.admit("w1"))
        await gateway.close()
    assert response.status_code == 200
    assert response.content.startswith(half)
    assert b"event: error" in response.content[len(half) :]
    with pytest.raises(BrokenStreamError):
        whole_answer(SPOKEN, response.content)
    assert recording.cassette.takes == ()


@pytest.mark.parametrize("calls", [False, True])
async def test_a_stream_is_heard_while_it_comes_but_no_call_before_it_is_on_record(
    calls: bool,
) -> None:
    said = call_tools(("write_file", {"path": "a"}), text="I write.") if calls else say_text("Hi")
    frames = list(SPOKEN.write_stream(said))
    said_first, recorded = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")
        writer.write(b"connection: close\r\n\r\n" + b"".join(frames[:3]))
        await writer.drain()
        # The rest comes when the beginning was heard, and so it was heard before.
        await said_first.wait()
        writer.write(b"".join(frames[3:]))
        await writer.drain()
        writer.close()

    async def keep(_: Exchange) -> None:
        await recorded.wait()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    gateway = any_gateway(forward(url, KEY, trust_env=False), CountingIds(), keep)
    await gateway.start()
    access = gateway.admit("w1")
    heard = b""
    async with (
        asyncio.timeout(20),
        httpx2.AsyncClient(trust_env=False, verify=False) as client,
        client.stream(
            "POST",
            f"{access.base_url}/v1/messages",
            content=msgspec.json.encode(STREAMED),
            headers={"x-api-key": access.token},
        ) as response,
    ):
        async for chunk in response.aiter_bytes():
            heard += chunk
            if len(heard) >= len(b"".join(frames[:3])) and not said_first.is_set():
                assert b"tool_use" not in heard
                said_first.set()
                asyncio.get_running_loop().call_later(0.05, recorded.set)
            elif not recorded.is_set():
                assert b"tool_use" not in heard
                assert b"message_stop" not in heard
    await gateway.close()
    server.close()
    await server.wait_closed()
    assert heard == b"".join(frames)


async def test_the_real_key_goes_to_the_provider_and_nowhere_else(tmp_path: Path) -> None:
    """The provider repeats every header it was sent, in answers and in errors."""
    exchanges: list[Exchange] = []
    seen: list[bytes] = []

    async def keep(exchange: Exchange) -> None:
        exchanges.append(exchange)

    def echo(body: Json) -> Json | Failure:
        headers = str(provider.received[-1].headers)
        if body["system"].startswith("fail"):
            error = say_error("authentication_error", f"who is {headers}?")
            return Failure(kind="status", status=401, body=error)
        return say_text(f"I was sent {headers}")

    async with ScriptedVendor(echo) as provider:
        recording = Recording(forward(provider.base_url, KEY, trust_env=False))
        gateway = any_gateway(recording, CountingIds(), keep)
        await gateway.start()
        access = gateway.admit("w1")
        async with httpx2.AsyncClient(trust_env=False, verify=False) as client:
            for system, stream in (("ok", False), ("ok", True), ("fail", False), ("fail", True)):
                response = await client.post(
                    f"{access.base_url}/v1/messages",
                    content=msgspec.json.encode(STREAMED | {"system": system, "stream": stream}),
                    headers={"x-api-key": access.token, "cookie": "c=1", "x-other": "1"},
                )
                seen += [response.content, str(response.headers).encode()]
        await gateway.close()
        save_cassette(tmp_path / "run.json", recording.cassette)

    assert [request.headers["x-api-key"] for request in provider.received] == [KEY] * 4
    for request in provider.received:
        assert access.token not in str(request)
        assert not {"authorization", "cookie", "x-other"} & request.headers.keys()
    kept = [part for exchange in exchanges for part in (exchange.request, exchange.response)]
    written = (tmp_path / "run.json").read_bytes()
    for text in (*seen, *kept, written):
        assert KEY.encode() not in text
        assert access.token.encode() not in text
    assert sum(b"[MASKED:ANTHROPIC_KEY]" in text for text in seen) == 4


def test_the_heavy_libraries_load_when_the_gateway_starts() -> None:
    code = (
        "import sys\n"
        "import pm_orchestrator.adapters.gateway.server, pm_orchestrator.adapters.gateway.replay\n"
        "import pm_orchestrator.adapters.gateway.upstream, pm_orchestrator.dispatch.retry\n"
        "import pm_orchestrator.adapters.models.anthropic\n"
        "import pm_orchestrator.adapters.models.http_model\n"
        "heavy = {'starlette', 'uvicorn', 'httpx2', 'anyio'} & sys.modules.keys()\n"
        "print(sorted(heavy))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout == "[]\n"
