"""The tools of a worker's model."""

from typing import Any

import pytest

from pm_orchestrator.agents.tools.tool_calls import COMPLETE_TOOL
from pm_orchestrator.agents.tools.toolbox import Toolbox
from pm_orchestrator.domain.company.model_conversation import ToolCall, ToolResult
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_sandbox import MemorySandbox, succeed

TICKET = "20260115-ab12-01"


def toolbox(sandbox: MemorySandbox) -> Toolbox:
    return Toolbox(sandbox, TICKET, FakeClock())


async def call(sandbox: MemorySandbox, name: str, **arguments: Any) -> ToolResult:
    return await toolbox(sandbox).call(ToolCall(id="c1", name=name, arguments=arguments))


def test_the_tools_are_described_for_the_model() -> None:
    definitions = toolbox(MemorySandbox()).definitions()
    assert [d.name for d in definitions] == [
        "read_file",
        "write_file",
        "edit_file",
        "list_directory",
        "search_files",
        "run_command",
        "command_output",
        "stop_command",
        "git_commit",
        "git_status",
        "git_diff",
        COMPLETE_TOOL,
    ]
    for definition in definitions:
        assert definition.description
        assert definition.schema["type"] == "object"
    assert "path" in definitions[0].schema["properties"]
    assert "$defs" in definitions[2].schema


async def test_write_then_read_gives_the_same_text() -> None:
    sandbox = MemorySandbox()
    await call(sandbox, "write_file", path="a/b.txt", content="日本語\n")
    assert sandbox.files["a/b.txt"] == "日本語\n".encode()
    assert (await call(sandbox, "read_file", path="a/b.txt")).content == "     1\t日本語"


async def test_edit_changes_the_file_or_says_why_not() -> None:
    sandbox = MemorySandbox()
    sandbox.files["a.py"] = b"x = 1\ny = 1\n"
    wrong = await call(sandbox, "edit_file", path="a.py", edits=[{"old": "1", "new": "2"}])
    assert wrong.is_error
    assert "2 places" in wrong.content
    assert sandbox.files["a.py"] == b"x = 1\ny = 1\n"
    right = await call(sandbox, "edit_file", path="a.py", edits=[{"old": "x = 1", "new": "x = 2"}])
    assert not right.is_error
    assert sandbox.files["a.py"] == b"x = 2\ny = 1\n"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("write_file", {"path": "k.env", "content": "KEY=[MASKED:OPENAI_KEY]"}),
        ("edit_file", {"path": "k.env", "edits": [{"old": "a", "new": "[MASKED:JWT]"}]}),
    ],
)
async def test_a_mask_marker_never_reaches_a_file(name: str, arguments: dict[str, Any]) -> None:
    sandbox = MemorySandbox()
    sandbox.files["k.env"] = b"a"
    result = await call(sandbox, name, **arguments)
    assert result.is_error
    assert "masked" in result.content
    assert sandbox.files["k.env"] == b"a"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("read_file", {"path": "../etc/passwd"}, "leads out"),
        ("read_file", {"path": "none"}, "no such file"),
        ("read_file", {}, "path"),
        ("read_file", {"path": 3}, "str"),
        ("read_file", {"path": "a", "extra": 1}, "extra"),
        ("no_such_tool", {}, "write_file"),
    ],
)
async def test_bad_calls_are_answered_not_raised(
    name: str, arguments: dict[str, Any], said: str
) -> None:
    result = await call(MemorySandbox(), name, **arguments)
    assert result.is_error
    assert said in result.content


async def test_commands_run_in_a_shell_and_failures_are_told() -> None:
    def programs(argv: tuple[str, ...]) -> CommandResult:
        if "hang" in argv[2]:
            return CommandResult(exit_code=None, stdout=b"so far", stderr=b"", timed_out=True)
        code = 1 if "bad" in argv[2] else 0
        return CommandResult(exit_code=code, stdout=b"out ", stderr=b"err")

    sandbox = MemorySandbox(programs)
    good = await call(sandbox, "run_command", command="make test")
    assert (good.content, good.is_error) == ("out err", False)
    assert sandbox.commands == [("sh", "-c", "exec 2>&1; make test")]
    bad = await call(sandbox, "run_command", command="bad")
    assert bad.is_error
    assert bad.content.startswith("exit code 1\nout err")
    hung = await call(sandbox, "run_command", command="hang", timeout_seconds=5)
    assert hung.is_error
    assert "stopped after 5 s" in hung.content


async def test_directories_are_listed() -> None:
    sandbox = MemorySandbox()
    sandbox.files["src/a.py"] = b"12345"
    listed = await call(sandbox, "list_directory", path="src")
    assert listed.content.split() == ["file", "5", "a.py"]
    assert (await call(sandbox, "list_directory")).content == "(empty)"


async def test_commits_carry_the_ticket() -> None:
    sandbox = MemorySandbox(lambda argv: succeed(b"abc1234 subject" if "log" in argv else b""))
    result = await call(sandbox, "git_commit", message="Add it\n$(rm -rf /)")
    assert result.content == "committed abc1234 subject"
    commit = next(argv for argv in sandbox.commands if "commit" in argv)
    assert commit[-1] == f"[{TICKET}] Add it $(rm -rf /)"
    assert (await call(sandbox, "git_status")).content == "(clean)"


async def test_a_file_that_is_no_utf8_is_read_and_edited_byte_by_byte() -> None:
    sandbox = MemorySandbox()
    before = "name = 'Café'\r\nköln = 1\n".encode("latin-1") + bytes(range(128, 256))
    sandbox.files["old.py"] = before
    read = await call(sandbox, "read_file", path="old.py")
    assert read.content.startswith("     1\tname = 'Café'\r\n     2\tköln = 1")
    assert "[latin-1]" in read.content
    edits = [{"old": "köln = 1", "new": "köln = 'ß'"}]
    edited = await call(sandbox, "edit_file", path="old.py", edits=edits)
    assert not edited.is_error
    assert sandbox.files["old.py"] == before.replace(b"n = 1", b"n = '\xdf'")


async def test_text_that_a_file_cannot_hold_is_refused_with_a_sentence() -> None:
    sandbox = MemorySandbox()
    sandbox.files["old.txt"] = b"caf\xe9"
    edits = [{"old": "café", "new": "日本"}]
    refused = await call(sandbox, "edit_file", path="old.txt", edits=edits)
    assert refused.is_error
    assert "latin-1" in refused.content
    assert "\\u65e5" in refused.content
    assert sandbox.files["old.txt"] == b"caf\xe9"


async def test_names_that_are_no_utf8_can_be_said_and_used() -> None:
    sandbox = MemorySandbox()
    sandbox.files["caf\udce9.txt"] = b"1"
    sandbox.files["a\\xe9"] = b"2"
    listed = await call(sandbox, "list_directory")
    assert to_json(listed)
    names = [line.split(None, 2)[2] for line in listed.content.splitlines()]
    assert names == ["a\\x5cxe9", "caf\\xe9.txt"]
    found = [(await call(sandbox, "read_file", path=name)).content for name in names]
    assert [text.split("\n")[0].strip() for text in found] == ["1\t2", "1\t1"]
    missing = await call(sandbox, "read_file", path="no\\xff")
    assert missing.is_error
    assert to_json(missing)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("write_file", {"path": "a", "content": "\ud800"}),
        ("read_file", {"path": "\ud800"}),
        ("run_command", {"command": "echo \ud800"}),
    ],
)
async def test_half_a_character_is_refused(name: str, arguments: dict[str, Any]) -> None:
    result = await call(MemorySandbox(), name, **arguments)
    assert result.is_error
    assert "surrogate" in result.content


@pytest.mark.parametrize(
    "error",
    [
        PmError("program_not_started", program="sh", reason="no memory"),
        PmError("git_failed", operation="add", reason="index.lock exists"),
    ],
)
@pytest.mark.parametrize("tool", ["run_command", "git_commit", "git_status"])
async def test_what_fails_in_the_sandbox_is_news_for_the_model(tool: str, error: PmError) -> None:
    def fail(_: tuple[str, ...]) -> CommandResult:
        raise error

    given = {"run_command": {"command": "ls"}, "git_commit": {"message": "m"}}.get(tool, {})
    result = await call(MemorySandbox(fail), tool, **given)
    assert (result.is_error, result.content) == (True, error.what())


async def test_what_is_found_is_bounded_and_a_bad_pattern_is_told() -> None:
    def grep(argv: tuple[str, ...]) -> CommandResult:
        if "-e" not in argv:
            return succeed()
        if argv[argv.index("-e") + 1] == "(":
            return CommandResult(exit_code=128, stdout=b"", stderr=b"fatal: Unmatched (")
        assert {"-i", "-F"} <= set(argv)
        return succeed(b"a.py:1:caf\xe9 " + b"x" * 900 + b"\n" + b"b.py:2:x\n" * 300)

    sandbox = MemorySandbox(grep)
    given = {"pattern": "x", "path": "src", "literal": True, "ignore_case": True}
    found = await call(sandbox, "search_files", **given)
    assert found.content.startswith("a.py:1:caf\\xe9")
    assert found.content.endswith("[101 more; narrow the pattern or the path]")
    bad = await call(sandbox, "search_files", pattern="(")
    assert (bad.is_error, bad.content) == (True, "fatal: Unmatched (")
    nothing = MemorySandbox(lambda _: CommandResult(exit_code=1, stdout=b"", stderr=b""))
    assert (await call(nothing, "search_files", pattern="x")).content == "(nothing found)"


async def test_a_diff_of_the_workspace_is_bounded() -> None:
    sandbox = MemorySandbox(lambda _: succeed(b"+line\n" * 10_000))
    shown = await call(sandbox, "git_diff", path="src")
    assert shown.content.endswith("[36000 more characters; name a path]")
    assert sandbox.commands[0][-2:] == ("--", "src")
    assert (await call(MemorySandbox(), "git_diff")).content.startswith("(no change")
    assert (await call(sandbox, "git_diff", since="--output=x")).is_error


async def test_nothing_a_model_calls_ends_in_more_than_an_answer() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    for name, arguments, said in (
        ("n" * 10_000_000, {}, "use read_file"),
        ("write_file", {"path": "a", "content": "x" * 10_000_000}, "write it in pieces"),
        ("read_file", {"path": "a", "k" * 1_000_000: 1}, "read_file takes path, start_line, lines"),
        ("read_file", deep, "nested too deeply"),
        ("run_command", {"command": "ls", "timeout_seconds": "60"}, "Expected `int`"),
        ("run_command", {"command": "ls", "timeout_seconds": 0}, "timeout_seconds"),
        ("command_output", {"id": "c9"}, "there are none"),
        ("stop_command", {"id": "c9"}, "running: none"),
    ):
        result = await call(MemorySandbox(), name, **arguments)
        assert result.is_error
        assert said in result.content
        assert len(result.content) < 1_000
        assert to_json(result)


async def test_whoever_is_only_asked_has_no_tool_that_writes() -> None:
    box = Toolbox(MemorySandbox(), TICKET, FakeClock(), read_only=True)
    names = {definition.name for definition in box.definitions()}
    assert names == {
        *("read_file", "list_directory", "search_files", "run_command"),
        *("command_output", "stop_command", COMPLETE_TOOL),
    }


async def test_a_dead_sandbox_is_not_the_models_business() -> None:
    def gone(_: tuple[str, ...]) -> CommandResult:
        raise PmError("sandbox_gone", reason="killed")

    with pytest.raises(PmError, match="E702"):
        await call(MemorySandbox(gone), "run_command", command="ls")
