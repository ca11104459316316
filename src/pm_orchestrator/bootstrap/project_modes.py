"""Where a REPL works: here, in a temporary directory, or in a fixed one."""

from pathlib import Path
from typing import Literal

import msgspec

from pm_orchestrator.domain.errors import PmError

ProjectMode = Literal["cwd", "temp", "fixed"]
TEMPORARY = "pm-orchestrator-runner-"


class ProjectChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line said."""

    mode: ProjectMode
    project: Path | None = None
    root: Path | None = None
    searches: bool = False
    """Whether a project above the current directory is meant as well."""


class ResolvedProject(msgspec.Struct, frozen=True, kw_only=True):
    """The directory, and what the user should be told about the choice."""

    path: Path
    mode: ProjectMode
    notices: tuple[str, ...]
    """Keys of the catalogue."""


def resolve(choice: ProjectChoice) -> ResolvedProject:
    """Find the directory; only `temp` makes one.

    Raises:
        PmError: E102 for a directory that cannot be used; E210 for options that contradict.
    """
    if choice.mode != "cwd" and choice.project is not None:
        raise PmError("project_and_mode", mode=choice.mode)
    notices: list[str] = []
    if choice.mode != "fixed" and choice.root is not None:
        notices.append(f"root_ignored_{choice.mode}")
    if choice.mode == "temp":
        notices.append("temp_is_volatile")
        import tempfile  # brings three compressors, and only this mode needs it

        path = Path(tempfile.mkdtemp(prefix=TEMPORARY))
    elif choice.mode == "fixed":
        path = _fixed(choice.root)
    else:
        path = _working_directory(choice)
    return ResolvedProject(path=path.absolute(), mode=choice.mode, notices=tuple(notices))


def _working_directory(choice: ProjectChoice) -> Path:
    if choice.project is not None:
        return choice.project
    return nearest_project(_here()) if choice.searches else _here()


def project_here() -> Path:
    """The project that the current directory lies in, or that directory."""
    try:
        return nearest_project(Path.cwd())
    except OSError:
        # It is gone, or closed to us: whoever opens it says so.
        return Path()


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise PmError("no_current_directory") from None


def nearest_project(start: Path, home: Path | None = None) -> Path:
    """The project that `start` lies in: itself, or the nearest directory above; else `start`.

    Not beyond the repository, nor into the home directory, whose `.claude` holds a person's
    settings for all their projects; nor into what belongs to somebody else.
    """
    home = Path.home() if home is None else home
    mine = start.stat().st_uid
    for folder in (start, *start.parents):
        if folder != start and (folder == home or folder.stat().st_uid != mine):
            break
        if (folder / ".claude").is_dir():
            return folder
        if (folder / ".git").exists():
            break
    return start


def _fixed(root: Path | None) -> Path:
    if root is None:
        raise PmError("root_required")
    if not root.is_absolute():
        raise PmError("root_relative", path=root)
    if not root.is_dir():
        raise PmError("root_missing", path=root)
    return root
