"""What an execution leaves in the log of its task, and how a blocked one ends it."""

from collections.abc import Iterable

from msgspec import UNSET

from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.company.supervision import Blockage, WatchLimits
from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.history.log_contents import (
    ExecutorBlocked,
    ExecutorDispatch,
    ExecutorOutput,
    LogContent,
    RunnerClarification,
    contents,
)
from pm_orchestrator.domain.history.task_log import BlockedReason, LogEventType, TaskLog
from pm_orchestrator.domain.judging.outcome import Facts
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import LimitViolation
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.gates.judge.hard_limits import MeasuredUse, over_time
from pm_orchestrator.ports.executor import ExecutorResult
from pm_orchestrator.runner.instructions.clarification import PersonAnswer, ask
from pm_orchestrator.runner.records.notes import Notes

SUMMARY_LIMIT = 400
TASK_LIMIT = 100


BLOCKED_SLUGS = {
    BlockedReason.INTERACTIVE_PROMPT: "executor_blocked",
    BlockedReason.STDIN_REQUIRED: "executor_blocked",
    BlockedReason.TIMEOUT: "executor_timed_out",
}


class ExecutorBlockedError(PmError):
    """The executor could not go on by itself, and nobody is there to help it."""

    def __init__(self, executor: str, blocked: Blockage) -> None:
        detail = f": {blocked.detected_pattern}" if blocked.detected_pattern else ""
        super().__init__(
            BLOCKED_SLUGS[blocked.reason],
            executor=executor,
            reason=f"{blocked.reason}{detail}",
            after_ms=blocked.timeout_ms,
        )
        self.blocked = blocked


PROMPTS = frozenset({BlockedReason.INTERACTIVE_PROMPT, BlockedReason.STDIN_REQUIRED})
"""It was asking somebody; a timer that ran out asks nothing."""


def overrun_timer(
    error: PmError, timers: WatchLimits | None, seen_at: str
) -> tuple[LimitViolation, ...]:
    """The time it was given, where that is why it had to be ended."""
    blocked = error.blocked if isinstance(error, ExecutorBlockedError) else None
    if timers is None or blocked is None or blocked.timeout_ms < timers.seconds * 1000:
        return ()
    taken = MeasuredUse(seconds=blocked.timeout_ms // 1000, stopped=True)
    return over_time(taken, int(timers.seconds), seen_at)


async def note_stopped(note: Notes, executor: str) -> None:
    """That it was at work is on record, though it can say nothing itself any more."""
    try:
        await note("execute", "stopped by a person before it came to its end", by=executor)
    except PmError:
        # The chain was hit beyond use, which the guard is about to say.
        return


def refuse_unusable(
    executor: str, result: ExecutorResult, evidence: Evidence, *, attended: bool = False
) -> None:
    """Stop where there is nothing to be judged; `evidence` has all that it put out.

    Raises:
        ExecutorBlockedError: it was stuck and had to be ended.
        NeedsPersonError: it says that it may not go on without an answer; or it waited
            for one at its terminal, and somebody is there to give it.
        PmError: E503, it failed.
    """
    claim = result.claim
    if result.blocked is not None:
        prompt = result.blocked.detected_pattern
        if attended and prompt and result.blocked.reason in PROMPTS:
            raise NeedsPersonError("executor_question", question=prompt)
        raise ExecutorBlockedError(executor, result.blocked)
    if claim.kind == "blocked":
        raise NeedsPersonError("executor_question", question=result.question or claim.summary)
    if claim.kind == "failed" and result.login is not None:
        raise PmError("executor_login", executor=executor, login=result.login)
    if claim.kind == "failed":
        # Its own words may be anything: they are kept, and a person is told where.
        raise PmError(
            "executor_failed",
            executor=executor,
            how="exit code -" if result.exit_code is None else f"exit code {result.exit_code}",
            place=f".claude/{evidence.raw_logs}",
            evidence=evidence.evidence_id,
        )


def attempt_result(
    assignment: Assignment,
    executor: str,
    result: ExecutorResult,
    *,
    characters: int,
    seconds: int,
) -> AttemptResult:
    """What the run goes on with of all that an executor left."""
    return AttemptResult(
        ticket=assignment.sub_task.ticket,
        attempt=assignment.attempt,
        worker=executor,
        claim=result.claim,
        question=result.question,
        denied_calls=result.denied_calls,
        out_of_budget=result.out_of_budget,
        characters=characters,
        seconds=seconds,
    )


def ask_if_open(
    result: AttemptResult, status: TaskStatus, facts: Facts, answers: Iterable[PersonAnswer]
) -> None:
    """Where the facts fall short and the executor said what it lacks, ask for that.

    Whoever has answered about the same calls before is not asked again.

    Raises:
        NeedsPersonError: with its question, or with the tools it may not use.
    """
    if status is TaskStatus.COMPLETE:
        return
    if result.question is not None:
        raise NeedsPersonError("executor_question", question=result.question)
    if result.denied_calls and not facts.changes:
        from pm_orchestrator.runner.instructions.permissions import denied_question

        ask(denied_question(result.denied_calls), answers)


def said_by(result: AttemptResult) -> str:
    """What it said in answer to the instruction; a question of its own is no answer."""
    asks = result.question is not None and result.claim.kind != "finished"
    return "" if asks else result.claim.summary


class Spoken(Record, frozen=True, kw_only=True):
    """An executor's own session, and whose it is."""

    executor: str
    conversation: str


def spoken_in(log: TaskLog) -> Spoken | None:
    """The executor's own session in which the task was last worked on, also if it was cut off."""
    for said in contents(reversed(log.events), ExecutorOutput, ExecutorDispatch):
        if said.conversation:
            return Spoken(executor=said.executor, conversation=said.conversation)
    return None


def was_dispatched(log: TaskLog) -> bool:
    """Whether an executor has begun with the task, so that nothing stood in its way then."""
    return any(event.event_type is LogEventType.EXECUTOR_DISPATCH for event in log.events)


async def log_dispatch(
    log: OpenLog, executor: str, instruction: str, conversation: str | None = None
) -> None:
    """The task goes to its executor now, in that session of its own."""
    summary = cut_between_words(instruction, TASK_LIMIT)
    said = conversation or UNSET
    await log.add(ExecutorDispatch(executor=executor, task_summary=summary, conversation=said))


async def log_execution(
    log: OpenLog, result: ExecutorResult, attempt: AttemptResult, raw_output_ref: str
) -> None:
    """The events of `05` for an executor that has ended, in one write."""
    executor, claim = attempt.worker, result.claim
    moments: list[LogContent] = [
        RunnerClarification(
            question=settled.question, answer=settled.answer, answered_by=settled.source
        )
        for settled in result.answers
    ]
    used = result.usage
    moments.append(
        ExecutorOutput(
            executor=executor,
            exit_code=result.exit_code,
            output_summary=cut_between_words(claim.summary, SUMMARY_LIMIT),
            raw_output_ref=raw_output_ref,
            conversation=result.conversation,
            permission_denials=result.permission_denials,
            denied_calls=result.denied_calls,
            failed_tool_calls=result.failed_tool_calls,
            tokens_input=used.get("input_tokens", UNSET),
            tokens_output=used.get("output_tokens", UNSET),
            tokens_cache_creation_input=used.get("cache_creation_input_tokens", UNSET),
            tokens_cache_read_input=used.get("cache_read_input_tokens", UNSET),
            tokens_used=claim.tokens or UNSET,
            cost_usd=UNSET if result.cost_usd is None else result.cost_usd,
            turns=claim.turns or UNSET,
            characters=attempt.characters,
            seconds=attempt.seconds,
        )
    )
    blocked = result.blocked
    if blocked is not None:
        moments.append(
            ExecutorBlocked(
                executor=executor,
                blocked_reason=blocked.reason,
                detected_pattern=blocked.detected_pattern,
                timeout_ms=blocked.timeout_ms,
                terminated_by=blocked.terminated_by,
                termination_signal=blocked.termination_signal,
            )
        )
    await log.add(*moments)
