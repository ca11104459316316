"""What a person is told who has stopped a task: what became of it, and both ways from here."""

from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.runner.records.interruption import TaskInterruptedError


def show_interruption(screen: Screen, stopped: TaskInterruptedError) -> None:
    """Beside the result, since there is none."""
    lang, task = screen.lang, stopped.task_id
    if stopped.way == "company":
        screen.aside(say("run_interrupted", lang, task=task))
        if stopped.done:
            screen.aside(say("run_proved", lang, tickets=", ".join(stopped.done)))
        if stopped.kept:
            screen.aside(say("run_kept", lang, refs=", ".join(stopped.kept)))
        screen.aside(say("resume_later", lang, run=stopped.run_id))
        return
    screen.aside(say("task_interrupted", lang, task=task))
    if stopped.kept:
        screen.aside(say("interrupted_undo", lang, task=task, ref=stopped.kept[0]))
    screen.aside(say("interrupted_go_on", lang, session=stopped.session_id))
