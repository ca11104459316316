"""The end of one task, for a person."""

from pathlib import Path

from pm_orchestrator.cli.pages.answer_page import answer_page
from pm_orchestrator.cli.pages.summary import Summary, SummaryFormat, summary_text
from pm_orchestrator.cli.terminal.spelling import Spelling
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.catalogue.reasons import OTHER_REASONS
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import TaskResult
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.records.interruption import TaskInterruptedError

LISTED = 8
WEIGHTY = frozenset({"no_test_gate", "gate_not_installed"})
"""Notes that belong to the verdict itself; others are about where the work is."""
SILENT = frozenset({"saved"})
"""Not odd: where the files from before the task are, for `undo`."""


def end_page(
    end: RunResult, root: Path, form: SummaryFormat, lang: Lang, spelling: Spelling
) -> str:
    """What was found and, last, the summary."""
    page: list[str] = []
    if end.answer is not None:
        page += answer_page(Path(end.answer), end.changes, lang)
    page += findings_page(end.findings, lang)
    if end.work:
        # Only a company has parts to show.
        from pm_orchestrator.cli.pages.result_page import commands_page, result_page

        page += [*result_page(end, lang), "", *commands_page(end, root, lang), ""]
    page += _not_proved(end, lang, spelling)
    summary = Summary(
        task_id=end.task_id,
        status=end.status,
        why=end.reason.say(lang),
        hint=cure_if_any(end, end.reason, lang),
        accepted=end.is_accepted,
        acceptable=bool(end.acceptable),
        besides=tuple(note.say(lang) for note in end.notes if note.key in WEIGHTY),
    )
    return "\n".join([*page, summary_text(summary, lang, form, spelling)])


def cure_if_any(end: RunResult, reason: Reason, lang: Lang) -> str | None:
    """What helps; most ends need none."""
    if reason.key in OTHER_REASONS:
        return None
    from pm_orchestrator.cli.pages.ends.cures import cure_of

    return cure_of(end, reason, lang)


def _not_proved(end: RunResult, lang: Lang, spelling: Spelling) -> list[str]:
    """What a person takes upon themselves, or did; a single reason stands in the summary."""
    cures: list[str | None] = []
    if end.is_accepted:
        heading = say("accepted_list", lang)
    elif end.acceptable and len(end.not_proved) > 1:
        heading = say("not_proved_list", lang)
        # The summary has that of the first.
        cures = [cure_if_any(end, end.reason, lang)]
    else:
        return []
    page = [heading]
    for reason in end.not_proved:
        page.append(f"  ✗ {reason.say(lang)}")
        helps = cure_if_any(end, reason, lang) if cures else None
        if helps is not None and helps not in cures:
            cures.append(helps)
            page.append(f"    {tell('end_cure', lang, cure=spelling.of(helps))}")
    notes = () if end.work else end.notes
    return [*page, *(say("note", lang, note=note.say(lang)) for note in notes)]


def failed_page(
    error: PmError, result: TaskResult, form: SummaryFormat, lang: Lang, spelling: Spelling
) -> str:
    """The summary of a task without a verdict of its own: an error, or a question."""
    summary = Summary(
        task_id=result.task_id,
        status=result.status,
        why=error.what(lang),
        hint=error.hint(lang),
        asks=result.clarification_needed,
    )
    return summary_text(summary, lang, form, spelling)


def stopped_page(
    stopped: TaskInterruptedError, form: SummaryFormat, lang: Lang, spelling: Spelling
) -> str:
    """The same in a conversation for a task that the person has stopped."""
    summary = Summary(
        task_id=stopped.task_id,
        status=TaskStatus.INCOMPLETE,
        why=tell("why_stopped", lang),
        hint=tell("hint_stopped", lang, task=stopped.task_id),
    )
    return summary_text(summary, lang, form, spelling)


def interruption_page(stopped: TaskInterruptedError, lang: Lang) -> list[str]:
    """What became of a task that was stopped, and both ways from here."""
    task = stopped.task_id
    if stopped.way == "company":
        page = [say("run_interrupted", lang, task=task)]
        if stopped.done:
            page.append(say("run_proved", lang, tickets=", ".join(stopped.done)))
        if stopped.kept:
            page.append(say("run_kept", lang, refs=", ".join(stopped.kept)))
        return [*page, say("resume_later", lang, run=stopped.run_id)]
    page = [say("task_interrupted", lang, task=task)]
    if stopped.kept:
        page.append(say("interrupted_undo", lang, task=task, ref=stopped.kept[0]))
    return [*page, say("interrupted_go_on", lang, session=stopped.session_id)]


def findings_page(findings: tuple[OddFinding, ...], lang: Lang) -> list[str]:
    """What a person may want to look at, the first few by name; none of it changes the verdict."""
    shown = [finding for finding in findings if finding.kind not in SILENT]
    if not shown:
        return []
    page = [say("worth_a_look", lang)]
    for finding in shown[:LISTED]:
        page.append("  ! " + say(f"odd_{finding.kind}", lang, path=_one_line(finding.path)))
    if len(shown) > LISTED:
        page.append("  " + say("odd_more", lang, count=len(shown) - LISTED))
    return page


def _one_line(path: str) -> str:
    """A file may be called anything; a name must not steer the terminal."""
    return "".join(c if c.isprintable() else "?" for c in path)
