"""Making a directory a project: `.claude/` with defaults, never over anything that exists."""

import asyncio
from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.setup.settings import default_settings
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.project.adopted_settings import SettingsParser, with_our_blocks
from pm_orchestrator.runner.project.project import PROJECT, Project
from pm_orchestrator.runner.project.structure import required_folders

CLAUDE_MD = """# Project notes for coding agents

Describe here what an agent must know: how to build and test, and what to leave alone.
"""
IGNORE_ALL = b"*\n"
STATE_FILES = (".claude/repl.json", ".claude/repl.json.lock")


async def init_project(
    paths: ProjectPaths, files: DurableFiles, parse: SettingsParser, *, adopt: bool
) -> list[Path]:
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
    settings = await _adopted(paths, parse)  # Sound, before anything is put beside it.
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


async def _adopted(paths: ProjectPaths, parse: SettingsParser) -> bytes | None:
    """The settings that are there with what they lack; None where nothing is to be written."""
    if not paths.settings.exists():
        return None
    before = await asyncio.to_thread(paths.settings.read_bytes)
    after = with_our_blocks(before, paths.settings, parse)
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


async def record_init(project: Project, made: list[Path]) -> None:
    """Put on record what was created, and keep the REPL's state out of the user's commits."""
    names = [path.relative_to(project.paths.root).as_posix() for path in made]
    await project.recorder.record(
        Operation(
            type="init_project",
            raw="\n".join(f"created {name}" for name in names) or "nothing was missing",
            session_id=PROJECT,
            task_id="init",
        )
    )
    checkout = project.checkout(None)
    for name in STATE_FILES:
        await checkout.exclude(name)
