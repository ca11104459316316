"""The gateway's routes: who asks, what is asked, what may go back.

Agents are not trusted. A request without a valid token is refused before its body
is read, bodies are limited in size and time, and nothing that an agent could act on
leaves before its exchange is on record.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from urllib.parse import parse_qsl, urlencode

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from pm_orchestrator.adapters.gateway.answers import (
    AnswerSource,
    ModelAnswer,
    ModelQuestion,
    answer_in_form,
)
from pm_orchestrator.adapters.gateway.refusals import coded_error, vendor_error
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.dialect import UNREADABLE, Dialect, Json
from pm_orchestrator.ports.gateway import Admission

MAX_BODY_BYTES = 32 * 1024 * 1024
"""A provider's own limit."""

BODY_SECONDS = 30.0
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
HELD_FRAMES = 64
"""An agent that does not read makes the provider wait, not the gateway grow."""


class Endpoint:
    """Answers HTTP requests out of `source`, each in the dialect it is asked in.

    `admitted` tells whom a token was given to; `keep` is awaited with every
    answer before it ends. An agent that waits for a stream hears a ping every
    `patience` seconds.
    """

    def __init__(
        self,
        source: AnswerSource,
        dialects: Sequence[Dialect],
        admitted: Callable[[str], Admission | None],
        keep: Callable[[ModelQuestion, ModelAnswer], Awaitable[None]],
        patience: float,
    ) -> None:
        self._source = source
        self._dialects = dialects
        self._admitted = admitted
        self._keep = keep
        self._patience = patience
        self._open: set[asyncio.Task[ModelAnswer]] = set()
        self._closing = False

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self._asked, methods=METHODS)])

    async def close(self) -> None:
        """Break off every request; their agents are told that the gateway is closing."""
        self._closing = True
        tasks = list(self._open)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _asked(self, request: Request) -> Response:
        path = request.url.path
        spoken = next((d for d in self._dialects if d.route.fullmatch(path)), None)
        # Whoever asks elsewhere is told so in the dialect that comes nearest.
        near = [d for d in self._dialects if d.route.match(path)]
        dialect = spoken or next(iter([*near, *self._dialects]))
        admission = self._admission(request)
        if admission is None:
            return _respond(vendor_error(dialect, 401, "this key is not known here"))
        if spoken is None or request.method != "POST":
            reason = f"this gateway does not answer {request.method} {path}"
            return _respond(vendor_error(dialect, 404, reason))
        return await self._answered(admission, request, dialect)

    async def _answered(self, admission: Admission, request: Request, dialect: Dialect) -> Response:
        ear = _Ear()
        question = await _question(admission, request, dialect, ear)
        if isinstance(question, ModelAnswer):
            return _respond(question)
        if self._closing:
            return _respond(_closed(dialect))
        task = asyncio.create_task(self._settle(question))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        if not question.asked.stream:
            await asyncio.wait({task})
            return _respond(_outcome(task, dialect))
        first = await ear.next(task, self._patience)
        if first is None and task.done():
            return _respond(_outcome(task, dialect))
        stream = self._stream(question, task, ear, first)
        return StreamingResponse(stream, media_type=dialect.stream_type)

    async def _settle(self, question: ModelQuestion) -> ModelAnswer:
        try:
            answer = await self._source.answer(question)
        except PmError as error:
            answer = coded_error(question.dialect, error)
        try:
            await self._keep(question, answer)
        except PmError as error:
            return coded_error(question.dialect, error)
        return answer

    async def _stream(
        self,
        question: ModelQuestion,
        task: asyncio.Task[ModelAnswer],
        ear: "_Ear",
        first: bytes | None,
    ) -> AsyncIterator[bytes]:
        dialect, frame = question.dialect, first
        try:
            while frame is not None or not task.done():
                heard = dialect.ping if frame is None else frame
                if heard:
                    yield heard
                frame = await ear.next(task, self._patience)
            yield _rest(question, _outcome(task, dialect))
        finally:
            # Whoever hangs up has paid for the rest: it goes on record all the same.
            ear.close()

    def _admission(self, request: Request) -> Admission | None:
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        tokens = [request.headers.get(dialect.key_header, "") for dialect in self._dialects]
        if scheme.lower() == "bearer":
            tokens.append(bearer.strip())
        return next((found for token in tokens if (found := self._admitted(token))), None)


class _Ear:
    """Where the agent of one question hears the beginning of its answer."""

    def __init__(self) -> None:
        self._frames: asyncio.Queue[bytes] = asyncio.Queue(HELD_FRAMES)
        self._gone = False

    async def hear(self, frame: bytes) -> None:
        """Wait until there is room for `frame`."""
        if not self._gone:
            await self._frames.put(frame)

    def close(self) -> None:
        """Nobody listens any more, and nobody waits for that."""
        self._gone = True
        while not self._frames.empty():
            self._frames.get_nowait()

    async def next(self, task: asyncio.Task[ModelAnswer], patience: float) -> bytes | None:
        """The next frame; None when the answer has ended, or when nothing came for a while."""
        frames = self._frames
        if not frames.empty():
            return frames.get_nowait()
        coming = asyncio.create_task(frames.get())
        try:
            done = asyncio.FIRST_COMPLETED
            await asyncio.wait({coming, task}, timeout=patience, return_when=done)
            if not coming.done() and not frames.empty():
                await coming
            return coming.result() if coming.done() else None
        finally:
            coming.cancel()


def _rest(question: ModelQuestion, answer: ModelAnswer) -> bytes:
    """What the agent has not heard yet of an answer whose status it has."""
    dialect = question.dialect
    if answer.content_type == dialect.stream_type:
        return answer.body[answer.passed_on :]
    if answer.reply is not None:
        return answer_in_form(answer.reply, question).body
    try:
        error = msgspec.json.decode(answer.body, type=Json)
    except UNREADABLE:
        error = dialect.write_error(answer.status, "", f"HTTP {answer.status}")
    return dialect.error_frame(error)


async def _question(
    admission: Admission, request: Request, dialect: Dialect, ear: _Ear
) -> ModelQuestion | ModelAnswer:
    """What is asked, or the refusal of it."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = await _body(request)
    except (TimeoutError, ClientDisconnect):
        return vendor_error(dialect, 408, "the request did not arrive in full")
    if body is None:
        return vendor_error(dialect, 413, f"more than {MAX_BODY_BYTES} bytes")
    try:
        asked = dialect.read_request(body, request.url.path)
    except UNREADABLE as error:
        return vendor_error(dialect, 400, str(error))
    names = [name for name in dialect.passed_headers if name in request.headers]
    # A key may stand in the address, and the agent's is nobody else's.
    query = [(name, value) for name, value in parse_qsl(request.url.query) if name != "key"]
    return ModelQuestion(
        agent=admission.agent,
        adapter=admission.adapter,
        dialect=dialect,
        asked=asked,
        body=body,
        path=request.url.path,
        headers={name: request.headers[name] for name in names},
        query=urlencode(query),
        pass_on=ear.hear if asked.stream else None,
    )


async def _body(request: Request) -> bytes | None:
    """The body, or None as soon as it is too large."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return None
    return bytes(body)


def _outcome(task: asyncio.Task[ModelAnswer], dialect: Dialect) -> ModelAnswer:
    return _closed(dialect) if task.cancelled() else task.result()


def _closed(dialect: Dialect) -> ModelAnswer:
    return vendor_error(dialect, 503, "the gateway is closing")


def _respond(answer: ModelAnswer) -> Response:
    return Response(
        answer.body,
        status_code=answer.status,
        headers=answer.headers,
        media_type=answer.content_type,
    )
