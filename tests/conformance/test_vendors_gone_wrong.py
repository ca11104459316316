"""Whatever a vendor sends: one clear error, the right decision about trying again, no leak.

Each case is a row of a table and holds for every dialect. It ends in bounded time and memory,
for our own chat model and for a coding CLI that asks for a stream.
"""

import gzip
import json
import zlib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import msgspec
import pytest
from msgspec.structs import replace

from pm_orchestrator.adapters import http_post
from pm_orchestrator.adapters.gateway.server import LoopbackGateway
from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.bootstrap.traffic.gateway_source import model_behind
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.dialect import Dialect, Json
from pm_orchestrator.testing.benches.any_gateway import any_gateway
from pm_orchestrator.testing.memory.fake_clock import CountingIds
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor

FIRST, *OTHERS = MODELS.names
EACH = pytest.mark.parametrize(
    "name", [FIRST, *(pytest.param(other, marks=pytest.mark.long) for other in OTHERS)]
)
KEY = "key-of-the-vendor-0123456789"
PATIENCE = 1.5
"""Seconds; long enough for an answer on a busy machine."""
MOST = 200_000
"""Bytes; what is beyond is as good as endless."""
SAID = ChatReply(
    message=Message(role="assistant", text="Hello"),
    usage=TokenUsage(input_tokens=12, output_tokens=3),
)
ASK = ChatRequest(model="m", system="", messages=(Message(role="user", text="hello"),))


class Case(msgspec.Struct, frozen=True):
    """What is sent, and what a model of ours makes of it."""

    sends: Callable[[Dialect], Failure]
    code: str
    """Of the error; empty for an answer."""
    later: bool = False
    """Trying again may help."""
    streams: int = 409
    """The status that a client which asked for a stream hears, or 200 with an error in it."""


def answer(dialect: Dialect) -> bytes:
    return to_json(dialect.write_answer(SAID, "m"))


def sent(body: bytes, **how: Any) -> Failure:
    return Failure(kind="garbage", body=body, **how)


def inside(status: int) -> Callable[[Dialect], Failure]:
    """200, and an error in the body."""

    def wrapped(dialect: Dialect) -> Failure:
        # Who is shown no key has none to repeat.
        repeats = "a key of nobody" if dialect.name == "ollama" else KEY
        error: Json = dialect.write_error(status, "", f"no: {repeats}")
        if dialect.name.startswith("openai"):
            error["error"]["code"] = status
        return sent(to_json(error))

    return wrapped


def bomb(times: int) -> Callable[[Dialect], Failure]:
    """Much in little, packed as often as it claims to be."""
    packed = b"0" * 50_000_000
    for _ in range(times):
        packed = gzip.compress(packed)
    return lambda _: sent(packed, encoding=", ".join(["gzip"] * times))


def headed(line: bytes) -> Callable[[Dialect], Failure]:
    """An answer with one more line in its head."""

    def raw(dialect: Dialect) -> Failure:
        body = answer(dialect)
        head = b"HTTP/1.1 200 OK\r\n%b\r\ncontent-length: %d\r\n\r\n" % (line, len(body))
        return Failure(kind="raw", body=head + body)

    return raw


TABLE = {
    "half of its JSON": Case(lambda d: sent(answer(d)[:-9]), "E603"),
    "HTML with a success": Case(lambda _: sent(b"<html>", content_type="text/html"), "E603"),
    "an answer called text": Case(
        lambda d: sent(answer(d), content_type="text/plain"), "", streams=200
    ),
    "no UTF-8": Case(lambda _: sent(b'{"a": "\xff\xfe"}'), "E603"),
    "JSON without a floor": Case(lambda _: sent(b'{"a":' * 30_000), "E603"),
    "another JSON": Case(lambda _: sent(b"[1]"), "E603"),
    "a busy error in a success": Case(inside(429), "E601", later=True, streams=429),
    "a refusal in a success": Case(inside(400), "E602", streams=400),
    "much in little": Case(bomb(1), "E603"),
    "everything in nothing": Case(bomb(2), "E603"),
    "an unknown compression": Case(lambda d: sent(answer(d), encoding="br"), "E603"),
    "a broken compression": Case(lambda d: sent(answer(d), encoding="gzip"), "E603"),
    "a whole compressed answer": Case(
        lambda d: sent(gzip.compress(answer(d)), encoding="gzip"), "", streams=200
    ),
    "a deflated answer": Case(
        lambda d: sent(zlib.compress(answer(d)), encoding="deflate"), "", streams=200
    ),
    "a body without end": Case(lambda _: Failure(kind="endless", body=b" " * 65_536), "E603"),
    "a body drop by drop": Case(
        lambda _: Failure(kind="endless", body=b" ", pause=0.1), "E601", later=True, streams=503
    ),
    "nothing at all": Case(lambda _: Failure(kind="hang"), "E601", later=True, streams=503),
    "a head without end": Case(headed(b"x: " + b"y" * 500_000), "E601", later=True, streams=503),
    "no HTTP": Case(
        lambda _: Failure(kind="raw", body=b"220 smtp\r\n\r\n"), "E601", later=True, streams=503
    ),
    "a way on to elsewhere": Case(
        lambda _: Failure(kind="status", status=302, headers={"location": "http://127.0.0.1:9/"}),
        "E602",
        streams=302,
    ),
    "a wait that is no number": Case(
        lambda _: Failure(kind="status", status=429, headers={"retry-after": "nan"}),
        "E601",
        later=True,
        streams=429,
    ),
    "a key in a header": Case(headed(b"request-id: " + KEY.encode()), "", streams=200),
}
NO_STATUS = Case(inside(500), "E601", later=True, streams=502)
"""An error of Ollama's says nothing but words."""


def row(case: str, name: str) -> Case:
    return NO_STATUS if name == "ollama" and case.endswith("in a success") else TABLE[case]


@asynccontextmanager
async def vendor_that(
    sends: Failure, name: str, ids: CountingIds
) -> AsyncGenerator[LoopbackGateway]:
    factory = MODELS.load(name)
    async with ScriptedVendor(lambda _: sends, factory.dialect) as provider:
        there = replace(factory.upstream, url_variable="URL")
        keys = {} if there.key_variable is None else {there.key_variable: KEY}
        source = Forward(there, {"URL": provider.base_url, **keys}, PATIENCE, trust_env=False)
        gateway = any_gateway(source, ids)
        await gateway.start()
        try:
            yield gateway
        finally:
            await gateway.close()


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_post, "MOST_BYTES", MOST)


@EACH
@pytest.mark.parametrize("case", TABLE)
async def test_a_model_hears_one_clear_error(case: str, name: str, ids: CountingIds) -> None:
    wrong = row(case, name)
    async with vendor_that(wrong.sends(MODELS.load(name).dialect), name, ids) as gateway:
        model = model_behind(gateway, "worker-1", name, 8 * PATIENCE)
        if not wrong.code:
            assert (await model.chat(ASK)).message.text == "Hello"
            return
        with pytest.raises(PmError) as caught:
            await model.chat(ASK)
    error = caught.value
    assert (error.code, isinstance(error, RetryableError)) == (wrong.code, wrong.later)
    # Nobody can wait for a time that is none.
    assert error.params.get("seconds", "") == ""
    assert KEY not in f"{error!r} {error.what()} {error.hint()}"
    assert len(error.what()) < 1500


async def streamed(gateway: LoopbackGateway, dialect: Dialect) -> httpx2.Response:
    """What a client hears that asks for a stream."""
    access = gateway.admit("worker-1")
    body, path = dialect.write_request(ASK) | {"stream": True}, dialect.path(ASK)
    if dialect.name == "gemini":
        del body["stream"]
        path = path.replace("generateContent", "streamGenerateContent") + "?alt=sse"
    async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=30) as client:
        return await client.post(
            access.base_url + path, json=body, headers={"authorization": f"Bearer {access.token}"}
        )


@EACH
@pytest.mark.parametrize("case", TABLE)
async def test_a_client_that_streams_hears_one_clear_status(
    case: str, name: str, ids: CountingIds
) -> None:
    wrong, dialect = row(case, name), MODELS.load(name).dialect
    async with vendor_that(wrong.sends(dialect), name, ids) as gateway:
        heard = await streamed(gateway, dialect)
    assert heard.status_code == wrong.streams
    if MODELS.load(name).upstream.key_variable is not None:
        assert KEY.encode() not in heard.content
        assert KEY not in str(heard.headers)
    if wrong.streams == 200:
        assert heard.headers["content-type"].startswith(dialect.stream_type)
        assert b"Hello" in heard.content


STREAMS: dict[str, tuple[Callable[[bytes], Failure], int]] = {
    "half of it": (lambda whole: sent(whole[: len(whole) // 2]), 503),
    "nothing": (lambda _: sent(b" "), 503),
    "no frames": (lambda _: sent(b"data: {" * 5), 503),
    "a frame without end": (lambda _: Failure(kind="endless", body=b"x" * 65_536), 409),
    "pings for ever": (lambda _: Failure(kind="endless", body=b":\n\n" * 20_000), 409),
    "half of its packing": (lambda whole: sent(gzip.compress(whole)[:-20], encoding="gzip"), 503),
    "a packed one": (lambda whole: sent(gzip.compress(whole), encoding="gzip"), 200),
}


@EACH
@pytest.mark.parametrize("case", STREAMS)
async def test_a_torn_or_endless_stream_is_an_error(case: str, name: str, ids: CountingIds) -> None:
    """Told by the status where nothing was heard yet, else by an error in the stream."""
    dialect = MODELS.load(name).dialect
    make, status = STREAMS[case]
    sends = make(b"".join(dialect.write_stream(dialect.write_answer(SAID, "m"))))
    sends = replace(sends, content_type=dialect.stream_type)
    async with vendor_that(sends, name, ids) as gateway:
        heard = await streamed(gateway, dialect)
        if status == 200:
            assert b"Hello" in heard.content
            assert gateway.usage("worker-1") == SAID.usage
            return
    reader = dialect.stream_reader()
    if heard.status_code == 200:
        last = [frame for frame in dialect.frame_end.split(heard.content) if frame.strip()][-1]
        assert b"error" in last
    else:
        assert heard.status_code in {status, 503}
        assert dialect.read_error(heard.content).message
    assert not reader.ended


@EACH
async def test_calls_under_one_id_are_told_apart(name: str, ids: CountingIds) -> None:
    """And an unknown or missing tool is the loop's to refuse: the call arrives as it was made."""
    twice = tuple(ToolCall(id="same", name=tool, arguments={}) for tool in ("read", "no_such"))
    dialect = MODELS.load(name).dialect
    said = replace(SAID, message=Message(role="assistant", tool_calls=twice))
    sends = sent(to_json(dialect.write_answer(said, "m")))
    async with vendor_that(sends, name, ids) as gateway:
        reply = await model_behind(gateway, "worker-1", name, 8 * PATIENCE).chat(ASK)
    calls = reply.message.tool_calls
    assert [call.name for call in calls] == ["read", "no_such"]
    assert len({call.id for call in calls}) == 2


@EACH
async def test_a_stream_that_nobody_asked_for_is_read(name: str, ids: CountingIds) -> None:
    dialect = MODELS.load(name).dialect
    stream = b"".join(dialect.write_stream(dialect.write_answer(SAID, "m")))
    async with vendor_that(sent(stream, content_type=dialect.stream_type), name, ids) as gateway:
        reply = await model_behind(gateway, "worker-1", name, 8 * PATIENCE).chat(ASK)
    assert reply == SAID


@pytest.mark.long
async def test_a_hundred_megabytes_are_refused_in_bounded_memory(
    ids: CountingIds, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    monkeypatch.setattr(http_post, "MOST_BYTES", 64 * 1024**2)
    body = json.dumps({"x": "y" * 1000}).encode() * 100_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with vendor_that(sent(body), FIRST, ids) as gateway:
        with pytest.raises(PmError, match="E603"):
            await model_behind(gateway, "worker-1", FIRST, 60).chat(ASK)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    # The answer that is gathered, and the vendor of this test with its own copies.
    assert grown < 500 * 1024
