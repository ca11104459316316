"""How a task begins or goes on, in its log: the answer it was given, and what it sets out to do."""

from msgspec import UNSET

from pm_orchestrator.domain.history.log_contents import (
    LogContent,
    RunnerClarification,
    TaskStarted,
    UserResponse,
    contents,
)
from pm_orchestrator.domain.history.session import RunTrigger
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.history.task_story import instruction_of
from pm_orchestrator.runner.instructions.kinds.task_types import ANSWERS, classify
from pm_orchestrator.runner.instructions.targets import targets
from pm_orchestrator.runner.instructions.words.file_roles import Role
from pm_orchestrator.runner.records.task_run import TaskRun

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


def start_moments(log: TaskLog, task: TaskRun) -> tuple[LogContent, ...]:
    """The events of a task that begins or goes on; the answer is not yet in `log`."""
    answer = task.answer
    chosen = None if answer is None else _chosen(log, answer)
    started = _started(instruction_of(log), task, chosen)
    if answer is None:
        return (started,)
    option = UNSET if chosen is None else chosen
    return UserResponse(response=answer, selected_option=option), started


def _started(instruction: str, task: TaskRun, chosen: str | None) -> TaskStarted:
    answer = task.answer
    whole = instruction if answer is None or chosen is not None else f"{instruction}\n{answer}"
    named = targets(whole, answer_only=classify(instruction) in ANSWERS)
    # A file that is only mentioned is a target where nothing else is.
    wanted = [t for t in named if t.role is not Role.SOURCE] or list(named)
    action = ACTIONS[wanted[0].role] if wanted else BEGINNINGS[task.trigger]
    return TaskStarted(
        action=chosen or action,
        target_file=", ".join(target.path for target in wanted) or UNSET,
        way=UNSET if task.way == "solo" else task.way,
        adapter=task.adapter or UNSET,
        model=(task.adapter and task.model) or UNSET,
    )


def _chosen(log: TaskLog, answer: str) -> str | None:
    """The option of the last question that `answer` names, if it offered any."""
    asked = next(contents(reversed(log.events), RunnerClarification), None)
    options = asked.options or () if asked is not None else ()
    said = answer.strip().casefold()
    return next((option for option in options if option.casefold() == said), None)
