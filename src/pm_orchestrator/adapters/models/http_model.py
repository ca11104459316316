"""A chat model behind HTTP, in whatever dialect its vendor speaks."""

from collections.abc import Mapping
from math import isfinite
from urllib.parse import unquote

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.http_post import new_client, posting, sendable
from pm_orchestrator.domain.catalogue.error_texts import ERRORS
from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.dialect import UNREADABLE, Dialect, Json, VendorFailure
from pm_orchestrator.ports.gateway import OURS, Access

LATER = frozenset({408, 425})
BUSY = frozenset({429, 529})
UNAVAILABLE = 503


class _Ours(msgspec.Struct, frozen=True):
    slug: str
    params: dict[str, str]


class HttpModel(ChatModel):
    """Asks through `access`, normally the gateway with an agent's token.

    Every call opens its own connection: that is cheap on loopback, and leaves nothing
    to close.
    """

    def __init__(
        self,
        dialect: Dialect,
        access: Access,
        timeout: float = 600.0,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> None:
        """`temperature` and `max_tokens`, where given, go before what a request says."""
        self._dialect = dialect
        self._key = sendable(access.token)
        self._base_url = access.base_url.rstrip("/")
        self._timeout = timeout
        given = {"temperature": temperature, "max_tokens": max_tokens}
        self._given = {name: value for name, value in given.items() if value is not None}

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        dialect, request = self._dialect, msgspec.structs.replace(request, **self._given)
        body = to_json(dialect.write_request(request))
        shown = {dialect.key_header: self._key}
        if dialect.key_header == "authorization":
            shown = {"authorization": f"Bearer {self._key}"}
        headers = {**dialect.headers, "content-type": "application/json", **shown}
        url = self._base_url + dialect.path(request)
        # The proxy of the environment is for the gateway's way out, not for loopback.
        async with (
            new_client(url, self._timeout, trust_env=False) as client,
            posting(client, url, body, headers, self._timeout) as posted,
        ):
            answer = await posted.body()
        if posted.status != 200:
            raise self._failure(posted.status, posted.headers, answer)
        return self._reply(answer)

    def _reply(self, body: bytes) -> ChatReply:
        try:
            reply = self._dialect.read_answer(msgspec.json.decode(body, type=Json))
        except UNREADABLE as error:
            raise PmError("model_answer_unreadable", reason=error) from error
        if reply.declined:
            raise PmError("model_refused", reason="the model declined to answer")
        return reply

    def _failure(self, status: int, headers: Mapping[str, str], body: bytes) -> PmError:
        """Whose failure it is, from the status; why, from the body as far as it says."""
        ours = _ours(headers.get(OURS, ""))
        if ours is not None:
            kind = RetryableError if status == UNAVAILABLE else PmError
            return kind(ours.slug, **ours.params)
        failed = self._dialect.read_error(body)
        reason = f"HTTP {status}"
        if failed.message:
            reason += ": " + failed.message.replace(self._key, "[MASKED:MODEL_KEY]")[:300]
        if failed.final:
            return PmError("model_refused", reason=reason)
        wait = _seconds(headers.get("retry-after", ""), failed)
        if status in BUSY or failed.busy or (status == UNAVAILABLE and wait is not None):
            seconds = "" if wait is None else f"{wait:g}"
            return RetryableError("model_busy", reason=reason, seconds=seconds)
        if status in LATER or status >= 500:
            return RetryableError("model_unavailable", reason=reason)
        return PmError("model_refused", reason=reason)


def _ours(header: str) -> _Ours | None:
    """The error of our own gateway that a header carries."""
    try:
        ours = msgspec.json.decode(unquote(header), type=_Ours)
    except UNREADABLE:
        return None
    return ours if ours.slug in ERRORS else None


def _seconds(header: str, failed: VendorFailure) -> float | None:
    """How long to wait, where somebody said so; a date is not asked after."""
    try:
        seconds = float(header)
    except ValueError:
        return failed.retry_after
    return max(seconds, 0.0) if isfinite(seconds) else None
