"""A read-only look at the commit that a run begins from, for whoever only plans.

Nothing is run for it: it reads what the commit holds, so that there is nothing to change.
"""

import posixpath
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from pm_orchestrator.agents.tools.text_files import (
    UnshownTextError,
    numbered_lines,
    path_of,
    read_text,
    sayable,
    shown_name,
)
from pm_orchestrator.agents.tools.tool_calls import (
    ListDirectory,
    ReadFile,
    definition_of,
    understood,
)
from pm_orchestrator.domain.company.model_conversation import ToolCall, ToolDefinition, ToolResult
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.text import cut_between_words

MOST_FOUND, LONGEST_FOUND = 100, 300
MOST_SEARCHED = 5_000
LARGEST_SEARCHED = 1024**2
MOST_LISTED = 1_000

READ_TOGETHER = 200

Read = Callable[[tuple[str, ...]], Awaitable[dict[str, bytes]]]
"""The contents of those of the paths that are files of the commit, and not huge."""


class FindText(Record, frozen=True, kw_only=True):
    """Find lines that contain a text, in all files or in those below a path."""

    text: Annotated[str, Meta(min_length=1)]
    path: str = "."
    ignore_case: bool = False


class BaseLook:
    """The tools of one look."""

    def __init__(self, files: tuple[str, ...], read: Read) -> None:
        self._files = files
        self._read = read
        self._tools: dict[str, tuple[type[Record], Callable[[Any], Awaitable[str]]]] = {
            "list_directory": (ListDirectory, self._list),
            "read_file": (ReadFile, self._read_file),
            "find_text": (FindText, self._find),
        }

    def definitions(self) -> tuple[ToolDefinition, ...]:
        return tuple(definition_of(name, kind) for name, (kind, _) in self._tools.items())

    def knows(self, call: ToolCall) -> bool:
        return call.name in self._tools

    async def call(self, call: ToolCall) -> ToolResult:
        """The answer to a call that is known; never an exception of the call's own making."""
        kind, look = self._tools[call.name]
        try:
            content, bad = await look(understood(call, kind)), False
        except (msgspec.ValidationError, UnshownTextError) as error:
            content, bad = str(error), True
        return ToolResult(call_id=call.id, content=sayable(content), is_error=bad)

    async def _list(self, given: ListDirectory) -> str:
        folder = _folder(given.path)
        names: dict[str, int] = {}
        for path in self._below(folder):
            name, below, _ = path[len(folder) :].partition("/")
            names[name + below] = names.get(name + below, 0) + 1
        if not names:
            raise UnshownTextError(f"there is no directory {given.path[:200]}")
        lines = [
            f"{shown_name(name)} ({count} files)" if name.endswith("/") else shown_name(name)
            for name, count in sorted(names.items())
        ]
        more = len(lines) - MOST_LISTED
        return "\n".join((*lines[:MOST_LISTED], *([f"[{more} more]"] if more > 0 else [])))

    async def _read_file(self, given: ReadFile) -> str:
        path = posixpath.normpath(path_of(given.path))
        data = (await self._read((path,))).get(path)
        if data is None:
            raise UnshownTextError(
                f"there is no file {given.path[:200]} that can be shown; look with list_directory"
            )
        return numbered_lines(data, given.start_line, given.lines)

    async def _find(self, given: FindText) -> str:
        wanted = given.text.casefold() if given.ignore_case else given.text
        paths = self._below(_folder(given.path)) or [
            path for path in self._files if path == posixpath.normpath(given.path)
        ]
        found: list[str] = []
        for first in range(0, min(len(paths), MOST_SEARCHED), READ_TOGETHER):
            contents = await self._read(tuple(paths[first : first + READ_TOGETHER]))
            for path, data in contents.items():
                if len(data) <= LARGEST_SEARCHED and b"\0" not in data:
                    found += _lines_with(wanted, path, data, ignore_case=given.ignore_case)
            if len(found) > MOST_FOUND:
                return "\n".join((*found[:MOST_FOUND], "[and more; narrow the text or the path]"))
        if paths[MOST_SEARCHED:]:
            found.append(f"[only {MOST_SEARCHED} of {len(paths)} files were searched; name a path]")
        return "\n".join(found) or "(nothing found)"

    def _below(self, folder: str) -> list[str]:
        return [path for path in self._files if path.startswith(folder)]


def _lines_with(wanted: str, path: str, data: bytes, *, ignore_case: bool) -> list[str]:
    lines = enumerate(read_text(data).lines.split("\n"), start=1)
    return [
        f"{shown_name(path)}:{number}:{cut_between_words(line, LONGEST_FOUND)}"
        for number, line in lines
        if wanted in (line.casefold() if ignore_case else line)
    ]


def _folder(path: str) -> str:
    plain = posixpath.normpath(path_of(path)).strip("/")
    return "" if plain in {".", ""} else f"{plain}/"
