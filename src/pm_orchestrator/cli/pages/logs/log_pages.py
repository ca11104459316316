"""Task lists laid out for people. Pure: records in, text out.

Headings and words are those of the specification and the same in every language.
"""

from collections.abc import Callable, Sequence

import msgspec

from pm_orchestrator.cli.terminal.paint import Paint
from pm_orchestrator.domain.history.task_log import (
    TaskLog,
    TaskLogEntry,
    TaskLogStatus,
    TerminatedBy,
)
from pm_orchestrator.domain.history.task_story import pending_question, verdict_in
from pm_orchestrator.domain.tasks.status import ACCEPTED, TaskStatus

WORDS: dict[TaskLogStatus, str] = {
    TaskLogStatus.QUEUED: "PENDING",
    TaskLogStatus.RUNNING: "IN_PROGRESS",
    TaskLogStatus.COMPLETE: "COMPLETE",
    TaskLogStatus.INCOMPLETE: "INCOMPLETE",
    TaskLogStatus.ERROR: "ERROR",
}


def word_of(task: TaskLogEntry | TaskLog) -> str:
    """The word for a task; one that a person accepted is never shown as proved."""
    return ACCEPTED if task.accepted else WORDS[task.status]


FAILED, WAITING, ACTIVE, PENDING, COMPLETED = (
    "Failed Tasks",
    "Waiting Tasks",
    "Active Tasks",
    "Pending Tasks",
    "Completed Tasks",
)
MARKS = {FAILED: "!", WAITING: "?", ACTIVE: ">", PENDING: " ", COMPLETED: "x"}
"""Most urgent first."""
PAINTS = {"!": Paint.BAD, "?": Paint.OPEN, "x": Paint.GOOD}
CATEGORIES: dict[TaskLogStatus, str] = {
    TaskLogStatus.ERROR: FAILED,
    TaskLogStatus.INCOMPLETE: FAILED,
    TaskLogStatus.RUNNING: ACTIVE,
    TaskLogStatus.QUEUED: PENDING,
    TaskLogStatus.COMPLETE: COMPLETED,
}
HEADINGS = ("#", "Log ID", "External ID", "Status", "Duration", "Files", "Tests")

ReadLog = Callable[[str], TaskLog]
"""Opens a log: the index does not say why a task failed."""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A task as a list shows it."""

    word: str
    category: str
    reason: str | None = None


def shown(entry: TaskLogEntry, read: ReadLog) -> Shown:
    """The word for a task, where it belongs, and why, as far as it did not succeed."""
    word, category = word_of(entry), CATEGORIES[entry.status]
    if category != FAILED:
        return Shown(word=word, category=category)
    log = read(entry.task_id)
    question = pending_question(log)
    if question is not None:
        return Shown(word="WAITING", category=WAITING, reason=f"Question: {_one_line(question)}")
    if log.terminated_by is TerminatedBy.USER:
        word = "CANCELLED"
    elif verdict_in(log) is TaskStatus.INVALID:
        word = f"{word} (INVALID)"
    label = "Error" if entry.status is TaskLogStatus.ERROR else "Reason"
    why = _one_line(log.error_reason or "")
    return Shown(word=word, category=category, reason=f"{label}: {why}" if why else None)


def tasks_page(entries: Sequence[TaskLogEntry], read: ReadLog) -> str:
    """Tasks by category, what failed first, with a summary."""
    groups: dict[str, list[str]] = {category: [] for category in MARKS}
    counts = dict.fromkeys(MARKS, 0)
    for entry in entries:
        how = shown(entry, read)
        counts[how.category] += 1
        groups[how.category] += _task_lines(MARKS[how.category], entry, how)
    failed = counts[FAILED]
    page = [f"!!! ALERT: {failed} task(s) failed !!!", ""] if failed else []
    for title, lines in groups.items():
        if lines:
            page += [title, "-" * len(title), *lines, ""]
    page += ["Summary", "-------"]
    page.append(
        f"{counts[COMPLETED]} completed, {counts[ACTIVE]} running, "
        f"{counts[PENDING]} pending, {failed} failed"
        # Only a task that asked something can be in this state.
        + (f", {counts[WAITING]} waiting" if counts[WAITING] else "")
    )
    return "\n".join(page)


def tasks_paint(line: str) -> Paint | None:
    """By the mark of its category."""
    return PAINTS.get(line[1:2]) if line.startswith("[") else None


def _task_lines(mark: str, entry: TaskLogEntry, how: Shown) -> list[str]:
    counts = f"files={entry.files_modified_count}, tests={entry.tests_run_count}"
    line = f"[{mark}] {entry.external_task_id}: {how.word} ({counts})  [log: {entry.task_id}]"
    return [line] if how.reason is None else [line, f"    {how.reason}"]


def log_table(
    session_id: str, entries: Sequence[TaskLogEntry], read: ReadLog, selected: int | None = None
) -> str:
    """One line per log, both ids; below one that was blocked, why. `selected` gets a mark."""
    heading = f"Task Logs (session: {session_id}):"
    if not entries:
        return f"{heading}\nNo tasks logged for this session."
    rows = [HEADINGS, *(_row(number, entry) for number, entry in enumerate(entries, start=1))]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADINGS))]
    lines = [" | ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in rows]
    page = [heading, f"  {lines[0]}".rstrip()]
    for number, (line, entry) in enumerate(zip(lines[1:], entries, strict=True)):
        page.append(f"{'>' if number == selected else ' '} {line}".rstrip())
        if entry.status is TaskLogStatus.ERROR:
            page += [f"      {why}" for why in blocked_line(read(entry.task_id))]
    return "\n".join(page)


def _row(number: int, entry: TaskLogEntry) -> tuple[str, ...]:
    return (
        str(number),
        entry.task_id,
        entry.external_task_id,
        word_of(entry),
        f"{entry.duration_ms / 1000:.1f}s",
        str(entry.files_modified_count),
        str(entry.tests_run_count),
    )


def blocked_line(log: TaskLog) -> list[str]:
    """Why the executor of a task could not go on; nothing where it could."""
    if log.executor_blocked is not True:
        return []
    return [
        f"blocked: {log.blocked_reason} after {log.timeout_ms} ms (ended by {log.terminated_by})"
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())
