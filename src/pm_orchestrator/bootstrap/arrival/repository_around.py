"""The git repository around a directory that need not be a project yet."""

import os
from pathlib import Path

from pm_orchestrator.adapters.git.user.git_ignored import repository_above
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.bootstrap.host_git import HostGit
from pm_orchestrator.domain.errors import PmError

__all__ = ["git_of", "git_programs", "repository_above", "repository_files"]

LIBRARIES = ("lib", "libexec")


def git_of(environment: Environment, root: Path) -> HostGit:
    """Git for whoever only looks."""
    return HostGit(root, environment, LocalCommands(), SystemClock(), environment.masker)


async def repository_files(environment: Environment, root: Path) -> tuple[str, ...]:
    """The files in `root` that git knows or would take; none where it cannot say."""
    if repository_above(root) is None:
        return ()
    try:
        return await git_of(environment, root).checkout(None).files()
    except PmError:
        return ()


def git_programs(environment: Environment) -> Path | None:
    """Where git keeps its sub-commands, as far as the search path leads there."""
    folders = [Path(folder) for folder in environment.search_path.split(os.pathsep) if folder]
    places = (f.parent / library / "git-core" for f in folders for library in LIBRARIES)
    return next((place for place in places if place.is_dir()), None)
