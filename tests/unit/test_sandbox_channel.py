"""The host's side of the channel against tool servers that misbehave."""

import asyncio
import json
from collections.abc import Callable

import pytest

from pm_orchestrator.adapters.sandboxes import channel_sandbox
from pm_orchestrator.adapters.sandboxes.channel import Multiplexer
from pm_orchestrator.adapters.sandboxes.channel_sandbox import ChannelSandbox
from pm_orchestrator.adapters.sandboxes.frames import (
    CREDIT,
    HEADER,
    MAX_DATA,
    VERSION,
    FrameKind,
    pack,
    pack_json,
    parse_header,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.scripted.scripted_channel import ScriptedChannel

Server = Callable[[FrameKind, int], bytes]


def silent(_kind: FrameKind, _stream: int) -> bytes:
    return b""


def scripted(server: Server) -> ScriptedChannel:
    """A tool server that greets properly and then answers frame by frame."""

    def answer(heard: bytes) -> bytes:
        # Neither the program text nor an OPEN looks like the other's header here.
        if heard[4:].startswith(b"program"):
            return b""
        _, kind, stream = parse_header(heard[: HEADER.size])
        if kind is FrameKind.HELLO:
            return pack_json(FrameKind.HELLO, 0, {"version": VERSION})
        return server(kind, stream)

    return ScriptedChannel(answer)


async def sandbox_with(server: Server, ping_every_s: float = 60.0) -> ChannelSandbox:
    multiplexer = Multiplexer(scripted(server), ping_every_s=ping_every_s)
    await multiplexer.start(b"program", {})
    return ChannelSandbox(multiplexer, unenforced=(), kill_grace_s=0.1)


def result(stream: int, **fields: object) -> bytes:
    return pack_json(FrameKind.RES, stream, dict(fields))


async def test_a_run_is_put_together_from_its_frames() -> None:
    def server(_kind: FrameKind, stream: int) -> bytes:
        parts = [pack(FrameKind.DATA, stream, b"o1"), pack(FrameKind.ERRDATA, stream, b"e")]
        parts += [pack(FrameKind.DATA, stream, b"o2"), result(stream, exit_code=3, held=True)]
        return b"".join(parts)

    sandbox = await sandbox_with(server)
    answer = await sandbox.run(("x",))
    assert (answer.stdout, answer.stderr, answer.exit_code) == (b"o1o2", b"e", 3)
    assert (answer.held, answer.truncated) == (True, False)
    await sandbox.close()


FOUL_ANSWERS: dict[str, Callable[[int], bytes]] = {
    "nonsense": lambda s: result(s, exit_code="zero"),
    "no-object": lambda s: pack(FrameKind.RES, s, b"[]"),
    "reset": lambda s: pack_json(FrameKind.RST, s, {"reason": "no"}),
    "opens-ours": lambda s: pack_json(FrameKind.OPEN, s, {}),
    "future-stream": lambda s: result(s + 2),
    "even-stream": lambda _: pack(FrameKind.DATA, 2, b"x"),
    "too-much-credit": lambda s: pack_json(FrameKind.WINDOW, s, {"credit": 1}),
    "flood": lambda s: pack(FrameKind.DATA, s, bytes(MAX_DATA)) * (CREDIT // MAX_DATA + 1),
}


@pytest.mark.parametrize("name", FOUL_ANSWERS)
async def test_a_sandbox_that_breaks_the_rules_is_gone(name: str) -> None:
    sandbox = await sandbox_with(lambda _kind, stream: FOUL_ANSWERS[name](stream))
    async with asyncio.timeout(5):
        with pytest.raises(PmError, match="E702"):
            await sandbox.run(("x",))
        await sandbox.close()


async def test_more_than_was_asked_for_is_not_accepted() -> None:
    sandbox = await sandbox_with(
        lambda _kind, stream: pack(FrameKind.DATA, stream, b"12345") + result(stream)
    )
    with pytest.raises(PmError, match="E702"):
        await sandbox.read_file("x", limit=4)
    await sandbox.close()


@pytest.mark.parametrize("listing", [b"", b"{", b"[[1,2,3]]", b'{"a":1}', b"[" * 100_000])
async def test_a_listing_that_makes_no_sense_is_not_accepted(listing: bytes) -> None:
    def server(_kind: FrameKind, stream: int) -> bytes:
        pieces = [listing[at : at + MAX_DATA] for at in range(0, len(listing), MAX_DATA)]
        return b"".join([*(pack(FrameKind.DATA, stream, p) for p in pieces), result(stream)])

    sandbox = await sandbox_with(server)
    with pytest.raises(PmError, match="E702"):
        await sandbox.list_directory(".")
    await sandbox.close()


async def test_names_that_are_not_text_survive() -> None:
    name = "\udcff"
    listing = json.dumps([[name, "file", 1]]).encode()
    sandbox = await sandbox_with(
        lambda _kind, stream: pack(FrameKind.DATA, stream, listing) + result(stream)
    )
    assert (await sandbox.list_directory("."))[0].name == name
    await sandbox.close()


async def test_an_early_refusal_ends_a_write() -> None:
    def server(kind: FrameKind, stream: int) -> bytes:
        return result(stream, refused="no space") if kind is FrameKind.OPEN else b""

    sandbox = await sandbox_with(server)
    async with asyncio.timeout(5):
        with pytest.raises(PmError, match="no space"):
            await sandbox.write_file("x", bytes(CREDIT * 3))
    await sandbox.close()


async def test_a_write_waits_for_credit_and_can_be_cancelled() -> None:
    heard: list[FrameKind] = []

    def server(kind: FrameKind, _stream: int) -> bytes:
        heard.append(kind)
        return b""

    sandbox = await sandbox_with(server)
    writing = asyncio.create_task(sandbox.write_file("x", bytes(CREDIT * 3)))
    await asyncio.wait({writing}, timeout=0.05)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert heard == [FrameKind.OPEN, *[FrameKind.DATA] * (CREDIT // MAX_DATA), FrameKind.RST]
    await sandbox.close()


async def test_a_cancelled_run_waits_for_the_end_of_its_command() -> None:
    stopped: list[int] = []

    def server(kind: FrameKind, stream: int) -> bytes:
        if kind is FrameKind.RST:
            stopped.append(stream)
        return b""

    channel = scripted(server)
    multiplexer = Multiplexer(channel)
    await multiplexer.start(b"program", {})
    sandbox = ChannelSandbox(multiplexer, unenforced=(), kill_grace_s=0.1)
    running = asyncio.create_task(sandbox.run(("x",)))
    await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.wait({running}, timeout=0.05)
    assert not running.done()
    channel.say(result(stopped[0]))
    with pytest.raises(asyncio.CancelledError):
        await running
    await sandbox.close()


async def test_the_death_of_the_child_ends_every_request_with_its_last_words() -> None:
    channel = scripted(silent)
    multiplexer = Multiplexer(channel)
    await multiplexer.start(b"program", {})
    sandbox = ChannelSandbox(multiplexer, unenforced=(), kill_grace_s=0.1)
    requests = [asyncio.create_task(sandbox.read_file("x")) for _ in range(40)]
    await asyncio.sleep(0.01)
    channel.end()
    await asyncio.wait(requests, timeout=5)
    for request in requests:
        with pytest.raises(PmError, match="last words"):
            request.result()
    await sandbox.close()


async def test_a_frozen_tool_server_is_noticed() -> None:
    sandbox = await sandbox_with(silent, ping_every_s=0.02)
    async with asyncio.timeout(5):
        with pytest.raises(PmError, match="no longer answers"):
            await sandbox.read_file("x")
    await sandbox.close()


async def test_pings_get_through_when_every_slot_is_taken() -> None:
    pings: list[int] = []
    three = asyncio.Event()

    def server(_kind: FrameKind, stream: int) -> bytes:
        # The first 32 requests fill the slots; what comes after them is a ping.
        if stream > 64:
            pings.append(stream)
            if len(pings) == 3:
                three.set()
            return result(stream)
        return b""

    sandbox = await sandbox_with(server, ping_every_s=0.02)
    requests = [asyncio.create_task(sandbox.read_file("x")) for _ in range(40)]
    await asyncio.wait_for(three.wait(), 20)
    assert not any(request.done() for request in requests)
    await sandbox.close()
    await asyncio.wait(requests)
    assert all(isinstance(request.exception(), PmError) for request in requests)


async def test_a_command_that_is_never_reported_ends_the_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(channel_sandbox, "ANSWER_SLACK_S", 0.01)
    channel = scripted(silent)
    multiplexer = Multiplexer(channel)
    await multiplexer.start(b"program", {})
    sandbox = ChannelSandbox(multiplexer, unenforced=(), kill_grace_s=0.0)
    with pytest.raises(PmError, match="deadline"):
        await sandbox.run(("x",), timeout_s=0.01)
    assert channel.closed
