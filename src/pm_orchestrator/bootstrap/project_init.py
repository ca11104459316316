"""Making a directory a project: `.claude/` with defaults, never over anything that exists."""

import asyncio
from pathlib import Path

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.bootstrap.adopted_settings import with_our_blocks
from pm_orchestrator.bootstrap.config import project_directory
from pm_orchestrator.bootstrap.project_structure import required_folders
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.setup.settings import default_settings
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.layout import ProjectPaths

CLAUDE_MD = """# Project notes for coding agents

Describe here what an agent must know: how to build and test, and what to leave alone.
"""
IGNORE_ALL = b"*\n"


async def init_project(paths: ProjectPaths, files: DurableFiles, *, adopt: bool) -> list[Path]:
    """Create what is missing and return it.

    Raises:
        PmError: E210 when something is there already and `adopt` was not asked for.
    """
    wanted = {
        paths.claude / "CLAUDE.md": CLAUDE_MD.encode(),
        paths.settings: to_file(default_settings()),
        paths.claude / "repl.json": to_file(ReplState()),
    }
    folders = required_folders(paths)
    present = [p for p in [*wanted, *folders] if p.exists()]
    if present and not adopt:
        names = ", ".join(str(p.relative_to(paths.root)) for p in present)
        raise PmError("already_initialised", names=names)
    settings = await _adopted(paths)  # Sound, before anything is put beside it.
    made: list[Path] = []
    for folder in folders:
        if not folder.exists():
            folder.mkdir(parents=True)
            made.append(folder)
    for path, data in wanted.items():
        if not path.exists():
            await files.create(path, data)
            made.append(path)
    if settings is not None:
        await files.replace(paths.settings, settings)
        made.append(paths.settings)
    await hide_records(paths, files)
    return made


async def _adopted(paths: ProjectPaths) -> bytes | None:
    """The settings that are there with what they lack; None where nothing is to be written."""
    if not paths.settings.exists():
        return None
    before = await asyncio.to_thread(paths.settings.read_bytes)
    after = with_our_blocks(before, paths.settings)
    return None if after == before else after


async def hide_records(paths: ProjectPaths, files: DurableFiles) -> None:
    """Our records ignore themselves, so that git never offers to commit them."""
    for folder in (
        paths.claude / "logs",
        paths.claude / "raw",
        paths.claude / "evidence",
        paths.home,
    ):
        marker = folder / ".gitignore"
        if not marker.exists():
            await files.replace(marker, IGNORE_ALL)


async def init_at(project: Path, *, adopt: bool) -> list[Path]:
    """Make the directory `project` a project and return what was created."""
    paths = ProjectPaths(project_directory(project))
    return await init_project(paths, LocalFiles(SystemClock()), adopt=adopt)
