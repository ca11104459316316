"""Ids to be completed, each with its instruction: read from a few small files, at once.

Nothing is opened, recovered or locked here, and whatever cannot be read offers nothing: an
error message in the middle of a command line would help nobody.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

import click
import msgspec
from click.shell_completion import CompletionItem

from pm_orchestrator.bootstrap.project_modes import project_here
from pm_orchestrator.cli.terminal.text_width import cut_to_width

MOST_SESSIONS = 20
MOST_TASKS = 50
"""The latest ones; older ids have to be typed."""
LONGEST = 60
"""Characters of an instruction that stand beside an id."""

T = TypeVar("T")


class _Session(msgspec.Struct):
    session_id: str


class _Sessions(msgspec.Struct):
    """What is needed of `logs/index.json` in an older project."""

    sessions: tuple[_Session, ...]


class _Entry(msgspec.Struct):
    external_task_id: str
    run_id: str
    log_file: str = ""
    parent_task_id: str | None = None


class _Log(msgspec.Struct):
    """What is needed of a task's log; all of it is masked there."""

    prompt_summary: str


class KnownId(NamedTuple):
    """An id, and what it is about."""

    name: str
    about: str = ""


class _Entries(msgspec.Struct):
    """What is needed of a session's `index.json`."""

    entries: tuple[_Entry, ...]


def complete_sessions(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Sessions, the latest first."""
    return _items(incomplete, session_ids(_logs(ctx)))


def complete_tasks(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Tasks by their external id, the latest first."""
    return _items(incomplete, task_ids(_logs(ctx)))


def complete_sessions_and_runs(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """What `status` takes."""
    logs = _logs(ctx)
    return _items(incomplete, session_ids(logs), run_ids(logs))


def complete_tasks_and_runs(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """What `watch` takes."""
    logs = _logs(ctx)
    return _items(incomplete, task_ids(logs), run_ids(logs))


def _items(incomplete: str, *sources: Iterator[KnownId]) -> list[CompletionItem]:
    found = {i.name: i.about for ids in sources for i in ids if i.name.startswith(incomplete)}
    return [CompletionItem(name, help=about or None) for name, about in found.items()]


def _logs(ctx: click.Context) -> Path:
    project = ctx.params.get("project") or project_here()
    return Path(project) / ".claude" / "logs"


def session_ids(logs: Path) -> Iterator[KnownId]:
    """The latest sessions of a project, the newest first, each with its last instruction."""
    for name in _sessions(logs):
        tasks = (entry for entry in _entries(logs, name) if entry.parent_task_id is None)
        last = next(tasks, None)
        yield KnownId(name, "" if last is None else _about(logs, name, last))


def task_ids(logs: Path) -> Iterator[KnownId]:
    """The tasks of these sessions by their external id, the newest first."""
    for session, entry in _latest(logs):
        yield KnownId(entry.external_task_id, _about(logs, session, entry))


def run_ids(logs: Path) -> Iterator[KnownId]:
    """The runs of these tasks, likewise."""
    for session, entry in _latest(logs):
        yield KnownId(entry.run_id, _about(logs, session, entry))


def _latest(logs: Path) -> Iterator[tuple[str, _Entry]]:
    every = ((name, entry) for name in _sessions(logs) for entry in _entries(logs, name))
    return islice(every, MOST_TASKS)


def _sessions(logs: Path) -> Iterator[str]:
    listed = _read(tuple[_Session, ...], logs / "index.json")
    if listed is None:
        older = _read(_Sessions, logs / "index.json")
        listed = () if older is None else older.sessions
    yield from (entry.session_id for entry in reversed(listed[-MOST_SESSIONS:]))


def _entries(logs: Path, session: str) -> Iterator[_Entry]:
    index = _read(_Entries, logs / "sessions" / session / "index.json")
    return reversed(index.entries if index is not None else ())


def _about(logs: Path, session: str, entry: _Entry) -> str:
    log = _read(_Log, logs / "sessions" / session / entry.log_file) if entry.log_file else None
    text = " ".join(log.prompt_summary.split()) if log is not None else ""
    return cut_to_width(text, LONGEST)


def _read(kind: type[T], path: Path) -> T | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
