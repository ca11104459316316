"""What an undo did, for a person."""

from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.tasks.undo import UndoEnd

LISTED = 8


def undo_page(end: UndoEnd, lang: Lang) -> list[str]:
    """What was put back, what was not, and how to go the other way."""
    if end.branches:
        aside = end.direction == "undone"
        refs = (f"{end.saved_as}/{b}" if aside else b for b in end.branches)
        key = "branches_aside" if aside else "branches_back"
        return [say(key, lang, task=end.task_id, refs=", ".join(refs))]
    page = [say(f"undo_{end.direction}", lang, task=end.task_id)]
    told = {
        "undo_written": end.files_written,
        "undo_removed": end.files_removed,
        "undo_left": end.files_left,
    }
    for key, files in told.items():
        if files:
            listed = ", ".join(files[:LISTED]) + (" …" if len(files) > LISTED else "")
            page.append("  " + say(key, lang, count=len(files), files=listed))
    if end.branch_was is not None and end.branch_was != end.branch_is:
        is_now = end.branch_is or end.head_is or "-"
        page.append(say("undo_branch", lang, was=end.branch_was, now=is_now))
        # The files are those of that branch already, which `git switch` would refuse to overwrite.
        page.append(f"  git symbolic-ref HEAD refs/heads/{end.branch_was} && git reset --quiet")
    elif end.head_moved:
        page.append(say("undo_head", lang, was=end.head_was or "-", now=end.head_is or "-"))
        if end.head_was is not None:
            page.append(f"  git reset --soft {end.head_was}")
    return [*page, say("undo_again", lang, task=end.task_id, ref=end.saved_as)]
