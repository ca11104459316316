"""The way out to the provider: the only code that holds the real key.

What agents send as credentials never gets here, and what the provider answers is
searched for the key before it goes back: some error messages repeat it. Where that is,
and how a request shows the key, the model's adapter says.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import (
    JSON_TYPE,
    STREAM_TYPE,
    AnswerSource,
    ModelAnswer,
    ModelQuestion,
)
from pm_orchestrator.adapters.gateway.sse import BrokenStreamError, from_events
from pm_orchestrator.adapters.gateway.wire import parse_message
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.chat_model import Upstream

if TYPE_CHECKING:
    import httpx2

API_VERSION = "2023-06-01"
SENDABLE_KEY = re.compile(r"[A-Za-z0-9._~+/=-]+")
"""Keys are plain tokens; anything else would be a pasting mistake, and unsafe in a header."""

PASSED_BACK = ("retry-after", "request-id")

STATUS_OF_ERROR = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


class Forward(AnswerSource):
    """Sends questions `upstream` with the real key in place of the agent's token.

    A stream is collected before it is passed on: the exchange has to be on record
    before the agent can act on any part of it.
    """

    def __init__(
        self,
        upstream: Upstream,
        variables: Mapping[str, str],
        timeout: float = 600.0,
        trust_env: bool = True,
    ) -> None:
        self._key = upstream.key(variables)
        if upstream.key_variable is not None and SENDABLE_KEY.fullmatch(self._key) is None:
            raise PmError("model_refused", reason="the key has characters that no key has")
        self._url = upstream.address(variables).rstrip("/") + "/v1/messages"
        self._upstream = upstream
        self._timeout = timeout
        self._trust_env = trust_env
        self._client: httpx2.AsyncClient | None = None

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        response = await self._post(question)
        body = self._masked(response.content)
        headers = {name: response.headers[name] for name in PASSED_BACK if name in response.headers}
        kind: str = response.headers.get("content-type", JSON_TYPE).partition(";")[0].strip()
        if response.status_code != 200:
            return ModelAnswer(
                status=response.status_code, body=body, content_type=kind, headers=headers
            )
        if kind == STREAM_TYPE:
            return _streamed(body, headers)
        try:
            message = parse_message(body)
        except msgspec.DecodeError:
            # Passed on as it is: the agent's own client says best what it cannot read.
            message = None
        return ModelAnswer(
            status=200, body=body, content_type=kind, headers=headers, message=message
        )

    @override
    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _post(self, question: ModelQuestion) -> "httpx2.Response":
        import httpx2

        client = self._open()
        url = f"{self._url}?{question.query}" if question.query else self._url
        headers = {"anthropic-version": API_VERSION} | question.headers
        # The errors below are raised `from None`: theirs carry the request, and so the key.
        try:
            async with asyncio.timeout(self._timeout):
                return await client.post(
                    url,
                    content=question.body,
                    headers=headers
                    | {"content-type": JSON_TYPE}
                    | self._upstream.credentials(self._key),
                )
        except (httpx2.TimeoutException, TimeoutError):
            reason = f"no answer within {self._timeout:g} s"
            raise RetryableError("model_unavailable", reason=reason) from None
        except (httpx2.UnsupportedProtocol, httpx2.InvalidURL):
            raise PmError("model_refused", reason="its address is no http(s) URL") from None
        except httpx2.TransportError as error:
            reason = f"the connection failed ({type(error).__name__})"
            raise RetryableError("model_unavailable", reason=reason) from None
        except httpx2.DecodingError:
            reason = "its compression is broken"
            raise PmError("model_answer_unreadable", reason=reason) from None

    def _masked(self, body: bytes) -> bytes:
        if not self._key:
            return body
        name = (self._upstream.key_variable or "").replace("_API_KEY", "_KEY")
        return body.replace(self._key.encode(), f"[MASKED:{name}]".encode())

    def _open(self) -> "httpx2.AsyncClient":
        if self._client is None:
            import httpx2

            self._client = httpx2.AsyncClient(
                timeout=self._timeout,
                trust_env=self._trust_env,
                # Loading certificates is slow and plain http has none to check.
                verify=not self._url.startswith("http://"),
            )
        return self._client


def _streamed(body: bytes, headers: dict[str, str]) -> ModelAnswer:
    """A collected stream; one that broke off becomes the plain error it stands for."""
    try:
        message = from_events(body)
    except BrokenStreamError as broken:
        if broken.error is None:
            raise RetryableError("model_unavailable", reason=broken) from broken
        match broken.error.get("error"):
            case {"type": str(kind)}:
                status = STATUS_OF_ERROR.get(kind, 500)
            case _:
                status = 500
        return ModelAnswer(
            status=status,
            body=msgspec.json.encode(broken.error),
            headers=headers,
        )
    return ModelAnswer(
        status=200, body=body, content_type=STREAM_TYPE, headers=headers, message=message
    )
