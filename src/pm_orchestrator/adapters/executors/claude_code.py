"""Claude Code as an executor: the user's own `claude`, in the project directory.

Its last event is a claim, and so is its exit code: errors arrive with subtype
"success" and denied permissions with exit code 0, so a claim of success needs
the terminal event, exit code 0 and no error flag together.
"""

import shutil
from collections.abc import Mapping
from typing import Any

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.outcome import ExecutorClaim
from pm_orchestrator.ports.executor import Executor, ExecutorTask
from pm_orchestrator.ports.process import Command, CommandResult, CommandRunner

OUTPUT_LIMIT = 64 * 1024**2
INSTALL = "install Claude Code (npm package @anthropic-ai/claude-code) and log in"


class ClaudeCode(Executor):
    """Drives `claude -p` and reads its event stream."""

    def __init__(
        self,
        commands: CommandRunner,
        variables: Mapping[str, str],
        permission_mode: str,
        allowed_tools: tuple[str, ...],
    ) -> None:
        self._commands = commands
        self._variables = variables
        self._permission_mode = permission_mode
        self._allowed_tools = allowed_tools

    @property
    @override
    def name(self) -> str:
        return "claude-code"

    @override
    async def problem(self) -> str | None:
        found = shutil.which("claude", path=self._variables.get("PATH"))
        return None if found else INSTALL

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorClaim:
        cure = await self.problem()
        if cure is not None:
            raise PmError(
                "executor_invalid",
                executor=self.name,
                reason="there is no `claude` on PATH",
                cure=cure,
            )
        result = await self._commands.run(
            Command(
                argv=self._argv(task),
                cwd=task.project,
                # Background tasks would keep the CLI alive long after its result.
                env={**self._variables, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1"},
                timeout_s=task.timeout_s,
                output_limit=OUTPUT_LIMIT,
            )
        )
        return _claim(result)

    def _argv(self, task: ExecutorTask) -> tuple[str, ...]:
        argv = ["claude", "-p", task.instruction, "--output-format", "stream-json", "--verbose"]
        argv += ["--permission-mode", self._permission_mode]
        if task.model is not None:
            argv += ["--model", task.model]
        if self._allowed_tools:
            argv += ["--allowedTools", ",".join(self._allowed_tools)]
        return tuple(argv)


class _Result(msgspec.Struct):
    """The fields of the terminal event that we read; it has many more."""

    subtype: str = ""
    is_error: bool = False
    result: str = ""
    num_turns: int = 0
    usage: dict[str, Any] = {}
    permission_denials: list[Any] = []


def _claim(result: CommandResult) -> ExecutorClaim:
    if result.timed_out:
        return ExecutorClaim(kind="failed", summary="stopped at its time limit")
    final = _final_event(result.stdout)
    if final is None:
        tail = result.stderr.decode(errors="replace").strip()[-400:]
        return ExecutorClaim(
            kind="failed", summary=f"ended with exit code {result.exit_code} and no result. {tail}"
        )
    tokens = sum(v for k, v in final.usage.items() if k.endswith("_tokens") and isinstance(v, int))
    honest_end = result.exit_code == 0 and final.subtype == "success" and not final.is_error
    kind = "finished" if honest_end else "failed"
    if honest_end and final.permission_denials:
        kind = "gave_up"
    return ExecutorClaim(kind=kind, summary=final.result, turns=final.num_turns, tokens=tokens)


def _final_event(stdout: bytes) -> _Result | None:
    """The last `result` event; lines that are not JSON are not events."""
    for line in reversed(stdout.splitlines()):
        try:
            event = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if event.get("type") == "result":
            return msgspec.convert(event, _Result, strict=False)
    return None
