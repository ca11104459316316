"""What events and messages say has a type: nobody digs in it by the names of its fields.

A name that is misspelt or gone is then found by the type checker, not by whoever watches.
"""

import ast
from pathlib import Path

import pytest

from pm_orchestrator.testing.data.reach import parsed

SOURCE = Path(__file__).parents[2] / "src" / "pm_orchestrator"
OPEN = {"content", "detail", "payload"}
"""What an event of a log, an event of a run and a message carry."""
READERS = {"domain/history/log_contents.py", "domain/history/run_events.py", "dispatch/replies.py"}
"""Where what is on disk or on the bus becomes a record, and a record what is there."""
BY_NAME = {"get", "pop", "setdefault"}


def by_name(source: str) -> list[int]:
    """Lines that read or write a field of something open by its name."""
    tree = parsed(source)
    aliases = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_open(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.keyword) and _digs(node, aliases)
    ]


def _digs(node: ast.AST, aliases: set[str]) -> bool:
    match node:
        case ast.Subscript(value=value, slice=key):
            return _is_open(value, aliases) and _is_text(key)
        case ast.Call(func=ast.Attribute(value=value, attr=method), args=[key, *_]):
            return method in BY_NAME and _is_open(value, aliases) and _is_text(key)
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[value]):
            return _is_open(value, aliases) and _is_text(key)
        case ast.keyword(arg=name, value=ast.Dict(keys=keys)):
            return name in OPEN and any(key is not None and _is_text(key) for key in keys)
        case _:
            return False


def _is_open(node: ast.expr, aliases: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in aliases
    return isinstance(node, ast.Attribute) and node.attr in OPEN


def _is_text(node: ast.expr) -> bool:
    """A name in quotation marks, or a constant that stands for one."""
    if isinstance(node, ast.Name):
        return node.id.isupper()
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_only_the_readers_know_names_of_fields() -> None:
    found = {
        f"{path.relative_to(SOURCE)}:{line}"
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] != "testing"
        and path.relative_to(SOURCE).as_posix() not in READERS
        for line in by_name(path.read_text("utf-8"))
    }
    assert not found


def test_an_event_of_a_log_is_made_of_a_record() -> None:
    made = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(parsed(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "LogEvent"
    }
    assert made == {"domain/history/log_contents.py"}


@pytest.mark.parametrize(
    "offence",
    [
        'x = event.content["text"]',
        'x = log.events[-1].content.get("status")',
        'x = event.detail["state"] == "working"',
        'x = message.payload["work"]',
        "x = message.payload.get(IN_REPLY_TO)",
        'x = "way" in event.content',
        'detail = event.detail\nx = detail["state"]',
        'AgentMessage(payload={"work": 1})',
    ],
)
def test_an_offence_is_found(offence: str) -> None:
    assert by_name(offence)


@pytest.mark.parametrize(
    "honest",
    [
        "x = event.detail.state",
        "x = saved.content[3:10]",
        "x = [k for k, v in event.content.items() if k in QUOTED]",
        'x = environment["PATH"]',
        "AgentMessage(payload=work_payload(assignment))",
    ],
)
def test_what_is_no_offence_is_left_alone(honest: str) -> None:
    assert not by_name(honest)
