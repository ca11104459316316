"""What a person allows the executor from now on: a rule more in the settings, and on record."""

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.look.plain_open import read_file
from pm_orchestrator.ports.recorder import PERSON, Operation
from pm_orchestrator.runner.project.project import Project

INDENT = re.compile(r"^\s*\{[^\n]*\n([ \t]+)")


async def allow_always(
    project: Project, rules: Sequence[str], session_id: str, task_id: str
) -> tuple[str, ...]:
    """Add what is new to `executor.allowed_tools`, on disk and in force; returns that.

    The directory has to be the caller's own: a change of settings beside an executor at work
    would be taken for its doing.

    Raises:
        PmError: E105 for settings that cannot be read any more.
    """
    known = project.settings.executor.allowed_tools
    new = tuple(dict.fromkeys(rule for rule in rules if rule not in known))
    if not new:
        return ()
    data = await asyncio.to_thread(read_file, project.paths.settings)
    try:
        changed = with_rules(data.decode(), new)
    except ValueError as error:
        raise PmError("config_corrupt", path=project.paths.settings, reason=error) from error
    await project.recorder.record(
        Operation(
            type="always_allowed",
            raw="\n".join(new),
            session_id=session_id,
            task_id=task_id,
            executor_id=PERSON,
        )
    )
    await project.own_files.replace(project.paths.settings, changed.encode())
    executor = replace(project.settings.executor, allowed_tools=(*known, *new))
    project.settings = replace(project.settings, executor=executor)
    return new


def with_rules(text: str, rules: Sequence[str]) -> str:
    """The settings with these rules at the end of the list, indented as they were.

    Raises:
        ValueError: they are no settings.
    """
    document = msgspec.convert(json.loads(text), dict[str, Any])
    executor = msgspec.convert(document.get("executor", {}), dict[str, Any])
    allowed = msgspec.convert(executor.get("allowed_tools", []), list[str])
    executor["allowed_tools"] = [*allowed, *(rule for rule in rules if rule not in allowed)]
    document["executor"] = executor
    indent = INDENT.match(text)
    return json.dumps(document, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n"
