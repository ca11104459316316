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


class TokenUsage(Record, frozen=True, kw_only=True):
    """Tokens of one exchange, as the provider counted them."""

    input_tokens: int = 0
    output_tokens: int = 0


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
