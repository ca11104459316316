"""Claude Code as an executor: what is passed on, and what counts as a claim."""

import json
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.executors.claude_code import ClaudeCode
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.executor import ExecutorTask
from pm_orchestrator.ports.process import Channel, Command, CommandResult, CommandRunner


class OneCommand(CommandRunner):
    """Answers every command with the same result and remembers it."""

    def __init__(self, result: CommandResult) -> None:
        self._result = result
        self.asked: list[Command] = []

    @override
    async def run(self, command: Command) -> CommandResult:
        self.asked.append(command)
        return self._result

    @override
    async def open(self, command: Command) -> Channel:
        raise AssertionError("an executor opens no channel")


def stream(**result: object) -> bytes:
    events = [{"type": "system", "subtype": "init"}, {"type": "result", **result}]
    return b"\n".join(json.dumps(e).encode() for e in events) + b"\n"


def ended(stdout: bytes, exit_code: int | None = 0, **rest: bool) -> CommandResult:
    return CommandResult(exit_code=exit_code, stdout=stdout, stderr=b"trouble", **rest)


GOOD = {"subtype": "success", "is_error": False, "result": "Done.", "num_turns": 3}


@pytest.fixture
def path(tmp_path: Path) -> str:
    program = tmp_path / "claude"
    program.write_text("", encoding="utf-8")
    program.chmod(0o755)
    return str(tmp_path)


def task(tmp_path: Path, model: str | None = None) -> ExecutorTask:
    return ExecutorTask(
        task_id="task-1", instruction="Do it", project=tmp_path, timeout_s=5, model=model
    )


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (ended(stream(**GOOD)), "finished"),
        (ended(b"\xff not json\n" + stream(**GOOD)), "finished"),
        # Errors come as subtype "success"; the exit code and the flag tell.
        (ended(stream(**GOOD), exit_code=1), "failed"),
        (ended(stream(**{**GOOD, "is_error": True})), "failed"),
        (ended(stream(**{**GOOD, "subtype": "error_max_turns"})), "failed"),
        # Interrupted while waiting: exit code 0 and no result at all.
        (ended(b""), "failed"),
        (ended(b"", exit_code=None, timed_out=True), "failed"),
        # Denied permissions: exit code 0, subtype success.
        (ended(stream(**GOOD, permission_denials=[{"tool_name": "Bash"}])), "gave_up"),
    ],
)
async def test_what_counts_as_a_claim(
    tmp_path: Path, path: str, result: CommandResult, kind: str
) -> None:
    claude = ClaudeCode(OneCommand(result), {"PATH": path}, "acceptEdits", ())
    assert (await claude.execute(task(tmp_path))).kind == kind


async def test_settings_are_passed_on(tmp_path: Path, path: str) -> None:
    commands = OneCommand(ended(stream(**GOOD, usage={"input_tokens": 7, "output_tokens": 5})))
    claude = ClaudeCode(commands, {"PATH": path, "HTTPS_PROXY": "p"}, "plan", ("Read", "Edit"))
    claim = await claude.execute(task(tmp_path, model="opus"))
    assert (claim.summary, claim.turns, claim.tokens) == ("Done.", 3, 12)
    (asked,) = commands.asked
    argv = " ".join(asked.argv)
    assert argv.startswith("claude -p Do it --output-format stream-json --verbose")
    assert "--permission-mode plan" in argv
    assert "--model opus" in argv
    assert "--allowedTools Read,Edit" in argv
    assert asked.cwd == tmp_path
    assert asked.env["HTTPS_PROXY"] == "p"
    assert asked.env["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] == "1"


async def test_without_the_program_nothing_is_started(tmp_path: Path) -> None:
    commands = OneCommand(ended(b""))
    claude = ClaudeCode(commands, {"PATH": str(tmp_path)}, "acceptEdits", ())
    with pytest.raises(PmError, match="E503"):
        await claude.execute(task(tmp_path))
    assert commands.asked == []
    assert claude.name == "claude-code"
