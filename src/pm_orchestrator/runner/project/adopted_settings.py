"""Settings that are already there, for Claude Code: ours are added, theirs stay as written."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.domain.setup.settings import Settings, default_settings

REQUIRED = tuple(f.name for f in msgspec.structs.fields(Settings) if f.required)
SettingsParser = Callable[[bytes, Path], Settings]
"""Reads settings strictly; it knows which technologies there are to choose from."""


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
