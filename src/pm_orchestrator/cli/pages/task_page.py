"""The end of one task, for a person or a program."""

from pathlib import Path

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.cli.pages.answer_page import show_answer
from pm_orchestrator.cli.pages.findings_page import show_findings
from pm_orchestrator.cli.pages.result_page import show_commands, show_result
from pm_orchestrator.cli.pages.summary import Summary, SummaryFormat, summary_text
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import TaskResult
from pm_orchestrator.runner.records.interruption import TaskInterruptedError


def show_end(
    screen: Screen,
    end: RunResult,
    *,
    as_json: bool,
    app: Application,
    form: SummaryFormat | None = None,
) -> None:
    """Print the whole result as data, or the summary of it."""
    if as_json:
        screen.raw(to_file(end).decode().rstrip())
        return
    if end.answer is not None:
        show_answer(screen, Path(end.answer), end.changes)
    show_findings(screen, end.findings)
    if end.work:
        show_result(screen, end)
        screen.line()
        show_commands(screen, end, app.paths.root)
        screen.line()
    why = end.reason.say(screen.lang)
    summary = Summary(task_id=end.task_id, status=end.status, why=why)
    screen.line(summary_text(summary, screen.lang, form or app.settings.ui.summary_format))


def show_failure(
    screen: Screen, error: PmError, result: TaskResult, form: SummaryFormat = "block"
) -> None:
    """The same for a task that ended without a verdict of its own: an error, or a question."""
    screen.error(error)
    show_failed(screen, error, result, form)


def show_failed(
    screen: Screen, error: PmError, result: TaskResult, form: SummaryFormat = "block"
) -> None:
    """Its summary alone, where the error is printed by somebody else."""
    lang = screen.lang
    summary = Summary(
        task_id=result.task_id,
        status=result.status,
        why=error.what(lang),
        hint=error.hint(lang),
        asks=result.clarification_needed,
    )
    screen.line(summary_text(summary, lang, form))


def show_stopped(
    screen: Screen, stopped: TaskInterruptedError, form: SummaryFormat = "block"
) -> None:
    """The same in a conversation for a task that the person has stopped."""
    lang = screen.lang
    summary = Summary(
        task_id=stopped.task_id,
        status=TaskStatus.INCOMPLETE,
        why=tell("why_stopped", lang),
        hint=tell("hint_stopped", lang, task=stopped.task_id),
    )
    screen.line(summary_text(summary, lang, form))
