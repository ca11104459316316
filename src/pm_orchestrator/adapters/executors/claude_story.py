"""Claude Code's events as the story that every CLI tells."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from typing_extensions import override

from pm_orchestrator.adapters.executors.claude_events import (
    ClaudeEvents,
    Final,
    permission_request_in,
)
from pm_orchestrator.adapters.executors.claude_tokens import TokenCount
from pm_orchestrator.adapters.executors.claude_words import ClaudeWords
from pm_orchestrator.adapters.executors.cli_story import CliStory, LastWord, StoryStep
from pm_orchestrator.domain.history.heard import Heard

OUT_OF_TURNS = "error_max_turns"


class ClaudeStory(CliStory):
    """Reads one run of `claude -p`."""

    def __init__(self) -> None:
        self._events = ClaudeEvents()
        self._words = ClaudeWords()
        self._tokens = TokenCount()
        self._last_word: LastWord | None = None

    @property
    @override
    def conversation(self) -> str | None:
        return self._events.conversation

    @property
    @override
    def question(self) -> str | None:
        return self._events.question

    @property
    @override
    def failed_tools(self) -> Sequence[str]:
        return self._events.failed_tools

    @property
    @override
    def denied_tools(self) -> Sequence[str]:
        return self._events.denied_tools

    @property
    @override
    def denied_calls(self) -> Sequence[str]:
        return self._events.denied_calls

    @property
    @override
    def written_files(self) -> Iterable[str]:
        return self._events.written_files

    @property
    @override
    def activity(self) -> str:
        return self._events.activity

    @override
    def heard(self, *, ended: bool = False) -> tuple[Heard, ...]:
        return self._words.heard(ended=ended)

    @property
    @override
    def tokens(self) -> int:
        return self._tokens.total

    @property
    @override
    def locked_out(self) -> bool:
        return self._events.locked_out

    @property
    @override
    def last_word(self) -> LastWord | None:
        return self._last_word

    @override
    def take(self, event: Mapping[str, Any]) -> StoryStep:
        opened, closed = self._events.take(event)
        self._words.take(event)
        self._tokens.take(event)
        if event.get("type") == "result" and self._events.final is not None:
            self._last_word = _last_word(self._events.final)
        request = permission_request_in(event)
        asked = None if request is None else f"control_request {request}"
        return StoryStep(opened=opened, closed=closed, request=asked)


def _last_word(final: Final) -> LastWord:
    # Errors arrive with subtype "success" too; the flag tells.
    return LastWord(
        good=final.subtype == "success" and not final.is_error,
        summary=final.result or "; ".join(str(error) for error in final.errors),
        turns=final.num_turns,
        out_of_turns=final.subtype == OUT_OF_TURNS,
        usage={
            name: count
            for name, count in final.usage.items()
            if name.endswith("_tokens") and isinstance(count, int)
        },
        cost_usd=final.cost_usd,
    )
