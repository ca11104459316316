"""What the last process left open when it died, said by the first one that starts after it."""

from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.history.task_log import SELECTION_ALTERED, SETTINGS_ALTERED
from pm_orchestrator.domain.history.task_story import instruction_of
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import recovered
from pm_orchestrator.runner.project.selecting import selected
from pm_orchestrator.runner.records.task_run import way_of

LONGEST = 60


async def tell_cut_off(screen: Screen, project: Project, *, converses: bool = False) -> None:
    """Close it, name each task, and say how to go on with it and how to take it back."""
    for closed in await recovered(project):
        from pm_orchestrator.runner.sessions.task_finding import find_task

        session, task = find_task(project.book, closed)
        log = project.book.read(session, task)
        asked = " ".join(instruction_of(log).split())
        said = cut_between_words(asked, LONGEST)
        text = said if said == asked else f"{said} …"
        company = way_of(log, project.paths.root) == "company"
        key = "resume_later" if company else "cut_off_converse" if converses else "cut_off_go_on"
        names = {"task": task, "session": session, "run": log.run_id}
        screen.aside(say("cut_off", screen.lang, task=task, text=text))
        if SELECTION_ALTERED in (log.error_reason or ""):
            state = selected(project)
            at = {"provider": state.provider, "model": state.selected_model or "UNSET"}
            screen.aside("  " + screen.spelling.of(say("selection_altered", screen.lang, **at)))
        if SETTINGS_ALTERED in (log.error_reason or ""):
            screen.aside("  " + say("settings_altered", screen.lang))
        screen.aside("  " + screen.spelling.of(say(key, screen.lang, **names)))
