"""Claude Code as an executor: what is passed on, and what counts as a claim."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.executors.claude_code import ClaudeCodeFactory
from pm_orchestrator.adapters.sandboxes.host_hands import HostHands
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import BlockedReason
from pm_orchestrator.domain.setup.settings import ExecutorSettings
from pm_orchestrator.ports.executor import Executor, ExecutorConfig, ExecutorTask
from pm_orchestrator.ports.gateway import Access
from pm_orchestrator.ports.process import (
    Channel,
    Command,
    CommandResult,
    CommandRunner,
    ProcessWatcher,
)
from pm_orchestrator.testing.memory.fake_clock import FakeClock


class OneCommand(CommandRunner):
    """Lets every command say the same and end the same way, and remembers it."""

    def __init__(self, stdout: bytes, result: CommandResult, stderr: bytes = b"") -> None:
        self._said = (stdout, stderr)
        self._result = result
        self.asked: list[Command] = []

    @override
    async def follow(self, command: Command, watcher: ProcessWatcher) -> CommandResult:
        self.asked.append(command)
        watcher.output("stdout", self._said[0])
        watcher.output("stderr", self._said[1])
        return self._result

    @override
    async def run(self, command: Command) -> CommandResult:
        raise NotImplementedError

    @override
    async def open(self, command: Command) -> Channel:
        raise NotImplementedError


def stream(*events: object, **result: object) -> bytes:
    lines = [{"type": "system", "subtype": "init", "session_id": "s-1"}, *events]
    lines += [{"type": "result", **result}] if result else []
    return b"\n".join(json.dumps(e).encode() for e in lines) + b"\n"


def ended(exit_code: int | None = 0) -> CommandResult:
    signal = "SIGTERM" if exit_code is None else None
    return CommandResult(exit_code=exit_code, stdout=b"", stderr=b"", ended_with=signal)


GOOD = {"subtype": "success", "is_error": False, "result": "Done.", "num_turns": 3}
OUT_OF_TURNS: dict[str, Any] = {**GOOD, "subtype": "error_max_turns", "is_error": True}
DENIED = {"type": "system", "subtype": "permission_denied", "tool_name": "Bash"}


@pytest.fixture
def path(tmp_path: Path) -> str:
    program = tmp_path / "claude"
    program.write_text("", encoding="utf-8")
    program.chmod(0o755)
    return str(tmp_path)


def claude(path: str, settings: ExecutorSettings | None = None) -> Executor:
    config = ExecutorConfig(
        settings=settings or ExecutorSettings(),
        variables={"PATH": path},
        clock=FakeClock(),
    )
    return ClaudeCodeFactory().create(config)


def task(commands: CommandRunner, tmp_path: Path, **more: Any) -> ExecutorTask:
    return ExecutorTask(
        task_id="task-1",
        instruction="Do it",
        hands=HostHands(commands, tmp_path, {"HTTPS_PROXY": "p"}),
        timeout_s=5,
        **more,
    )


@pytest.mark.parametrize(
    ("said", "result", "kind"),
    [
        (stream(**GOOD), ended(), "finished"),
        (stream(**GOOD).rstrip(), ended(), "finished"),  # the last line has no end
        (b"\xff not json\n" + stream(**GOOD), ended(), "finished"),
        # Errors come as subtype "success"; the exit code and the flag tell.
        (stream(**GOOD), ended(1), "failed"),
        (stream(**{**GOOD, "is_error": True}), ended(), "failed"),
        (stream(**OUT_OF_TURNS), ended(1), "failed"),
        (stream(**{**GOOD, "usage": 7}), ended(), "failed"),  # not the event it should be
        # Interrupted while waiting: exit code 0 and no result at all.
        (b"", ended(), "failed"),
        (stream(), ended(), "failed"),
        # Ended by us after its last word.
        (stream(**GOOD), ended(None), "gave_up"),
        # Denied permissions: exit code 0, subtype success.
        (stream(**GOOD, permission_denials=[{"tool_name": "Bash"}]), ended(), "gave_up"),
        (stream(DENIED, **GOOD), ended(), "gave_up"),
    ],
)
async def test_what_counts_as_a_claim(
    tmp_path: Path, path: str, said: bytes, result: CommandResult, kind: str
) -> None:
    asked = task(OneCommand(said, result), tmp_path)
    assert (await claude(path).execute(asked)).claim.kind == kind


async def test_a_limit_of_turns_that_we_set_is_no_failure_of_its_own(
    tmp_path: Path, path: str
) -> None:
    asked = task(OneCommand(stream(**OUT_OF_TURNS), ended(1)), tmp_path, turns=3)
    assert (await claude(path).execute(asked)).claim.kind == "gave_up"


async def test_where_a_sandbox_holds_it_in_it_asks_nobody_and_only_the_gateway(
    tmp_path: Path, path: str
) -> None:
    commands = OneCommand(stream(**GOOD), ended())
    config = ExecutorConfig(
        settings=ExecutorSettings(permission_mode="plan", allowed_tools=("Read",)),
        variables={"PATH": path},
        clock=FakeClock(),
        confined=Access(base_url="http://127.0.0.1:1", token="pm-token"),
    )
    cli = ClaudeCodeFactory().create(config)
    assert cli.brings_tools
    await cli.execute(task(commands, tmp_path, model="opus"))
    (asked,) = commands.asked
    argv = " ".join(asked.argv)
    assert "--permission-mode bypassPermissions" in argv
    assert "plan" not in argv
    assert "--allowedTools" not in argv
    assert "pm-token" not in argv
    assert asked.env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:1"
    assert asked.env["ANTHROPIC_API_KEY"] == "pm-token"


async def test_what_it_said_outlives_whatever_ends_it(tmp_path: Path, path: str) -> None:
    class Cut(OneCommand):
        @override
        async def follow(self, command: Command, watcher: ProcessWatcher) -> CommandResult:
            await super().follow(command, watcher)
            raise asyncio.CancelledError

    asked = task(Cut(stream(**GOOD), ended()), tmp_path)
    with pytest.raises(asyncio.CancelledError):
        await claude(path).execute(asked)
    (said,) = asked.minutes.messages
    assert '"session_id": "s-1"' in said.text


async def test_settings_are_passed_on(tmp_path: Path, path: str) -> None:
    said = stream(**GOOD, usage={"input_tokens": 7, "output_tokens": 5, "service_tier": "x"})
    commands = OneCommand(said, ended())
    settings = ExecutorSettings(permission_mode="plan", allowed_tools=("Read", "Edit"))
    given = task(commands, tmp_path, model="opus", conversation="abc", system="Be brief.", turns=7)
    result = await claude(path, settings).execute(given)
    claim = result.claim
    assert (claim.summary, claim.turns, claim.tokens) == ("Done.", 3, 12)
    assert (result.exit_code, result.conversation) == (0, "s-1")
    assert result.usage == {"input_tokens": 7, "output_tokens": 5}
    (asked,) = commands.asked
    argv = " ".join(asked.argv)
    assert argv.startswith("claude -p Do it --output-format stream-json --verbose")
    assert "--permission-mode plan" in argv
    assert "--model opus" in argv
    assert "--allowedTools Read,Edit" in argv
    assert "--resume abc" in argv
    assert "--append-system-prompt Be brief. --max-turns 7" in argv
    assert asked.cwd == tmp_path
    assert asked.env["HTTPS_PROXY"] == "p"
    assert asked.env["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] == "1"


async def test_denials_and_failed_tools_are_named(tmp_path: Path, path: str) -> None:
    use: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    failed = {"type": "tool_result", "tool_use_id": "t1", "is_error": True}
    said = stream(
        {"type": "assistant", "message": {"content": [use, "odd"]}},
        {"type": "user", "message": {"content": [failed]}},
        {"type": "user", "message": {"content": "plain"}},
        DENIED,
        **GOOD,
        permission_denials=[{"tool_name": "Bash"}, {"tool_name": "Write"}, "odd"],
    )
    result = await claude(path).execute(task(OneCommand(said, ended()), tmp_path))
    assert result.failed_tool_calls == ("Bash",)
    assert result.permission_denials == ("Bash", "Write", "tool")
    assert "tool_result" in result.transcript


async def test_files_it_says_it_wrote_are_claimed(tmp_path: Path, path: str) -> None:
    def use(call: str, name: str, **arguments: str) -> dict[str, Any]:
        return {"type": "tool_use", "id": call, "name": name, "input": arguments}

    def done(call: str, **more: bool) -> dict[str, Any]:
        return {"type": "tool_result", "tool_use_id": call, **more}

    calls = [
        (use("1", "Write", file_path=f"{tmp_path}/a.py"), done("1")),
        (use("2", "Edit", file_path=f"{tmp_path}/sub/b.py"), done("2")),
        (use("3", "Write", file_path=f"{tmp_path}/refused.py"), done("3", is_error=True)),
        (use("4", "Write", file_path="/elsewhere/scratch.py"), done("4")),
        (use("5", "Read", file_path=f"{tmp_path}/read.py"), done("5")),
        (use("6", "Write", file_path=f"{tmp_path}/tried.py"), done("6")),
        (use("7", "Bash", command="rm tried.py"), done("7")),
        (use("8", "Write", file_path=f"{tmp_path}/../up.py"), done("8")),
    ]
    said = stream(
        *(
            {"type": kind, "message": {"content": [block]}}
            for call, result in calls
            for kind, block in (("assistant", call), ("user", result))
        ),
        **GOOD,
    )
    result = await claude(path).execute(task(OneCommand(said, ended()), tmp_path))
    assert result.claim.claimed_files == ("a.py", "sub/b.py")


async def test_an_executor_without_input_says_so(tmp_path: Path, path: str) -> None:
    commands = OneCommand(b"", ended(1), b"Error: Input must be provided through stdin\n")
    result = await claude(path).execute(task(commands, tmp_path))
    assert result.blocked is not None
    assert result.blocked.reason is BlockedReason.STDIN_REQUIRED
    assert result.blocked.detected_pattern == "Error: Input must be provided through stdin"


async def test_without_the_program_nothing_is_started(tmp_path: Path) -> None:
    commands = OneCommand(b"", ended())
    executor = claude(str(tmp_path))
    with pytest.raises(PmError, match="E503"):
        await executor.execute(task(commands, tmp_path))
    assert commands.asked == []
    assert executor.name == "claude-code"
