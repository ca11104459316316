"""What a person is told who has stopped a task: what became of it, and both ways from here."""

from pm_orchestrator.cli.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.runner.interruption import TaskInterruptedError


def show_interruption(screen: Screen, stopped: TaskInterruptedError) -> None:
    """Beside the result, since there is none."""
    task, session = stopped.task_id, stopped.session_id
    screen.aside(say("task_interrupted", screen.lang, task=task))
    if stopped.saved_as is not None:
        screen.aside(say("interrupted_undo", screen.lang, task=task, ref=stopped.saved_as))
    screen.aside(say("interrupted_go_on", screen.lang, session=session))
