"""However much an executor says about itself, only so much of it is remembered."""

from typing import Any

from pm_orchestrator.adapters.executors.claude_events import (
    NAME_LIMIT,
    OPEN_AT_MOST,
    PATH_LIMIT,
    ClaudeEvents,
)


def call(number: object, path: str = "a.md") -> dict[str, Any]:
    block = {"type": "tool_use", "id": str(number), "name": "Write", "input": {"file_path": path}}
    return {"type": "assistant", "message": {"content": [block]}}


def result(number: object) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": str(number)}
    return {"type": "user", "message": {"content": [block]}}


def test_open_calls_are_counted_up_to_a_limit() -> None:
    events = ClaudeEvents()
    opened = [events.take(call(n))[0] for n in range(OPEN_AT_MOST + 10)]
    assert sum(map(len, opened)) == OPEN_AT_MOST
    # A call that is closed makes room for another.
    events.take(result(0))
    assert events.take(call("new"))[0] == ("new",)


def test_names_of_any_length_are_not_kept() -> None:
    events = ClaudeEvents()
    assert events.take(call("x" * (NAME_LIMIT + 1))) == ((), ())
    events.take({"type": "system", "session_id": "s" * (NAME_LIMIT + 1)})
    assert events.conversation is None
    for number, path in enumerate(("p" * (PATH_LIMIT + 1), "p" * PATH_LIMIT)):
        events.take(call(number, path))
        events.take(result(number))
    assert list(events.written_files) == ["p" * PATH_LIMIT]
