"""A provider on loopback that follows a script, and fails in every way a provider can.

It speaks HTTP by hand, because a real HTTP server would not let a test cut a
connection in the middle of an answer.
"""

import asyncio
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.ports.dialect import Dialect, Json


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is none."""

    kind: Literal["status", "garbage", "hang", "reset", "cut", "raw", "endless"]
    status: int = 500
    body: Json | bytes = b""
    """For `status` and `garbage`; `cut` sends half of it. `raw` is all that is sent, head and
    all; `endless` is sent again and again for as long as somebody reads."""
    pause: float = 0.0
    """Between the parts of what is endless."""
    content_type: str = "application/json"
    headers: dict[str, str] = {}
    encoding: str = "identity"
    """What the answer claims about its compression."""


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: Json


Script = Callable[[Json], Json | Failure]


class ScriptedVendor:
    """`async with ScriptedVendor(script) as server`: answers at `server.base_url`."""

    def __init__(self, script: Script, dialect: Dialect | None = None) -> None:
        self._script = script
        self._dialect = dialect or AnthropicMessages()
        self._open: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.base_url = ""
        self.listing: Json | Failure = Failure(kind="status", status=404)
        """What it says where it is asked for its models."""
        self.received: list[Received] = []

    async def __aenter__(self) -> "ScriptedVendor":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.base_url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
            tasks = list(self._open)
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)
            await self._server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await _receive(reader)
            self.received.append(request)
            match self._script(request.body) if request.body else self.listing:
                case Failure() as failure:
                    await _fail(failure, writer)
                case message if request.body and self._streamed(request):
                    stream = b"".join(self._dialect.write_stream(message))
                    writer.write(_response(200, stream, self._dialect.stream_type))
                case message:
                    writer.write(_response(200, msgspec.json.encode(message)))
            await writer.drain()
        except ConnectionError:
            # The client went away first, as impatient clients do.
            writer.transport.abort()
        finally:
            writer.close()

    def _streamed(self, request: Received) -> bool:
        path = request.path.partition("?")[0]
        if not self._dialect.route.fullmatch(path):
            return False
        return self._dialect.read_request(msgspec.json.encode(request.body), path).stream


async def _receive(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(
        path=head[0].split()[1],
        headers=headers,
        body=msgspec.json.decode(body, type=dict[str, Any]) if body else {},
    )


async def _fail(failure: Failure, writer: asyncio.StreamWriter) -> None:
    body = failure.body if isinstance(failure.body, bytes) else msgspec.json.encode(failure.body)
    match failure.kind:
        case "status":
            more, kind = failure.headers, failure.content_type
            writer.write(_response(failure.status, body, kind, failure.encoding, more))
        case "garbage":
            body = body or b"<html>busy</html>"
            writer.write(_response(200, body, failure.content_type, failure.encoding))
        case "hang":
            await asyncio.Event().wait()
        case "reset":
            writer.transport.abort()
        case "raw":
            writer.write(body)
        case "endless":
            head = f"HTTP/1.1 200 Scripted\r\ncontent-type: {failure.content_type}\r\n"
            writer.write(f"{head}connection: close\r\n\r\n".encode())
            while True:
                writer.write(body)
                await writer.drain()
                await asyncio.sleep(failure.pause)
        case "cut":
            whole = _response(200, body or b"{" * 1000)
            writer.write(whole[: len(whole) - 500])


def _response(
    status: int,
    body: bytes,
    kind: str = "application/json",
    encoding: str = "identity",
    more: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    head = f"HTTP/1.1 {status} Scripted\r\ncontent-type: {kind}\r\nconnection: close\r\n"
    head += f"content-encoding: {encoding}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in more.items())
    return head.encode() + b"content-length: %d\r\n\r\n%b" % (len(body), body)
