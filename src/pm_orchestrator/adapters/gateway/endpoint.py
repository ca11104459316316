"""The gateway's routes: who asks, what is asked, what may go back.

Agents are not trusted. A request without a valid token is refused before its body
is read, bodies are limited in size and time, and an answer leaves only when its
exchange is on record.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from pm_orchestrator.adapters.gateway.answers import (
    STREAM_TYPE,
    AnswerSource,
    ModelAnswer,
    ModelQuestion,
)
from pm_orchestrator.adapters.gateway.refusals import coded_error, vendor_error
from pm_orchestrator.adapters.gateway.sse import PING, error_event
from pm_orchestrator.adapters.gateway.wire import parse_request
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.gateway import Admission

MAX_BODY_BYTES = 32 * 1024 * 1024
"""The provider's own limit."""

BODY_SECONDS = 30.0
PROTOCOL_HEADERS = ("anthropic-version", "anthropic-beta")
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


class Endpoint:
    """Answers HTTP requests out of `source`.

    `admitted` tells whom a token was given to; `keep` is awaited with every
    answer before it is sent. An agent that waits for a stream hears a ping every
    `patience` seconds.
    """

    def __init__(
        self,
        source: AnswerSource,
        admitted: Callable[[str], Admission | None],
        keep: Callable[[ModelQuestion, ModelAnswer], Awaitable[None]],
        patience: float,
    ) -> None:
        self._source = source
        self._admitted = admitted
        self._keep = keep
        self._patience = patience
        self._open: set[asyncio.Task[ModelAnswer]] = set()
        self._closing = False

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/messages", self._messages, methods=["POST"]),
                Route("/{path:path}", self._unknown, methods=METHODS),
            ]
        )

    async def close(self) -> None:
        """Break off every request; their agents are told that the gateway is closing."""
        self._closing = True
        tasks = list(self._open)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _messages(self, request: Request) -> Response:
        admission = self._admission(request)
        if admission is None:
            return _respond(_unauthorised())
        asked = await _question(admission, request)
        if isinstance(asked, ModelAnswer):
            return _respond(asked)
        if self._closing:
            return _respond(_closed())
        task = asyncio.create_task(self._settle(asked))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        await asyncio.wait({task}, timeout=self._patience if asked.request.stream else None)
        if task.done():
            return _respond(_outcome(task))
        return StreamingResponse(self._with_pings(task), media_type=STREAM_TYPE)

    async def _unknown(self, request: Request) -> Response:
        if self._admission(request) is None:
            return _respond(_unauthorised())
        reason = "this gateway answers POST /v1/messages only"
        return _respond(vendor_error(404, "not_found_error", reason))

    async def _settle(self, question: ModelQuestion) -> ModelAnswer:
        try:
            answer = await self._source.answer(question)
        except PmError as error:
            answer = coded_error(error)
        try:
            await self._keep(question, answer)
        except PmError as error:
            return coded_error(error)
        return answer

    async def _with_pings(self, task: asyncio.Task[ModelAnswer]) -> AsyncIterator[bytes]:
        while not task.done():
            yield PING
            await asyncio.wait({task}, timeout=self._patience)
        answer = _outcome(task)
        yield answer.body if answer.content_type == STREAM_TYPE else error_event(answer.body)

    def _admission(self, request: Request) -> Admission | None:
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        tokens = [request.headers.get("x-api-key", "")]
        if scheme.lower() == "bearer":
            tokens.append(bearer.strip())
        return next((found for token in tokens if (found := self._admitted(token))), None)


async def _question(admission: Admission, request: Request) -> ModelQuestion | ModelAnswer:
    """What is asked, or the refusal of it."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = await _body(request)
    except (TimeoutError, ClientDisconnect):
        return vendor_error(408, "timeout_error", "the request did not arrive in full")
    if body is None:
        return vendor_error(413, "request_too_large", f"more than {MAX_BODY_BYTES} bytes")
    try:
        parsed = parse_request(body)
    except msgspec.DecodeError as error:
        return vendor_error(400, "invalid_request_error", str(error))
    headers = {name: request.headers[name] for name in PROTOCOL_HEADERS if name in request.headers}
    return ModelQuestion(
        agent=admission.agent,
        adapter=admission.adapter,
        turn=parsed.turn(),
        request=parsed,
        body=body,
        headers=headers,
        query=request.url.query,
    )


async def _body(request: Request) -> bytes | None:
    """The body, or None as soon as it is too large."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return None
    return bytes(body)


def _outcome(task: asyncio.Task[ModelAnswer]) -> ModelAnswer:
    return _closed() if task.cancelled() else task.result()


def _closed() -> ModelAnswer:
    return vendor_error(503, "api_error", "the gateway is closing")


def _unauthorised() -> ModelAnswer:
    return vendor_error(401, "authentication_error", "invalid x-api-key")


def _respond(answer: ModelAnswer) -> Response:
    return Response(
        answer.body,
        status_code=answer.status,
        headers=answer.headers,
        media_type=answer.content_type,
    )
