"""Changes known to change nothing that anybody could see, each with the reason why."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scripts.mutants.change import Change

Key = tuple[str, str, str, str]
FILE = "equal.toml"


def read_equals(path: Path) -> dict[Key, str]:
    """Reasons by what the changes are known by.

    Raises:
        ValueError: an entry without a reason, or one that is there twice.
    """
    found: dict[Key, str] = {}
    written: dict[str, Any] = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    for entry in written.get("equal", []):
        key = (entry["module"], entry.get("function", ""), entry["was"], entry["now"])
        if key in found or not entry.get("reason"):
            raise ValueError(f"{FILE}: twice, or without a reason: {key}")
        found[key] = entry["reason"]
    return found


def unmatched(equals: Iterable[Key], changes: Iterable[Change]) -> list[Key]:
    """Entries of code that is no longer so."""
    known = {change.key for change in changes}
    return [key for key in equals if key not in known]
