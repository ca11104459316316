"""What happens in a task, line by line, and the list of runs."""

from collections.abc import Sequence
from datetime import datetime

from pm_orchestrator.cli.pages.ends.spent_words import spent_words
from pm_orchestrator.cli.pages.logs.log_detail import event_line
from pm_orchestrator.cli.pages.summary import Summary, summary_text
from pm_orchestrator.cli.terminal.progress import describe
from pm_orchestrator.cli.terminal.spelling import Spelling
from pm_orchestrator.cli.terminal.text_width import cut_to_width
from pm_orchestrator.domain.catalogue.said_again import said_again
from pm_orchestrator.domain.catalogue.watch_texts import watch_say
from pm_orchestrator.domain.tasks.status import ACCEPTED
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.sessions.run_list import RunLine
from pm_orchestrator.runner.sessions.run_watch import FromRun, FromTask, WatchEnd

LISTED = 20
LONGEST = 160


def happening_text(happening: FromRun | FromTask, lang: Lang) -> str:
    """One line with the time of day, or nothing when it is not worth one."""
    if isinstance(happening, FromRun):
        text = describe(happening.event, lang)
    else:
        text = f"    {cut_to_width(event_line(happening.event), LONGEST)}"
    moment = datetime.fromisoformat(happening.event.timestamp).astimezone()
    return f"[{moment:%H:%M:%S}] {text}" if text else ""


def end_text(end: WatchEnd, lang: Lang, spelling: Spelling) -> str:
    """The summary that the task itself ended with."""
    if end.task_id is None:
        return watch_say("watch_end", lang, run=end.run_id, status=end.status)
    why = said_again(end.reason or "", lang) or watch_say(
        "watch_end", lang, run=end.run_id, status=end.status
    )
    summary = Summary(task_id=end.task_id, status=end.status, why=why, accepted=end.accepted)
    return summary_text(summary, lang, "block", spelling)


def runs_page(runs: Sequence[RunLine], lang: Lang, width: int | None = None) -> str:
    """One line per run, the latest last; `status` tells the session where it has no room."""
    if not runs:
        return watch_say("no_runs", lang)
    rows = [("Run", "Mode", "Status", "Started", "Spent", "Task", "Session")]
    rows += [
        (
            r.run_id,
            r.mode,
            ACCEPTED if r.accepted else r.status,
            r.started_at[:19],
            "-" if r.spent is None else " ".join(spent_words(r.spent, lang)),
            r.task_id or "-",
            r.session_id,
        )
        for r in runs[-LISTED:]
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    if width is not None and sum(widths) + 2 * (len(widths) - 1) > width:
        del widths[-1]
        rows = [row[:-1] for row in rows]
    lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows]
    if len(runs) > LISTED:
        lines.append(watch_say("more_runs", lang, count=len(runs) - LISTED))
    return "\n".join(lines)
