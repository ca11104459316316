"""Thread, run and task as a tree."""

from collections.abc import Iterator, Sequence

import msgspec

from pm_orchestrator.cli.pages.logs.log_pages import ReadLog, word_of
from pm_orchestrator.cli.terminal.text_table import cut
from pm_orchestrator.domain.history.session import Run, Thread, ThreadType
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogEntry, VisibilityLevel

WIDTH = 60
"""Columns of an instruction: a branch and it fit on a line of 80."""
NAMES = {
    ThreadType.MAIN: "main conversation",
    ThreadType.BACKGROUND: "background executor",
    ThreadType.SYSTEM: "system",
}
LEGEND = "Legend: [COMPLETE] [INCOMPLETE] [ERROR]"


class Node(msgspec.Struct, frozen=True):
    """A line and what hangs below it."""

    line: str
    below: tuple["Node", ...] = ()


def tree_page(
    session_id: str,
    threads: Sequence[Thread],
    runs: Sequence[Run],
    entries: Sequence[TaskLogEntry],
    read: ReadLog,
    level: str = VisibilityLevel.SUMMARY,
) -> str:
    """The whole session; without `full` an executor's own tasks do not show their words."""
    page = [f"Task Tree (session: {session_id}):"]
    for thread in threads:
        own = [run for run in runs if run.thread_id == thread.thread_id]
        if not own:
            continue
        hidden = thread.thread_type is not ThreadType.MAIN and level != VisibilityLevel.FULL
        page += [
            "",
            f"Thread: {thread.thread_id} ({thread.description or NAMES[thread.thread_type]})",
        ]
        page += _drawn(tuple(_run_node(run, entries, read, hidden=hidden) for run in own))
    return "\n".join([*page, "", LEGEND])


def _run_node(run: Run, entries: Sequence[TaskLogEntry], read: ReadLog, *, hidden: bool) -> Node:
    end = "…" if run.completed_at is None else run.completed_at[11:19]
    mine = [entry for entry in entries if entry.run_id == run.run_id]
    ids = {entry.external_task_id for entry in mine}

    def nodes(parent: str | None) -> tuple[Node, ...]:
        return tuple(
            _task_node(entry, read, nodes(entry.external_task_id), hidden=hidden)
            for entry in mine
            if (entry.parent_task_id if entry.parent_task_id in ids else None) == parent
        )

    return Node(f"Run: {run.run_id} [{run.started_at[11:19]} - {end}]", nodes(None))


def _task_node(
    entry: TaskLogEntry, read: ReadLog, children: tuple[Node, ...], *, hidden: bool
) -> Node:
    log = read(entry.task_id)
    said = "(executor output - hidden in summary)" if hidden else f'"{_said(log)}"'
    line = f"{entry.task_id} [{word_of(entry)}] {_way(log)}  [{entry.external_task_id}]"
    return Node(line, (Node(said), *children))


def _way(log: TaskLog) -> str:
    """From the first event to the last."""
    kinds = [str(event.event_type) for event in log.events]
    return " → ".join(dict.fromkeys((kinds[0], kinds[-1]))) if kinds else ""


def _said(log: TaskLog) -> str:
    text = " ".join(log.prompt_summary.split())
    return cut("".join(c if c.isprintable() else "?" for c in text), WIDTH)


def _drawn(nodes: tuple[Node, ...], indent: str = "") -> Iterator[str]:
    for number, node in enumerate(nodes):
        last = number == len(nodes) - 1
        yield f"{indent}{'└── ' if last else '├── '}{node.line}"
        yield from _drawn(node.below, indent + ("    " if last else "│   "))
