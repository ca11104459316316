"""Google's generateContent protocol."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.models.wire_forms import (
    NOTHING_SAID,
    SseDialect,
    distinct,
    given,
    names_of_calls,
    sse,
    sse_data,
)
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
    ToolDefinition,
    ToolResult,
    Verbatim,
)
from pm_orchestrator.ports.chat_model import ModelFactory, Upstream
from pm_orchestrator.ports.dialect import (
    UNREADABLE,
    BrokenStreamError,
    Dialect,
    Inquiry,
    Json,
    StreamReader,
    VendorFailure,
)

STREAMED = "streamGenerateContent"
NOT_OURS = "skip_thought_signature_validator"
"""The vendor's own word for a call that its model did not make: it refuses one without any."""
DECLINED = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"}
)


class _Call(msgspec.Struct, frozen=True):
    name: str
    args: Json | None = None
    id: str = ""


class _Result(msgspec.Struct, frozen=True):
    name: str
    response: Json = {}
    id: str = ""


class _Part(msgspec.Struct, frozen=True, rename="camel"):
    text: str | None = None
    thought: bool = False
    thought_signature: str | None = None
    function_call: _Call | None = None
    function_response: _Result | None = None


class _Content(msgspec.Struct, frozen=True):
    parts: list[Json] | None = None
    role: str = "user"

    def read(self) -> list[_Part]:
        return msgspec.convert(self.parts or [], list[_Part])

    def words(self) -> str:
        return "".join(part.text or "" for part in self.read() if not part.thought)


class _Function(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    description: str = ""
    parameters: Json | None = None
    parameters_json_schema: Json | None = None


class _Tools(msgspec.Struct, frozen=True, rename="camel"):
    function_declarations: list[_Function] | None = None


class _Request(msgspec.Struct, frozen=True, rename="camel"):
    contents: list[_Content]
    system_instruction: _Content | None = None
    tools: list[_Tools] | None = None
    generation_config: Json | None = None


class _Usage(msgspec.Struct, frozen=True, rename="camel"):
    prompt_token_count: int = 0
    tool_use_prompt_token_count: int = 0
    candidates_token_count: int = 0
    thoughts_token_count: int = 0


class _Candidate(msgspec.Struct, frozen=True, rename="camel"):
    finish_reason: str
    content: _Content | None = None


class _Answer(msgspec.Struct, frozen=True, rename="camel"):
    candidates: list[_Candidate] | None = None
    usage_metadata: _Usage | None = None
    prompt_feedback: Json | None = None


class _Said(msgspec.Struct, frozen=True):
    message: str
    code: int = 500
    status: str = ""
    details: list[Json] | None = None


class _Failed(msgspec.Struct, frozen=True):
    error: _Said


class GeminiContent(SseDialect):
    """`POST /v1beta/models/MODEL:generateContent`, the model being part of the path."""

    name = "gemini"
    route = re.compile(rf"/v1(?:alpha|beta)?/models/([^/:]+):(generateContent|{STREAMED})")
    key_header = "x-goog-api-key"
    passed_headers = ("x-goog-api-client",)

    @override
    def path(self, request: ChatRequest) -> str:
        return f"/v1beta/models/{request.model}:generateContent"

    @override
    def write_request(self, request: ChatRequest) -> Json:
        names = names_of_calls(request.messages)
        config = given(maxOutputTokens=request.max_tokens, temperature=request.temperature)
        contents = [_content(message, names) for message in request.messages]
        body: Json = {"contents": contents, "generationConfig": config}
        if request.system:
            body["systemInstruction"] = {"parts": [{"text": request.system}]}
        if request.tools:
            functions = map(_declared, request.tools)
            body["tools"] = [{"functionDeclarations": list(functions)}]
        return body

    @override
    def read_request(self, body: bytes, path: str) -> Inquiry:
        read = msgspec.json.decode(body, type=_Request)
        asked = self.route.fullmatch(path)
        if asked is None:
            raise msgspec.ValidationError("the path names no model")
        functions = (f for tools in read.tools or () for f in tools.function_declarations or ())
        system, config = read.system_instruction, read.generation_config or {}
        return Inquiry(
            request=ChatRequest(
                model=asked.group(1),
                system="" if system is None else system.words(),
                messages=tuple(map(_message, read.contents)),
                tools=tuple(
                    ToolDefinition(
                        name=function.name,
                        description=function.description,
                        schema=function.parameters_json_schema or function.parameters or {},
                    )
                    for function in functions
                ),
                max_tokens=config.get("maxOutputTokens") or 4096,
                temperature=config.get("temperature"),
            ),
            stream=asked.group(2) == STREAMED,
        )

    @override
    def write_answer(self, reply: ChatReply, model: str) -> Json:
        used = reply.usage
        stop = "SAFETY" if reply.declined else "MAX_TOKENS" if reply.stopped_early else "STOP"
        own = _own(reply.message)
        parts = list(_said(reply.message, signed=False)) if own is None else own
        return {
            "candidates": [
                {"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": stop}
            ],
            "usageMetadata": {
                "promptTokenCount": used.input_tokens,
                "candidatesTokenCount": used.output_tokens,
                "totalTokenCount": used.input_tokens + used.output_tokens,
            },
            "modelVersion": model,
        }

    @override
    def read_answer(self, answer: Json) -> ChatReply:
        read = msgspec.convert(answer, type=_Answer)
        used = read.usage_metadata or _Usage()
        usage = TokenUsage(
            input_tokens=used.prompt_token_count + used.tool_use_prompt_token_count,
            output_tokens=used.candidates_token_count + used.thoughts_token_count,
        )
        if not read.candidates:
            if not (read.prompt_feedback or {}).get("blockReason"):
                raise msgspec.ValidationError("an answer without a candidate")
            return ChatReply(message=Message(role="assistant"), usage=usage, declined=True)
        first = read.candidates[0]
        content = first.content or _Content()
        message = _message(_Content(parts=content.parts, role="model"))
        return ChatReply(
            message=msgspec.structs.replace(
                message, tool_calls=distinct(answer, list(message.tool_calls))
            ),
            usage=usage,
            stopped_early=first.finish_reason == "MAX_TOKENS",
            declined=first.finish_reason in DECLINED,
        )

    @override
    def write_stream(self, answer: Json) -> Iterator[bytes]:
        (candidate,) = answer["candidates"]
        parts: list[Json] = candidate["content"]["parts"]
        # Each part is a frame; the last one also says why it ends and what it cost.
        for part in parts[:-1]:
            yield sse({"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}]})
        last = candidate | {"content": {"role": "model", "parts": parts[-1:]}}
        yield sse(answer | {"candidates": [last]})

    @override
    def stream_reader(self) -> StreamReader:
        return _Reader()

    @override
    def write_error(self, status: int, kind: str, message: str) -> Json:
        return {"error": {"code": status, "message": message, "status": kind or "UNKNOWN"}}

    @override
    def read_error(self, body: bytes) -> VendorFailure:
        try:
            # A stream that fails at once is answered by a list.
            read = msgspec.json.decode(body, type=_Failed | list[_Failed])
            said = (read if isinstance(read, _Failed) else read[0]).error
        except (*UNREADABLE, IndexError):
            return VendorFailure()
        delays = (str(each["retryDelay"]) for each in said.details or () if "retryDelay" in each)
        seconds = next(delays, "").removesuffix("s")
        return VendorFailure(
            message=said.message,
            status=said.code,
            retry_after=float(seconds) if re.fullmatch(r"\d+(\.\d+)?", seconds) else None,
            busy=said.status == "UNAVAILABLE",
        )


class GeminiModels(ModelFactory):
    """Google's models with a key of AI Studio."""

    @property
    @override
    def dialect(self) -> Dialect:
        return GeminiContent()

    @property
    @override
    def upstream(self) -> Upstream:
        return Upstream(
            base_url="https://generativelanguage.googleapis.com",
            url_variable="GOOGLE_GEMINI_BASE_URL",
            key_variable="GEMINI_API_KEY",
            models_path="/v1beta/models",
            key_header="x-goog-api-key",
            key_form="{key}",
        )


def _declared(tool: ToolDefinition) -> Json:
    named = {"name": tool.name, "description": tool.description}
    return {**named, "parametersJsonSchema": tool.schema}


def _content(message: Message, names: dict[str, str]) -> Json:
    role = "model" if message.role == "assistant" else "user"
    return {"role": role, "parts": _parts(message, names)}


def _own(message: Message) -> list[Json] | None:
    kept = message.verbatim
    return list(kept.parts) if kept and kept.dialect == "gemini" else None


def _parts(message: Message, names: dict[str, str]) -> list[Json]:
    own = _own(message)
    if own is not None:
        return own
    results: list[Json] = [
        {
            "functionResponse": {
                "id": result.call_id,
                "name": names.get(result.call_id, result.call_id),
                "response": {"error" if result.is_error else "output": result.content},
            }
        }
        for result in message.tool_results
    ]
    return [*results, *_said(message, signed=True)] or [{"text": NOTHING_SAID}]


def _said(message: Message, *, signed: bool) -> Iterator[Json]:
    if message.text:
        yield {"text": message.text}
    for place, call in enumerate(message.tool_calls):
        made: Json = {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}
        # Of calls side by side only the first one is signed.
        yield made | ({"thoughtSignature": NOT_OURS} if signed and place == 0 else {})


def _message(content: _Content) -> Message:
    parts = content.read()
    results = [part.function_response for part in parts if part.function_response is not None]
    calls = [part.function_call for part in parts if part.function_call is not None]
    if content.role != "model":
        return Message(
            role="user", text=content.words(), tool_results=tuple(map(_tool_result, results))
        )
    signatures = {part.thought_signature for part in parts} - {None, NOT_OURS}
    own = signatures or any(part.thought for part in parts)
    return Message(
        role="assistant",
        text=content.words(),
        tool_calls=tuple(
            ToolCall(id=call.id, name=call.name, arguments=call.args or {}) for call in calls
        ),
        verbatim=Verbatim(dialect="gemini", parts=tuple(content.parts or ())) if own else None,
    )


def _tool_result(result: _Result) -> ToolResult:
    failed = "error" in result.response
    said: Any = result.response.get("error" if failed else "output", result.response)
    text = said if isinstance(said, str) else msgspec.json.encode(said).decode()
    return ToolResult(call_id=result.id or result.name, content=text, is_error=failed)


class _Reader(StreamReader):
    def __init__(self) -> None:
        self.acts = False
        self.ended = False
        self._answer: Json = {}
        self._parts: list[Json] = []

    @override
    def read(self, frame: bytes) -> None:
        for event in sse_data(frame):
            if "error" in event:
                raise _broken(event)
            try:
                self._take(event)
            except (KeyError, TypeError, IndexError, AttributeError) as error:
                raise BrokenStreamError("the event stream is malformed") from error

    @override
    def answer(self) -> Json:
        if not self.ended:
            raise BrokenStreamError("the event stream was cut off")
        if not self._answer.get("candidates"):
            return self._answer
        content: Json = {"role": "model", "parts": self._parts}
        return self._answer | {"candidates": [self._answer["candidates"][0] | {"content": content}]}

    def _take(self, event: Json) -> None:
        candidates: list[Json] = event.get("candidates") or []
        self._answer |= event | (
            {} if candidates else {"candidates": self._answer.get("candidates")}
        )
        if event.get("promptFeedback", {}).get("blockReason"):
            self.ended = True
        for candidate in candidates[:1]:
            self.ended = self.ended or bool(candidate.get("finishReason"))
            for part in candidate.get("content", {}).get("parts") or ():
                self._add(part)

    def _add(self, part: Json) -> None:
        self.acts = self.acts or "functionCall" in part
        last = self._parts[-1] if self._parts else {}
        plain = {"text"} if not part.get("thought") else {"text", "thought"}
        if part.keys() == plain and last.keys() == plain:
            # One text in pieces: as parts of its own it would read differently.
            self._parts[-1] = last | {"text": last["text"] + part["text"]}
        else:
            self._parts.append(part)


def _broken(event: Json) -> BrokenStreamError:
    try:
        said = msgspec.convert(event, _Failed).error
    except msgspec.ValidationError:
        said = _Said(message="")
    return BrokenStreamError(f"the provider broke off: {said.message[:300]}", said.code)
