"""What is said between an agent and its model."""

from typing import Any, Literal

from pm_orchestrator.domain.record import Record


class ToolDefinition(Record, frozen=True, kw_only=True):
    """A tool offered to a model; `schema` is JSON Schema."""

    name: str
    description: str
    schema: dict[str, Any]


class ToolCall(Record, frozen=True, kw_only=True):
    """The model asks for a tool."""

    id: str
    name: str
    arguments: dict[str, Any]


class ToolResult(Record, frozen=True, kw_only=True):
    """What the tool answered."""

    call_id: str
    content: str
    is_error: bool = False


class Verbatim(Record, frozen=True, kw_only=True):
    """A turn of the assistant in its vendor's own words."""

    dialect: str
    parts: tuple[dict[str, Any], ...]


class Message(Record, frozen=True, kw_only=True):
    """One turn of the conversation."""

    role: Literal["user", "assistant"]
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    """Only in assistant turns."""
    tool_results: tuple[ToolResult, ...] = ()
    """Only in user turns."""
    verbatim: Verbatim | None = None
    """Where the turn holds more than words and calls, such as reasoning that its vendor wants
    back; for others the words and calls say it all."""


class TokenUsage(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens of one exchange or of several, as the provider counted them."""

    input_tokens: int = 0
    """All of them, whatever the provider had in its cache."""
    output_tokens: int = 0
    cached_tokens: int = 0
    """Those of the input that were read from the provider's cache."""
    stored_tokens: int = 0
    """Those of the input that were written into it."""
    estimated: bool = False
    """The provider did not say, or said what cannot be; then by the length of what was said."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            stored_tokens=self.stored_tokens + other.stored_tokens,
            estimated=self.estimated or other.estimated,
        )


class ChatRequest(Record, frozen=True, kw_only=True):
    """One question to a chat model."""

    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    max_tokens: int = 4096
    temperature: float | None = None
    """None for the vendor's own."""


class ChatReply(Record, frozen=True, kw_only=True):
    """One answer; `stopped_early` when the model ran into its token limit."""

    message: Message
    usage: TokenUsage
    stopped_early: bool = False
    declined: bool = False
    """The model, or its vendor, would not answer this."""


class ToolCallRecord(Record, frozen=True, kw_only=True):
    """A finished tool call, for the transcript."""

    id: str
    name: str
    arguments: dict[str, Any]
    result: str
    is_error: bool
    timestamp: str
    duration_ms: int


class ConversationHistory(Record, frozen=True, kw_only=True):
    """`workers/<sub-task>/<attempt>/conversation.json`."""

    run_id: str
    agent_id: str
    messages: tuple[Message, ...]
    tool_calls: tuple[ToolCallRecord, ...]
    total_tokens: int


class Minutes:
    """A conversation while it goes on.

    It belongs to whoever gave the task, so that what was said outlives whatever ends
    the one who said it: an outage, a cancellation, a fault.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.tool_calls: list[ToolCallRecord] = []
        self.tokens = 0

    def history(self, run_id: str, agent_id: str) -> ConversationHistory:
        """What was said so far, to be kept."""
        return ConversationHistory(
            run_id=run_id,
            agent_id=agent_id,
            messages=tuple(self.messages),
            tool_calls=tuple(self.tool_calls),
            total_tokens=self.tokens,
        )
