"""Claude Code as an executor: the user's own `claude`, in the project directory.

Its last event is a claim, and so is its exit code: errors arrive with subtype
"success" and denied permissions with exit code 0, so a claim of success needs
the terminal event, exit code 0 and no error flag together.
"""

import shutil
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.executors.claude_events import SUMMARY_LIMIT, Final
from pm_orchestrator.adapters.executors.claude_watch import ClaudeWatch
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.outcome import ClaimKind, ExecutorClaim
from pm_orchestrator.domain.supervision import Blockage, WatchLimits
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.ports.executor import (
    Executor,
    ExecutorConfig,
    ExecutorFactory,
    ExecutorResult,
    ExecutorTask,
)
from pm_orchestrator.ports.process import Command, CommandResult

BACKSTOP_S = 5.0
"""How long after the watch the process door ends the CLI by its own clock."""
UNKNOWN_CONVERSATION = "No conversation found"
INSTALL = "install Claude Code (npm package @anthropic-ai/claude-code) and log in"


class ClaudeCode(Executor):
    """Drives `claude -p` and reads its event stream as it comes."""

    def __init__(self, config: ExecutorConfig) -> None:
        self._config = config

    @property
    @override
    def name(self) -> str:
        return "claude-code"

    @override
    async def problem(self) -> str | None:
        found = shutil.which("claude", path=self._config.variables.get("PATH"))
        return None if found else INSTALL

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        cure = await self.problem()
        if cure is not None:
            raise PmError(
                "executor_invalid",
                executor=self.name,
                reason="there is no `claude` on PATH",
                cure=cure,
            )
        result = await self._once(task)
        if task.conversation is not None and UNKNOWN_CONVERSATION in result.claim.summary:
            # The user may have cleared the CLI's history: the work does not depend on it.
            result = await self._once(replace(task, conversation=None))
        return result

    async def _once(self, task: ExecutorTask) -> ExecutorResult:
        limits = WatchLimits(seconds=task.timeout_s, silence_seconds=task.silence_s)
        watch = ClaudeWatch(limits, self._config.clock, task.token_budget, task.told)
        ended = await self._config.commands.follow(
            Command(
                argv=self._argv(task),
                cwd=task.project,
                # Background tasks would keep the CLI alive long after its result.
                env={**self._config.variables, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1"},
                timeout_s=task.timeout_s + BACKSTOP_S,
                # The watch keeps what is needed of it.
                output_limit=0,
            ),
            watch,
        )
        watch.finish(ended.exit_code)
        return _result(task, ended, watch)

    def _argv(self, task: ExecutorTask) -> tuple[str, ...]:
        settings = self._config.settings
        argv = ["claude", "-p", task.instruction, "--output-format", "stream-json", "--verbose"]
        argv += ["--permission-mode", settings.permission_mode]
        if task.conversation is not None:
            argv += ["--resume", task.conversation]
        if task.model is not None:
            argv += ["--model", task.model]
        if settings.allowed_tools:
            argv += ["--allowedTools", ",".join(settings.allowed_tools)]
        return tuple(argv)


class ClaudeCodeFactory(ExecutorFactory):
    """Makes `claude-code` executors."""

    @override
    def create(self, config: ExecutorConfig) -> Executor:
        return ClaudeCode(config)


def _result(task: ExecutorTask, ended: CommandResult, watch: ClaudeWatch) -> ExecutorResult:
    final = watch.events.final
    over = watch.overran and task.timeout_is_budget
    blocked = None if over or watch.blocked is None else _with_signal(watch.blocked, ended)
    return ExecutorResult(
        claim=replace(_claim(ended, watch), claimed_files=_claimed(task.project, watch)),
        blocked=blocked,
        out_of_budget=over,
        exit_code=ended.exit_code,
        conversation=watch.events.conversation,
        usage=_usage(final),
        permission_denials=tuple(watch.events.denied_tools),
        failed_tool_calls=tuple(watch.events.failed_tools),
        transcript=watch.transcript(),
        question=watch.events.question,
    )


def _claimed(project: Path, watch: ClaudeWatch) -> tuple[str, ...]:
    """The files it says it wrote in the project; scratch files elsewhere claim nothing."""
    roots = (project, project.resolve())
    found = (
        Path(file).relative_to(root).as_posix()
        for file in watch.events.written_files
        for root in roots
        if Path(file).is_relative_to(root) and ".." not in Path(file).parts
    )
    return tuple(dict.fromkeys(found))


def _with_signal(blocked: Blockage, ended: CommandResult) -> Blockage:
    return replace(blocked, termination_signal=ended.ended_with)


def _claim(ended: CommandResult, watch: ClaudeWatch) -> ExecutorClaim:
    final = watch.events.final
    if watch.overran:
        return ExecutorClaim(kind="gave_up", summary="stopped at its time limit")
    if watch.overspent:
        return ExecutorClaim(
            kind="gave_up",
            summary="stopped at its limit of tokens",
            tokens=watch.tokens.total,
        )
    if watch.blocked is not None:
        return ExecutorClaim(kind="blocked", summary=f"stopped: {watch.blocked.reason}")
    if final is None:
        summary = f"ended with exit code {ended.exit_code} and no result. {watch.last_words()}"
        return ExecutorClaim(kind="failed", summary=summary)
    summary = final.result or "; ".join(str(error) for error in final.errors)
    return ExecutorClaim(
        kind=_kind(ended, final, denied=bool(watch.events.denied_tools)),
        summary=cut_between_words(summary, SUMMARY_LIMIT),
        turns=final.num_turns,
        tokens=sum(_usage(final).values()),
    )


def _kind(ended: CommandResult, final: Final, *, denied: bool) -> ClaimKind:
    if final.subtype != "success" or final.is_error:
        return "failed"
    if ended.ended_with is not None:
        # It said its last word and would not go; what it did is still to be judged.
        return "gave_up"
    if ended.exit_code != 0:
        return "failed"
    return "gave_up" if denied else "finished"


def _usage(final: Final | None) -> dict[str, int]:
    found = {} if final is None else final.usage
    return {k: v for k, v in found.items() if k.endswith("_tokens") and isinstance(v, int)}
