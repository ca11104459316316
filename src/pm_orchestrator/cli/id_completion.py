"""Ids for the shell to complete: read from the index files alone, so that Tab answers at once.

Nothing is opened, recovered or locked here, and whatever cannot be read offers nothing: an
error message in the middle of a command line would help nobody.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import click
import msgspec

from pm_orchestrator.bootstrap.project_modes import project_here

MOST_SESSIONS = 20
"""The latest ones; older ids have to be typed."""

T = TypeVar("T")


class _Session(msgspec.Struct):
    session_id: str


class _Sessions(msgspec.Struct):
    """What is needed of `logs/index.json` in an older project."""

    sessions: tuple[_Session, ...]


class _Entry(msgspec.Struct):
    external_task_id: str
    run_id: str


class _Entries(msgspec.Struct):
    """What is needed of a session's `index.json`."""

    entries: tuple[_Entry, ...]


def complete_sessions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Sessions, the latest first."""
    return _starting_with(incomplete, session_ids(_logs(ctx)))


def complete_tasks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Tasks by their external id, the latest first."""
    return _starting_with(incomplete, task_ids(_logs(ctx)))


def complete_sessions_and_runs(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str]:
    """What `status` takes."""
    logs = _logs(ctx)
    return _starting_with(incomplete, session_ids(logs), _of_entries(logs, "run_id"))


def complete_tasks_and_runs(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str]:
    """What `watch` takes."""
    logs = _logs(ctx)
    return _starting_with(incomplete, task_ids(logs), _of_entries(logs, "run_id"))


def _starting_with(incomplete: str, *sources: Iterator[str]) -> list[str]:
    found = (name for source in sources for name in source if name.startswith(incomplete))
    return list(dict.fromkeys(found))


def _logs(ctx: click.Context) -> Path:
    project = ctx.params.get("project") or project_here()
    return Path(project) / ".claude" / "logs"


def session_ids(logs: Path) -> Iterator[str]:
    """The latest sessions of a project, the newest first."""
    listed = _read(tuple[_Session, ...], logs / "index.json")
    if listed is None:
        older = _read(_Sessions, logs / "index.json")
        listed = () if older is None else older.sessions
    yield from (entry.session_id for entry in reversed(listed[-MOST_SESSIONS:]))


def task_ids(logs: Path) -> Iterator[str]:
    """The tasks of these sessions by their external id, the newest first."""
    return _of_entries(logs, "external_task_id")


def _of_entries(logs: Path, field: str) -> Iterator[str]:
    for session in session_ids(logs):
        index = _read(_Entries, logs / "sessions" / session / "index.json")
        for entry in reversed(index.entries if index is not None else ()):
            yield str(getattr(entry, field))


def _read(kind: type[T], path: Path) -> T | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
