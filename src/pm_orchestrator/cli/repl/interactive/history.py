"""What was typed before, kept for the user between conversations, without its secrets."""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit.history import History, InMemoryHistory
from typing_extensions import override

KEPT = 1_000
"""Entries; when there are twice as many, the older ones are dropped."""


class MaskedHistory(History):
    """One JSON string per line, newest last; only the user can read the file."""

    def __init__(self, path: Path, mask: Callable[[str], str]) -> None:
        super().__init__()
        self._path = path
        self._mask = mask

    @override
    def load_history_strings(self) -> Iterable[str]:
        return reversed(_entries(self._path))

    @override
    def store_string(self, string: str) -> None:
        entry = json.dumps(self._mask(string), ensure_ascii=False)
        try:
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(handle, "a", encoding="utf-8") as file:
                file.write(entry + "\n")
        except OSError:
            # A full disk must not end the conversation; in memory the line is kept.
            return


def history_at(path: Path, mask: Callable[[str], str]) -> History:
    """The history in `path`, shortened when it has grown long.

    Where it cannot be kept it lives as long as the conversation: somebody with a
    read-only home can work all the same.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        entries = _entries(path)
        if len(entries) >= 2 * KEPT:
            _rewrite(path, entries[-KEPT:])
    except OSError:
        return InMemoryHistory()
    return MaskedHistory(path, mask)


def _entries(path: Path) -> list[str]:
    """All that can be read; a line that was cut off by a crash is left out."""
    found: list[str] = []
    for line in path.read_bytes().splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, str):
            found.append(entry)
    return found


def _rewrite(path: Path, entries: Iterable[str]) -> None:
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
    beside.replace(path)
