"""Counting what Claude Code says it has used."""

from typing import Any

import pytest

from pm_orchestrator.adapters.executors import claude_tokens
from pm_orchestrator.adapters.executors.claude_tokens import TokenCount


def said(name: str, usage: object, kind: str = "assistant") -> dict[str, Any]:
    return {"type": kind, "message": {"id": name, "usage": usage}}


def test_a_message_counts_once_with_the_most_it_said() -> None:
    count = TokenCount()
    count.take(said("a", {"input_tokens": 10, "output_tokens": 1}))
    count.take(said("a", {"input_tokens": 10, "output_tokens": 7}))
    count.take(said("a", {"input_tokens": 10, "output_tokens": 2}))
    count.take(said("b", {"cache_read_input_tokens": 5}))
    assert count.total == 22


@pytest.mark.parametrize("usage", [None, "many", {"input_tokens": "ten"}, {"turns": 4}, [1]])
def test_what_cannot_be_read_counts_nothing(usage: object) -> None:
    count = TokenCount()
    count.take(said("a", usage))
    count.take(said("a", {"input_tokens": 9}, kind="user"))
    count.take({"type": "assistant", "message": "hello"})
    assert count.total == 0


def test_many_messages_take_no_more_room_and_none_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(claude_tokens, "MESSAGES_AT_MOST", 3)
    count = TokenCount()
    for number in range(10):
        count.take(said(f"m{number}", {"output_tokens": 2}))
    assert count.total == 20
