"""What a project's `.claude` must hold, checked before anything else is done there."""

from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.layout import ProjectPaths


def required_files(paths: ProjectPaths) -> list[Path]:
    """Files without which a directory is no project."""
    return [paths.claude / "CLAUDE.md", paths.settings]


def required_folders(paths: ProjectPaths) -> list[Path]:
    """Directories without which it is none."""
    return [paths.claude / "agents", paths.claude / "rules"]


def check_structure(paths: ProjectPaths) -> None:
    """Stop where something is missing; nothing is guessed and nothing added.

    Raises:
        PmError: E101 without `.claude`; E103 naming everything that is missing in it.
    """
    if not paths.claude.is_dir():
        raise PmError("no_claude_dir", path=paths.root)
    missing = [path for path in required_files(paths) if not path.exists()]
    missing += [path for path in required_folders(paths) if not path.is_dir()]
    if missing:
        names = ", ".join(str(path.relative_to(paths.root)) for path in missing)
        raise PmError("config_missing", path=names)
