"""How a task begins or goes on, in its log: the answer it was given, and what it sets out to do."""

from pm_orchestrator.domain.history.session import RunTrigger
from pm_orchestrator.domain.history.task_log import (
    LogEventType,
    TaskLog,
    VisibilityLevel,
    instruction_of,
)
from pm_orchestrator.evidence.records.open_log import Moment
from pm_orchestrator.runner.instructions.targets import targets
from pm_orchestrator.runner.instructions.task_types import ANSWERS, classify
from pm_orchestrator.runner.instructions.words.file_roles import Role
from pm_orchestrator.runner.records.ways import Way

# What is wanted with the files that an instruction names.
ACTIONS: dict[Role, str] = {
    Role.CREATE: "create",
    Role.CHANGE: "modify",
    Role.REMOVE: "delete",
    Role.SOURCE: "read",
}
# What each trigger means for a task that names no file.
BEGINNINGS: dict[RunTrigger, str] = {
    RunTrigger.USER_INPUT: "start",
    RunTrigger.USER_RESPONSE: "answer",
    RunTrigger.CONTINUATION: "continue",
    RunTrigger.EXECUTOR: "start",
}


def start_moments(
    log: TaskLog, trigger: RunTrigger, answer: str | None, way: Way
) -> tuple[Moment, ...]:
    """The events of a task that begins or goes on; the answer is not yet in `log`."""
    chosen = None if answer is None else _chosen(log, answer)
    started = Moment(
        LogEventType.TASK_STARTED,
        _started(instruction_of(log), trigger, answer, chosen) | _way(way),
        VisibilityLevel.SUMMARY,
    )
    if answer is None:
        return (started,)
    content = {"response": answer}
    if chosen is not None:
        content["selected_option"] = chosen
    return Moment(LogEventType.USER_RESPONSE, content, VisibilityLevel.SUMMARY), started


def _started(
    instruction: str, trigger: RunTrigger, answer: str | None, chosen: str | None
) -> dict[str, str]:
    whole = instruction if answer is None or chosen is not None else f"{instruction}\n{answer}"
    named = targets(whole, answer_only=classify(instruction) in ANSWERS)
    # A file that is only mentioned is a target where nothing else is.
    wanted = [t for t in named if t.role is not Role.SOURCE] or list(named)
    if not wanted:
        return {"action": chosen or BEGINNINGS[trigger]}
    return {
        "action": chosen or ACTIONS[wanted[0].role],
        "target_file": ", ".join(target.path for target in wanted),
    }


def _way(way: Way) -> dict[str, str]:
    """Said where it is not the plain one."""
    return {} if way == "solo" else {"way": way}


def _chosen(log: TaskLog, answer: str) -> str | None:
    """The option of the last question that `answer` names, if it offered any."""
    for event in reversed(log.events):
        if event.event_type is LogEventType.RUNNER_CLARIFICATION:
            said = answer.strip().casefold()
            options = event.content.get("options", ())
            return next((str(o) for o in options if str(o).casefold() == said), None)
    return None
