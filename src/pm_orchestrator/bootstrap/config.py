"""Reading a project's settings, strictly.

`.claude/settings.json` is also Claude Code's file. Its keys and any other
foreign key are left alone; ours are closed, and a near-miss of one of ours is an
error, because a misspelt limit that does nothing is worse than none.
"""

import json
import os
from pathlib import Path
from typing import Any, cast

import msgspec

from pm_orchestrator.bootstrap.registry import ENGINES, EXECUTORS, FORGES, MODELS, QUEUES, SANDBOXES
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.settings import SandboxSettings, Settings
from pm_orchestrator.evidence.guard.held_settings import OUR_KEYS, HeldSettings
from pm_orchestrator.evidence.look.plain_open import read_file
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.runner.layout import ProjectPaths

SANDBOX_KEYS = {f.name for f in msgspec.structs.fields(SandboxSettings)}
# Claude Code has a block of the same name; one without any key of ours is theirs.
CLAUDE_SANDBOX_KEYS = {
    "allowUnsandboxedCommands",
    "autoAllowBashIfSandboxed",
    "enableWeakerNestedSandbox",
    "enabled",
    "excludedCommands",
    "filesystem",
    "ignoreViolations",
    "network",
}

UNREGISTERED = {("sandbox.runtime", "auto"), ("company.executor", "tool-loop")}
"""Names that stand for no adapter."""


def project_directory(path: Path) -> Path:
    """The project's absolute path.

    Raises:
        PmError: E102 when it is not a directory we may write to, or is called by a key.
    """
    root = path.expanduser().absolute()
    if Masker().mask(str(root)).found:
        # Every record names the project, and whoever reads one has to find it.
        raise PmError("project_named_secret", path=root)
    if not root.exists():
        raise PmError("project_missing", path=root)
    if not root.is_dir():
        raise PmError("project_no_directory", path=root)
    if not os.access(root, os.W_OK | os.X_OK):
        raise PmError("project_read_only", path=root)
    return root


def load_settings(paths: ProjectPaths) -> Settings:
    """The project's settings.

    Raises:
        PmError: E101, E103, E104 or E105, naming the file and the place in it.
    """
    if not paths.claude.is_dir():
        raise PmError("no_claude_dir", path=paths.root)
    try:
        data = read_file(paths.settings)
    except FileNotFoundError:
        raise PmError("config_missing", path=paths.settings) from None
    except OSError as error:
        raise PmError("config_corrupt", path=paths.settings, reason=error.strerror) from error
    return parse_settings(data, paths.settings)


def settings_in_force(paths: ProjectPaths, held: HeldSettings) -> Settings:
    """The project's settings, as they were when the task that still counts as running began.

    Raises:
        PmError: as `load_settings`.
    """
    before = held.before() if paths.claude.is_dir() else None
    return load_settings(paths) if before is None else parse_settings(before, paths.settings)


def parse_settings(data: bytes, source: Path) -> Settings:
    """Settings from the bytes of a file."""
    try:
        document = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PmError("config_corrupt", path=source, reason=error) from error
    if not isinstance(document, dict):
        raise PmError("config_schema", path=source, reason="the top level is not an object")
    blocks: dict[str, Any] = {str(k): v for k, v in document.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    for key in blocks:
        _refuse_near_miss(key, source)
    _refuse_twice(data, source)
    if _is_claude_codes(blocks.get("sandbox")):
        del blocks["sandbox"]
    ours = {key: value for key, value in blocks.items() if key in OUR_KEYS}
    try:
        settings = msgspec.convert(ours, Settings, strict=True)
    except msgspec.ValidationError as error:
        raise PmError("config_schema", path=source, reason=error) from error
    _refuse_unknown_names(settings, source)
    return settings


def _refuse_unknown_names(settings: Settings, source: Path) -> None:
    """Technologies are chosen by name; the registry knows which there are."""
    company, sandbox = settings.company, settings.sandbox
    fallback = company.fallback.adapter if company.fallback else company.adapter
    for place, family, name in (
        ("company.adapter", MODELS, company.adapter),
        ("company.fallback.adapter", MODELS, fallback),
        ("company.message_queue", QUEUES, company.message_queue),
        ("company.engine", ENGINES, company.engine),
        ("company.forge", FORGES, company.forge),
        ("sandbox.runtime", SANDBOXES, sandbox.runtime),
        ("executor.name", EXECUTORS, settings.executor.name),
        ("company.executor", EXECUTORS, company.executor),
    ):
        if name not in family.names and (place, name) not in UNREGISTERED:
            known = ", ".join(sorted(family.names))
            reason = f"{place} is {name!r}, which is none of {known}"
            raise PmError("config_schema", path=source, reason=reason)


def _refuse_twice(data: bytes, source: Path) -> None:
    """Of a key that stands there twice one would count, and nobody could tell which."""

    def pairs(found: list[tuple[str, Any]]) -> _Block:
        names = [name for name, _ in found]
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        within = (name for _, value in found for name in _twice_in(value))
        # What is inside of a foreign key is not ours to judge, whatever is called.
        return _Block(found=tuple(found), twice=tuple(twice), within=tuple(within))

    top: Any = json.loads(data, object_pairs_hook=pairs)
    ours = [(name, value) for name, value in top.found if name in OUR_KEYS]
    twice = [name for name in top.twice if name in OUR_KEYS]
    for name in (
        *twice,
        *(f"{block}.{name}" for block, value in ours for name in _twice_in(value)),
    ):
        raise PmError("config_schema", path=source, reason=f"{name!r} stands there twice")


class _Block(msgspec.Struct, frozen=True):
    """An object as it is written."""

    found: tuple[tuple[str, Any], ...]
    twice: tuple[str, ...]
    within: tuple[str, ...]


def _twice_in(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        items = cast("list[object]", value)
        return tuple(name for item in items for name in _twice_in(item))
    return (*value.twice, *value.within) if isinstance(value, _Block) else ()


def _refuse_near_miss(key: str, source: Path) -> None:
    if key in OUR_KEYS:
        return
    import difflib

    near = difflib.get_close_matches(
        key.lower().replace("-", "_"), sorted(OUR_KEYS), n=1, cutoff=0.8
    )
    if near:
        reason = f"unknown key {key!r}; did you mean {near[0]!r}?"
        raise PmError("config_schema", path=source, reason=reason)


def _is_claude_codes(block: object) -> bool:
    if not isinstance(block, dict):
        return False
    keys = {str(k) for k in block}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return bool(keys & CLAUDE_SANDBOX_KEYS) and not keys & SANDBOX_KEYS
