"""What makes a directory a project: checked before anything else is done there, or made.

Nothing is guessed, nothing is added unasked, and nothing that exists is written over.
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.record import to_file, to_json
from pm_orchestrator.domain.setup.settings import Settings, default_settings
from pm_orchestrator.evidence.look.plain_open import read_file
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.project.project import PROJECT, Project
from pm_orchestrator.runner.project.sheltered_records import record_folders, shelter_records

CLAUDE_MD = """# Project notes for coding agents

Describe here what an agent must know: how to build and test, and what to leave alone.
"""
IGNORE_ALL = b"*\n"
SettingsParser = Callable[[bytes, Path], Settings]
"""Reads settings strictly; it knows which technologies there are to choose from."""
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
    for folder in record_folders(paths):
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
    await keep_state_to_ourselves(project)
    await shelter_records(project)


async def keep_state_to_ourselves(project: Project) -> None:
    """The REPL's state is this checkout's own, and never offered to be committed."""
    await project.checkout(None).exclude(*STATE_FILES)


def required_files(paths: ProjectPaths) -> list[Path]:
    """Files without which a directory is no project."""
    return [paths.claude / "CLAUDE.md", paths.settings]


def required_folders(paths: ProjectPaths) -> list[Path]:
    """Directories without which it is none."""
    return [paths.claude / "agents", paths.claude / "rules"]


def lacks_our_parts(paths: ProjectPaths) -> bool:
    """Whether the `.claude` that is there lacks what is ours, as that of a Claude Code user does.

    One that cannot be read is not: whoever opens it says what is wrong.
    """
    if not paths.claude.is_dir():
        return False
    if not all(map(Path.exists, required_files(paths))):
        return True
    try:
        document = json.loads(read_file(paths.settings))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and any(name not in document for name in REQUIRED)


def refuse_unless_project(paths: ProjectPaths) -> None:
    """Stop where there is no `.claude`.

    Raises:
        PmError: E101.
    """
    if not paths.claude.is_dir():
        raise PmError("no_claude_dir", path=paths.root)


def check_structure(paths: ProjectPaths) -> None:
    """Stop where something is missing; nothing is guessed and nothing added.

    Raises:
        PmError: E101 without `.claude`; E103 naming everything that is missing in it.
    """
    refuse_unless_project(paths)
    missing = [path for path in required_files(paths) if not path.exists()]
    missing += [path for path in required_folders(paths) if not path.is_dir()]
    if missing:
        names = ", ".join(str(path.relative_to(paths.root)) for path in missing)
        raise PmError("config_missing", path=names)


def complete_structure(paths: ProjectPaths) -> None:
    """The same, but make directories that are missing: git carries no empty ones into a clone.

    Raises:
        PmError: as `check_structure`.
    """
    files = all(map(Path.exists, required_files(paths)))
    for folder in required_folders(paths) if files else ():
        if not folder.exists():
            folder.mkdir()
    check_structure(paths)


async def move_in(project: Project) -> None:
    """Open a project for the first time where git brought it: a clone, a worktree, CI."""
    if not (project.paths.claude / "repl.json").exists():
        await keep_state_to_ourselves(project)


REQUIRED = tuple(f.name for f in msgspec.structs.fields(Settings) if f.required)


def with_our_blocks(data: bytes, source: Path, parse: SettingsParser) -> bytes:
    """The same file with those of our required blocks that it lacks, at its end.

    Only text is added, so that comments on style, order and indentation stay theirs.

    Raises:
        PmError: E104 or E105 for a file that is not sound as it is.
    """
    try:
        document = json.loads(data)
        text = data.decode("utf-8")
    except ValueError as error:
        raise PmError("config_corrupt", path=source, reason=error) from error
    if not isinstance(document, dict):
        raise PmError("config_schema", path=source, reason="the top level is not an object")
    defaults = json.loads(to_json(default_settings()))
    lacking = {name: defaults[name] for name in REQUIRED if name not in document}
    if lacking:
        text = _added(text, lacking)
    parse(text.encode(), source)
    return text.encode()


def _added(text: str, blocks: dict[str, object]) -> str:
    body = text.rstrip()
    head = body[:-1].rstrip()
    comma = "" if head.endswith("{") else ","
    inner = json.dumps(blocks, indent=2)[1:].lstrip("\n")
    return f"{head}{comma}\n{inner}\n"
