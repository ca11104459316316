"""What Claude Code says and does, for whoever listens: its text, its tools, what went wrong.

Its last text comes twice, as a message and as the result. It is held back until it is known
which it was, so that it is told once, beside the verdict.
"""

from collections.abc import Mapping
from typing import Any, cast

from pm_orchestrator.adapters.executors.claude_events import (
    NAME_LIMIT,
    OPEN_AT_MOST,
    blocks_in,
    subject_of,
)
from pm_orchestrator.domain.history.heard import Heard, Said, ToolFailed, Used
from pm_orchestrator.domain.text import cut_between_words

SAID_LIMIT = 20_000
"""Characters of one text; what is kept of it is less, but it is masked before it is cut."""
WHY_LIMIT = 2_000
WAITING_AT_MOST = 1_000
"""Pieces that nobody has asked for yet."""


class ClaudeWords:
    """Pieces of one run of `claude -p`, in order."""

    def __init__(self) -> None:
        self._waiting: list[Heard] = []
        self._held: Said | None = None
        self._tools: dict[str, str] = {}

    def heard(self, *, ended: bool = False) -> tuple[Heard, ...]:
        """What came since this was asked last."""
        if ended:
            self._let_go()
        pieces = tuple(self._waiting)
        self._waiting.clear()
        return pieces

    def take(self, event: Mapping[str, Any]) -> None:
        """Read one event."""
        match event.get("type"):
            case "assistant":
                for block in blocks_in(event):
                    self._take_said(block)
            case "user":
                for block in blocks_in(event):
                    self._take_result(block)
            case "result":
                if self._held is not None and self._held.text == _text(event.get("result")):
                    self._held = None
                self._let_go()
            case _:
                pass

    def _take_said(self, block: Mapping[str, Any]) -> None:
        if block.get("type") == "text" and (text := _text(block.get("text"))):
            self._let_go()
            self._held = Said(text=text)
        elif block.get("type") == "tool_use":
            self._let_go()
            tool = str(block.get("name", "tool"))[:NAME_LIMIT]
            call = block.get("id")
            if isinstance(call, str) and len(call) <= NAME_LIMIT and self._has_room():
                self._tools[call] = tool
            self._add(Used(tool=tool, target=subject_of(block.get("input"))))

    def _take_result(self, block: Mapping[str, Any]) -> None:
        call = block.get("tool_use_id")
        if block.get("type") != "tool_result" or not isinstance(call, str):
            return
        self._let_go()
        tool = self._tools.pop(call, "tool")
        if block.get("is_error") is True:
            why = " ".join(_content(block.get("content")).split())
            self._add(ToolFailed(tool=tool, why=cut_between_words(why, WHY_LIMIT)))

    def _has_room(self) -> bool:
        return len(self._tools) < OPEN_AT_MOST

    def _let_go(self) -> None:
        if self._held is not None:
            self._add(self._held)
            self._held = None

    def _add(self, piece: Heard) -> None:
        if len(self._waiting) < WAITING_AT_MOST:
            self._waiting.append(piece)


def _text(said: object) -> str:
    return cut_between_words(said, SAID_LIMIT).strip() if isinstance(said, str) else ""


def _content(given: object) -> str:
    """What a tool gave back: a text, or several in a list."""
    if isinstance(given, str):
        return given[: 2 * WHY_LIMIT]
    if not isinstance(given, list):
        return ""
    blocks = (cast("dict[str, Any]", b) for b in cast("list[Any]", given) if isinstance(b, dict))
    return " ".join(str(b.get("text", ""))[: 2 * WHY_LIMIT] for b in blocks)
