"""Task lists and logs laid out for people. Pure: records in, text out."""

from collections.abc import Callable, Sequence

from pm_orchestrator.domain.task_log import TaskLog, TaskLogEntry, TaskLogStatus, VisibilityLevel

WORDS: dict[TaskLogStatus, str] = {
    TaskLogStatus.QUEUED: "PENDING",
    TaskLogStatus.RUNNING: "IN_PROGRESS",
    TaskLogStatus.COMPLETE: "COMPLETE",
    TaskLogStatus.INCOMPLETE: "INCOMPLETE",
    TaskLogStatus.ERROR: "ERROR",
}
# Most urgent first: title, mark, and which states belong there.
CATEGORIES: tuple[tuple[str, str, tuple[TaskLogStatus, ...]], ...] = (
    ("Failed Tasks", "!", (TaskLogStatus.ERROR, TaskLogStatus.INCOMPLETE)),
    ("Active Tasks", ">", (TaskLogStatus.RUNNING,)),
    ("Pending Tasks", " ", (TaskLogStatus.QUEUED,)),
    ("Completed Tasks", "x", (TaskLogStatus.COMPLETE,)),
)


def tasks_page(entries: Sequence[TaskLogEntry]) -> str:
    """Tasks by category, what failed first, with a summary."""
    groups = [[e for e in entries if e.status in states] for _, _, states in CATEGORIES]
    failed, active, pending, completed = (len(g) for g in groups)
    lines = [f"!!! ALERT: {failed} task(s) failed !!!", ""] if failed else []
    for (title, mark, _), group in zip(CATEGORIES, groups, strict=True):
        if group:
            lines += [title, "-" * len(title), *(_task_line(mark, e) for e in group), ""]
    lines += ["Summary", "-------"]
    lines += [f"{completed} completed, {active} running, {pending} pending, {failed} failed"]
    return "\n".join(lines)


def _task_line(mark: str, entry: TaskLogEntry) -> str:
    counts = f"files={entry.files_modified_count}, tests={entry.tests_run_count}"
    word = WORDS[entry.status]
    return f"[{mark}] {entry.external_task_id}: {word} ({counts})  [log: {entry.task_id}]"


def log_table(
    session_id: str,
    entries: Sequence[TaskLogEntry],
    read: Callable[[str], TaskLog] | None = None,
) -> str:
    """One line per log, both ids; below one that was blocked, why.

    The index does not say that, so `read` opens the logs of tasks that failed.
    """
    heading = f"Task Logs (session: {session_id}):"
    if not entries:
        return f"{heading}\nNo tasks logged for this session."
    rows = [("#", "Log ID", "External ID", "Status", "Duration", "Files", "Tests")]
    rows += [
        (
            str(number),
            e.task_id,
            e.external_task_id,
            WORDS[e.status],
            f"{e.duration_ms / 1000:.1f}s",
            str(e.files_modified_count),
            str(e.tests_run_count),
        )
        for number, e in enumerate(entries, start=1)
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [" | ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in rows]
    page = [heading, f"  {lines[0]}".rstrip()]
    for line, entry in zip(lines[1:], entries, strict=True):
        page.append(f"  {line}".rstrip())
        if read is not None and entry.status is TaskLogStatus.ERROR:
            page += [f"      {why}" for why in blocked_line(read(entry.task_id))]
    return "\n".join(page)


def blocked_line(log: TaskLog) -> list[str]:
    """Why the executor of a task could not go on; nothing where it could."""
    if log.executor_blocked is not True:
        return []
    return [
        f"blocked: {log.blocked_reason} after {log.timeout_ms} ms (ended by {log.terminated_by})"
    ]


def task_page(log: TaskLog, *, full: bool = False) -> str:
    """One log: what was asked, what was found, and the events a reader may see."""
    lines = [
        f"Task {log.task_id}  [log: {log.log_id}]",
        f"Status: {WORDS[log.status]}",
        f"Asked: {log.prompt_summary}",
        f"Decision: {log.runner_decision}",
    ]
    lines += [f"Why: {log.error_reason}"] if log.error_reason else []
    lines += blocked_line(log)
    lines += [f"File: {f.path} ({'there' if f.exists else 'gone'})" for f in log.verified_files]
    lines += [f"Evidence: {len(log.evidence_refs)} records"]
    for event in log.events:
        if full or event.visibility_level is VisibilityLevel.SUMMARY:
            lines.append(f"{event.timestamp} {event.event_type} {event.content}")
    return "\n".join(lines)
