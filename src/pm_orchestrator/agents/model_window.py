"""What is sent to a model of all that was said: everything, as long as there is room.

A conversation that grows out of the model's window loses its least useful parts first: old
tool results, then what old calls said, then old turns, of which a line each stays. The first
message is never touched, nor what was said last. It is shortened rarely and by much, because
whatever stands behind a change is no longer in the provider's cache. Where an earlier
conversation goes on, the instruction of now is kept as the first message is, and takes its
place when all before it is left out.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from pm_orchestrator.domain.company.model_conversation import Message, ToolCall, ToolResult
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.domain.setup.model_list import TokenRoom
from pm_orchestrator.domain.text import cut_between_words

UNKNOWN_WINDOW = 128_000
"""Tokens of a model of which nothing is known."""
FULL, EMPTIED = 0.75, 0.45
"""Parts of the window: where shortening begins, and how far it goes."""
CHARACTERS_PER_TOKEN = 3.0
"""Before the provider has counted; rather too few."""
FEWEST_PER_TOKEN, MOST_PER_TOKEN = 0.8, 5.0
LONGEST_ANSWER = 32_000
"""Tokens that are asked for at once: what a budget must have room for before each answer."""
USUAL_ANSWER = 16_000
"""Of a model of which nothing is known."""
SHOWN_OF_LONG = 300
KEPT_AT_END = 4
"""Messages at the end that are shortened only where nothing else helps."""
NEXT_FIRST = 2
"""The message behind the first answer."""
MOST_LINES = 120
"""Of earlier turns that are told of in a line each."""


def answer_tokens(room: TokenRoom) -> int:
    """How long an answer may be: a quarter of the window at most."""
    known = min(room.answer or USUAL_ANSWER, LONGEST_ANSWER)
    return min(known, (room.window or UNKNOWN_WINDOW) // 4)


class WindowedTalk:
    """The messages of a conversation, and what of them is sent."""

    def __init__(self, room: TokenRoom, besides: int = 0, earlier: Sequence[Message] = ()) -> None:
        """`besides` characters are sent each time; what was said `earlier` ends with the model."""
        self.answer = answer_tokens(room)
        """Tokens that are left for what it says."""
        self._window = max((room.window or UNKNOWN_WINDOW) - self.answer, 1)
        self._besides = besides
        self._per_token = CHARACTERS_PER_TOKEN
        self._messages = list(earlier)
        self._sizes = [_size(message) for message in earlier]
        self._instruction = len(earlier)
        """Where the instruction of now is."""
        self._left_out: list[str] = []

    def add(self, message: Message) -> None:
        self._messages.append(message)
        self._sizes.append(_size(message))

    def counted(self, tokens: int) -> None:
        """The provider has counted what was sent last."""
        if tokens > 0:
            measured = (self._besides + sum(self._sizes)) / tokens
            self._per_token = min(max(measured, FEWEST_PER_TOKEN), MOST_PER_TOKEN)

    def sent(self) -> tuple[Message, ...]:
        """What fits; it is shortened first where it would not."""
        room = self._window * self._per_token - self._besides
        if sum(self._sizes) > FULL * room:
            self._shorten(EMPTIED * room)
        first, *rest = self._messages
        if self._left_out:
            first = replace(first, text=f"{first.text}\n\n{self._summary()}")
        return (first, *rest)

    def _shorten(self, room: float) -> None:
        early = range(1, len(self._messages) - KEPT_AT_END)
        for at, shortened in (
            *((at, _without_results) for at in early),
            *((at, _without_arguments) for at in early),
        ):
            if sum(self._sizes) <= room:
                return
            self._replace(at, shortened)
        while sum(self._sizes) > room and len(self._messages) > KEPT_AT_END + 2:
            self._leave_out()
        for at in range(1, len(self._messages)):
            if sum(self._sizes) > room:
                self._replace(at, _without_results)

    def _replace(self, at: int, shortened: Callable[[Message], Message]) -> None:
        self._messages[at] = shortened(self._messages[at])
        self._sizes[at] = _size(self._messages[at])

    def _leave_out(self) -> None:
        """The oldest turn: what the model said, and what it was answered."""
        first, said, answered = self._messages[:3]
        self._left_out += _told(said, answered)
        if self._instruction == NEXT_FIRST:
            self._left_out.append(f"- before that you were asked: {_line(first.text)}")
            # The call that a result answers is no longer there.
            self._messages[:3] = [replace(answered, tool_results=())]
            self._sizes[:3] = [_size(self._messages[0])]
            self._instruction = 0
            return
        self._instruction -= 2
        del self._messages[1:3], self._sizes[1:3]

    def _summary(self) -> str:
        lines = self._left_out[-MOST_LINES:]
        more = len(self._left_out) - len(lines)
        head = "Your earlier turns are left out here. What you did in them:"
        return "\n".join((head, *([f"- {more} more before"] if more else []), *lines))


def _told(said: Message, answered: Message) -> Iterator[str]:
    failed = {result.call_id for result in answered.tool_results if result.is_error}
    if said.text.strip():
        yield f"- you said: {_line(said.text)}"
    for call in said.tool_calls:
        about = _line(" ".join(str(value) for value in call.arguments.values()))
        yield f"- {call.name} {about}" + (" (failed)" if call.id in failed else "")


def _line(text: str) -> str:
    flat = " ".join(text[: 2 * SHOWN_OF_LONG].split())
    return cut_between_words(flat, SHOWN_OF_LONG // 2)


def _without_results(message: Message) -> Message:
    return replace(message, tool_results=tuple(map(_short_result, message.tool_results)))


def _short_result(result: ToolResult) -> ToolResult:
    return replace(result, content=_short(result.content, "call the tool again if you need it"))


def _without_arguments(message: Message) -> Message:
    return replace(message, tool_calls=tuple(map(_short_call, message.tool_calls)))


def _short_call(call: ToolCall) -> ToolCall:
    return replace(call, arguments={name: _short_value(v) for name, v in call.arguments.items()})


def _short_value(value: Any) -> Any:
    if isinstance(value, str):
        return _short(value, "it was given in full then")
    long = not isinstance(value, bool | int | float | None) and len(to_json(value)) > SHOWN_OF_LONG
    return "[left out here; it was given in full then]" if long else value


def _short(text: str, why: str) -> str:
    more = len(text) - SHOWN_OF_LONG
    if more <= SHOWN_OF_LONG:
        return text
    return f"{cut_between_words(text, SHOWN_OF_LONG)}\n[{more} more characters left out: {why}]"


def _size(message: Message) -> int:
    """Characters as the provider sees them, about."""
    said = sum(len(to_json(call.arguments).decode()) + 100 for call in message.tool_calls)
    return len(message.text) + said + sum(len(r.content) + 100 for r in message.tool_results)
