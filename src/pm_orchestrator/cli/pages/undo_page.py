"""What an undo did, for a person."""

from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.runner.tasks.undo import UndoEnd

LISTED = 8


def show_undo(screen: Screen, end: UndoEnd) -> None:
    """Print what was put back, what was not, and how to go the other way."""
    lang = screen.lang
    if end.branches:
        key = "branches_aside" if end.direction == "undone" else "branches_back"
        aside = end.direction == "undone"
        refs = (f"{end.saved_as}/{b}" if aside else b for b in end.branches)
        screen.line(say(key, lang, task=end.task_id, refs=", ".join(refs)))
        return
    screen.line(say(f"undo_{end.direction}", lang, task=end.task_id))
    for key, files in (("undo_written", end.files_written), ("undo_removed", end.files_removed)):
        if files:
            more = " …" if len(files) > LISTED else ""
            listed = ", ".join(files[:LISTED]) + more
            screen.line("  " + say(key, lang, count=len(files), files=listed))
    if end.head_moved:
        screen.line(say("undo_head", lang, was=end.head_was or "-", now=end.head_is or "-"))
        if end.head_was is not None:
            screen.line(f"  git reset --soft {end.head_was}")
    screen.line(say("undo_again", lang, task=end.task_id, ref=end.saved_as))
