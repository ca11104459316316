"""What a task's log tells as a whole: what was asked, what is open, how it ended, what it took."""

from pm_orchestrator.domain.history.log_contents import (
    ExecutorOutput,
    MediationRequest,
    MediationResponse,
    RunnerClarification,
    TaskCompleted,
    TaskErred,
    TaskIncomplete,
    UserInput,
    UserResponse,
    contents,
)
from pm_orchestrator.domain.history.task_log import (
    LogEvent,
    TaskLog,
    TaskLogSummary,
    VisibilityLevel,
)
from pm_orchestrator.domain.tasks.status import TaskStatus


def instruction_of(log: TaskLog) -> str:
    """What the user asked for, masked, with every answer given since."""
    said: list[str] = []
    asked = False
    for each in contents(log.events, UserInput, RunnerClarification, UserResponse):
        match each:
            case UserInput():
                said.append(each.text)
            case RunnerClarification():
                asked = True
            case UserResponse():
                # Who accepts what is there answers no question, and asks for nothing more.
                if asked:
                    said.append(f"Answer: {each.response}")
                asked = False
    return "\n".join(said)


def pending_question(log: TaskLog) -> str | None:
    """The question the task waits for an answer to."""
    if log.runner_decision != "clarify":
        return None
    last = next(contents(reversed(log.events), UserResponse, RunnerClarification), None)
    return last.question if isinstance(last, RunnerClarification) else None


def verdict_in(log: TaskLog) -> TaskStatus | None:
    """The verdict behind the log's word: the last event has it in full, once there is one."""
    ends = contents(log.events[-1:], TaskCompleted, TaskIncomplete, TaskErred)
    return next((end.status for end in ends), None)


def summary_of(events: tuple[LogEvent, ...]) -> TaskLogSummary:
    """Count events by level, and what their model calls took."""
    brief = sum(event.visibility_level is VisibilityLevel.SUMMARY for event in events)
    tokens_in = tokens_out = latency = 0
    for content in contents(events, MediationRequest, MediationResponse, ExecutorOutput):
        match content:
            case MediationRequest():
                tokens_in += content.tokens_input
            case MediationResponse():
                tokens_out += content.tokens_output
                latency += content.latency_ms
            case ExecutorOutput():
                tokens_in += content.tokens_input or 0
                tokens_out += content.tokens_output or 0
    return TaskLogSummary(
        total_events=len(events),
        summary_events=brief,
        full_events=len(events) - brief,
        total_tokens_input=tokens_in,
        total_tokens_output=tokens_out,
        total_latency_ms=latency,
    )
