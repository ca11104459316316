"""Anthropic's Messages API as a ChatModel."""

import asyncio
import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.catalogue.error_texts import ERRORS
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.domain.setup.providers import KEY_VARIABLES
from pm_orchestrator.ports.chat_model import ChatModel, ModelFactory, Upstream
from pm_orchestrator.ports.gateway import Access

if TYPE_CHECKING:
    import httpx2

UPSTREAM = Upstream(
    base_url="https://api.anthropic.com",
    url_variable="ANTHROPIC_BASE_URL",
    key_variable=KEY_VARIABLES["anthropic"],
    key_header="x-api-key",
    key_form="{key}",
)
API_VERSION = "2023-06-01"
SENDABLE_KEY = re.compile(r"[A-Za-z0-9._~+/=-]+")
"""Checked here, because the client's own complaint about a bad header repeats it."""

BUSY = frozenset({408, 429})
OURS = "x-pm-error"
"""Set by our gateway on errors that carry one of our own slugs."""

OUT_OF_ROOM = frozenset({"max_tokens", "model_context_window_exceeded"})
NOTHING_SAID = "(nothing)"
"""The API refuses an empty message, and models do end a turn without a word."""


class AnthropicModel(ChatModel):
    """Asks `base_url`, normally the gateway, with `api_key`, normally an agent's token.

    Every call opens its own connection: that is cheap on loopback, and leaves nothing
    to close.
    """

    def __init__(self, base_url: str, api_key: str, timeout: float = 600.0) -> None:
        if SENDABLE_KEY.fullmatch(api_key) is None:
            raise PmError("model_refused", reason="the key has characters that no key has")
        self._url = base_url.rstrip("/") + "/v1/messages"
        self._key = api_key
        self._timeout = timeout

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        response = await self._post(to_json(_request_body(request)))
        if response.status_code != 200:
            raise _failure(response, self._key)
        return _reply(response.content)

    async def _post(self, body: bytes) -> "httpx2.Response":
        # Imported here: most commands never ask a model.
        import httpx2

        headers = {
            "anthropic-version": API_VERSION,
            "content-type": "application/json",
            "x-api-key": self._key,
        }
        # The errors below are raised `from None`: theirs carry the request, and so the key.
        try:
            async with (
                asyncio.timeout(self._timeout),
                httpx2.AsyncClient(
                    timeout=self._timeout,
                    # The proxy of the environment is for the gateway's way out, not for loopback.
                    trust_env=False,
                    # Loading certificates is slow and plain http has none to check.
                    verify=not self._url.startswith("http://"),
                ) as client,
            ):
                return await client.post(self._url, content=body, headers=headers)
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


class AnthropicModels(ModelFactory):
    """Makes models that speak Anthropic's Messages protocol."""

    @property
    @override
    def upstream(self) -> Upstream:
        return UPSTREAM

    @override
    def create(self, access: Access, timeout_s: float = 600.0) -> ChatModel:
        return AnthropicModel(access.base_url, access.token, timeout_s)


def _request_body(request: ChatRequest) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": [
            {"role": message.role, "content": _content(message)} for message in request.messages
        ],
    }
    if request.system:
        body["system"] = request.system
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
            for tool in request.tools
        ]
    return body


def _content(message: Message) -> list[dict[str, Any]]:
    # Results come first: the API wants them directly after the calls they answer.
    content: list[dict[str, Any]] = [
        {
            "type": "tool_result",
            "tool_use_id": result.call_id,
            "content": result.content,
            "is_error": result.is_error,
        }
        for result in message.tool_results
    ]
    if message.text.strip():
        content.append({"type": "text", "text": message.text})
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        for call in message.tool_calls
    ]
    return content or [{"type": "text", "text": NOTHING_SAID}]


class _Block(msgspec.Struct, frozen=True):
    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, Any] = {}


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0

    def total(self) -> TokenUsage:
        cached = (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        return TokenUsage(input_tokens=self.input_tokens + cached, output_tokens=self.output_tokens)


class _Answer(msgspec.Struct, frozen=True):
    type: Literal["message"]
    content: list[_Block]
    usage: _Usage
    stop_reason: str


class _ErrorDetail(msgspec.Struct, frozen=True):
    type: str
    message: str
    params: dict[str, str] = {}


class _Error(msgspec.Struct, frozen=True):
    error: _ErrorDetail


def _reply(body: bytes) -> ChatReply:
    try:
        answer = msgspec.json.decode(body, type=_Answer)
    except msgspec.DecodeError as error:
        raise PmError("model_answer_unreadable", reason=error) from error
    if answer.stop_reason == "refusal":
        raise PmError("model_refused", reason="the model declined to answer")
    calls = [block for block in answer.content if block.type == "tool_use"]
    if not all(call.id and call.name for call in calls):
        raise PmError("model_answer_unreadable", reason="a tool call without id or name")
    return ChatReply(
        message=Message(
            role="assistant",
            text="".join(block.text for block in answer.content if block.type == "text"),
            tool_calls=tuple(
                ToolCall(id=call.id, name=call.name, arguments=call.input) for call in calls
            ),
        ),
        usage=answer.usage.total(),
        stopped_early=answer.stop_reason in OUT_OF_ROOM,
    )


def _failure(response: "httpx2.Response", key: str) -> PmError:
    """Whose failure it is, from the status; why, from the body as far as it says."""
    status = response.status_code
    retryable = status in BUSY or status >= 500
    try:
        detail = msgspec.json.decode(response.content, type=_Error).error
    except msgspec.DecodeError:
        # Proxies answer in HTML; the status says enough.
        detail = _ErrorDetail(type="", message="")
    if OURS in response.headers and detail.type in ERRORS:
        kind = RetryableError if status == 503 else PmError
        return kind(detail.type, **detail.params)
    reason = f"HTTP {status}"
    if detail.message:
        reason += ": " + detail.message.replace(key, "[MASKED:ANTHROPIC_KEY]")[:300]
    if retryable:
        return RetryableError("model_unavailable", reason=reason)
    return PmError("model_refused", reason=reason)
