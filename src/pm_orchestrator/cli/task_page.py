"""The end of one task, for a person or a program."""

from pathlib import Path

from pm_orchestrator.cli.answer_page import show_answer
from pm_orchestrator.cli.screen import Screen
from pm_orchestrator.cli.summary import summary_block
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.runner.task_life import TaskEnd


def show_end(screen: Screen, end: TaskEnd, *, as_json: bool) -> None:
    """Print the whole result as data, or the summary of it."""
    if as_json:
        screen.raw(to_file(end).decode().rstrip())
    else:
        if end.answer is not None:
            show_answer(screen, Path(end.answer), end.changes)
        screen.line(
            summary_block(end.task_id, end.status, end.reason.say(screen.lang), screen.lang)
        )
