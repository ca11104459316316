"""What the gateway has to understand of Anthropic's Messages protocol, and no more.

The gateway passes requests and answers on as they are; it only looks at the parts
that tell turns, match recordings and count tokens. So these structures are open:
fields they do not name are none of the gateway's business.
"""

from typing import Any, Literal

import msgspec

from pm_orchestrator.domain.company.model_conversation import TokenUsage

Json = dict[str, Any]


class Block(msgspec.Struct, frozen=True):
    """One content block, of any type."""

    type: str
    text: str = ""
    name: str = ""
    input: Any = None
    is_error: bool | None = None


class Turn(msgspec.Struct, frozen=True):
    """One message of the conversation so far."""

    role: str
    content: str | list[Block]

    def blocks(self) -> list[Block]:
        return blocks(self.content)


class OfferedTool(msgspec.Struct, frozen=True):
    """A tool the model may call."""

    name: str


class MessagesRequest(msgspec.Struct, frozen=True):
    """The body of `POST /v1/messages`."""

    model: str
    messages: list[Turn]
    system: str | list[Block] = ""
    tools: list[OfferedTool] = []
    stream: bool = False

    def turn(self) -> int:
        """Which answer is asked for, told from the request alone.

        Without state in the server a retried, a parallel and a resumed agent all
        find the same place in a recording.
        """
        return 1 + sum(1 for message in self.messages if message.role == "assistant")


class ReportedUsage(msgspec.Struct, frozen=True):
    """Token counts of an answer; cached input is counted apart by the provider."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0

    def total(self) -> TokenUsage:
        cached = (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        return TokenUsage(input_tokens=self.input_tokens + cached, output_tokens=self.output_tokens)


class MessageAnswer(msgspec.Struct, frozen=True):
    """A complete answer: the least that an agent can work with."""

    type: Literal["message"]
    role: Literal["assistant"]
    content: list[Block]
    usage: ReportedUsage
    stop_reason: str | None = None


def blocks(content: str | list[Block]) -> list[Block]:
    """A plain string is short for one text block."""
    return [Block(type="text", text=content)] if isinstance(content, str) else content


def parse_request(body: bytes) -> MessagesRequest:
    """Raises msgspec.DecodeError for anything that is no Messages request."""
    return msgspec.json.decode(body, type=MessagesRequest)


def check_message(message: Json) -> MessageAnswer:
    """Raises msgspec.ValidationError for anything that is no complete answer."""
    return msgspec.convert(message, type=MessageAnswer)


def parse_message(body: bytes) -> Json:
    """Raises msgspec.DecodeError for anything that is no complete answer."""
    message = msgspec.json.decode(body, type=Json)
    check_message(message)
    return message
