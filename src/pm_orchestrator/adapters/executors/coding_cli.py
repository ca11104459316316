"""A coding CLI as an executor: called, followed to its end, and its last word made a claim.

Its last event is a claim, and so is its exit code: a claim of success needs both, and
no denied tool. A CLI only brings its dialect: its arguments and its events.
"""

import os
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.executors.cli_story import CliDialect, CliStory, LastWord
from pm_orchestrator.adapters.executors.cli_watch import CliWatch
from pm_orchestrator.domain.company.model_conversation import Message
from pm_orchestrator.domain.company.supervision import Blockage, WatchLimits
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.outcome import ClaimKind, ExecutorClaim
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.ports.executor import Executor, ExecutorConfig, ExecutorResult, ExecutorTask
from pm_orchestrator.ports.process import CommandResult

BACKSTOP_S = 5.0
"""How long after the watch the process door ends the CLI by its own clock."""
PERSON_S = 7 * 24 * 3600.0
"""The same where a person is asked meanwhile, whose time is their own."""
SUMMARY_LIMIT = 20_000
"""Characters of its last word that are kept."""


class CodingCli(Executor):
    """Drives one CLI and reads its event stream as it comes."""

    def __init__(self, config: ExecutorConfig, dialect: CliDialect) -> None:
        self._config = config
        self._dialect = dialect

    @property
    @override
    def name(self) -> str:
        return self._dialect.name

    @property
    @override
    def brings_tools(self) -> bool:
        return True

    @override
    async def problem(self) -> str | None:
        # As `shutil.which` would say it, without the compressors that come with that module.
        places = (Path(folder, self._dialect.program) for folder in self._search_path())
        found = any(place.is_file() and os.access(place, os.X_OK) for place in places)
        return None if found else self._dialect.cure

    def _search_path(self) -> list[str]:
        return os.get_exec_path(dict(self._config.variables))

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        cure = await self.problem()
        if cure is not None:
            reason = f"there is no `{self._dialect.program}` on PATH"
            raise PmError("executor_invalid", executor=self.name, reason=reason, cure=cure)
        result = await self._once(task)
        if task.conversation is not None and self._dialect.lost_conversation(result.claim.summary):
            # The user may have cleared the CLI's history: the work does not depend on it.
            again = await self._once(replace(task, conversation=None))
            result = replace(again, began_afresh=True)
        return result

    async def _once(self, task: ExecutorTask) -> ExecutorResult:
        limits = WatchLimits(seconds=task.timeout_s, silence_seconds=task.silence_s)
        story = self._dialect.story()
        watch = CliWatch(story, limits, self._config.clock, task.token_budget, task.told)
        backstop, talk = BACKSTOP_S, self._dialect.talk()
        if task.person is not None and talk is not None:
            backstop = PERSON_S
            watch.ask(talk, task.person, task.instruction)
        try:
            ended = await task.hands.follow(
                self._dialect.argv(task),
                watch,
                timeout_s=task.timeout_s + backstop,
                variables={**self._dialect.variables, **task.variables},
            )
        finally:
            watch.hang_up()
            said = Message(role="assistant", text=watch.transcript())
            task.minutes.messages.append(said)
            task.minutes.tokens = watch.story.tokens
        if watch.unasked is not None:
            raise watch.unasked
        watch.finish(ended.exit_code)
        return _result(task, ended, watch, self._dialect)


def _result(
    task: ExecutorTask, ended: CommandResult, watch: CliWatch, dialect: CliDialect
) -> ExecutorResult:
    last = watch.story.last_word
    over = watch.overran and task.timeout_is_budget
    blocked = None if over or watch.blocked is None else _with_signal(watch.blocked, ended)
    return ExecutorResult(
        claim=replace(_claim(task, ended, watch), claimed_files=_claimed(task.hands.root, watch)),
        blocked=blocked,
        out_of_budget=over,
        exit_code=ended.exit_code,
        conversation=watch.story.conversation,
        usage={} if last is None else last.usage,
        cost_usd=None if last is None else last.cost_usd,
        permission_denials=tuple(watch.story.denied_tools),
        denied_calls=watch.denied_calls,
        failed_tool_calls=tuple(watch.story.failed_tools),
        transcript=watch.transcript(),
        question=watch.story.question,
        login=_login(dialect, watch.story),
        waited_s=watch.waited_s,
    )


def _login(dialect: CliDialect, story: CliStory) -> str | None:
    """What it lacks is a login only where that is how it ended."""
    good = story.last_word is not None and story.last_word.good
    return (dialect.login or None) if story.locked_out and not good else None


def _claimed(root: str, watch: CliWatch) -> tuple[str, ...]:
    """The files it says it wrote in the project; scratch files elsewhere claim nothing."""
    # Some say where they are by the way they came, others by where it led them.
    roots = (Path(root), Path(root).resolve())
    found = (
        file.relative_to(known).as_posix()
        for file in map(Path, watch.story.written_files)
        for known in roots
        if file.is_relative_to(known) and ".." not in file.parts
    )
    return tuple(dict.fromkeys(found))


def _with_signal(blocked: Blockage, ended: CommandResult) -> Blockage:
    return replace(blocked, termination_signal=ended.ended_with)


def _claim(task: ExecutorTask, ended: CommandResult, watch: CliWatch) -> ExecutorClaim:
    last = watch.story.last_word
    if watch.overran:
        return ExecutorClaim(kind="gave_up", summary="stopped at its time limit")
    if watch.overspent:
        return ExecutorClaim(
            kind="gave_up",
            summary="stopped at its limit of tokens",
            tokens=watch.story.tokens,
        )
    if watch.blocked is not None:
        return ExecutorClaim(kind="blocked", summary=f"stopped: {watch.blocked.reason}")
    if last is None:
        summary = f"ended with exit code {ended.exit_code} and no result. {watch.last_lines()}"
        return ExecutorClaim(kind="failed", summary=summary)
    # A limit of ours ends the work and says nothing of it; one of its own is its failure.
    if last.out_of_turns and task.turns is not None:
        kind: ClaimKind = "gave_up"
    else:
        kind = _kind(ended, last, denied=bool(watch.denied_calls))
    return ExecutorClaim(
        kind=kind,
        summary=cut_between_words(last.summary, SUMMARY_LIMIT),
        turns=last.turns,
        tokens=sum(last.usage.values()),
    )


def _kind(ended: CommandResult, last: LastWord, *, denied: bool) -> ClaimKind:
    if not last.good:
        return "failed"
    if ended.ended_with is not None:
        # It said its last word and would not go; what it did is still to be judged.
        return "gave_up"
    if ended.exit_code != 0:
        return "failed"
    return "gave_up" if denied else "finished"
