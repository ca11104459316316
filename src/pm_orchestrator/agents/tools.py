"""The tools a worker's model may call, each a small object bound to one workspace."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from pm_orchestrator.agents.text_files import (
    EditRefusedError,
    TextEdit,
    UnwritableTextError,
    apply_edits,
    path_of,
    read_text,
    sayable,
    shown_name,
    write_text,
)
from pm_orchestrator.dispatch.agent_git import AgentGit
from pm_orchestrator.domain.company.model_conversation import ToolCall, ToolDefinition, ToolResult
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.naming import commit_message
from pm_orchestrator.domain.record import Record, to_json
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.hands import Hands

COMPLETE_TOOL = "task_complete"
COMMAND_TIMEOUT_S = 120.0
SHOWN_OUTPUT = 12_000
MASK_MARKER = "[MASKED:"
NOT_FOR_THE_MODEL = frozenset({"sandbox_gone", "process_lost"})
"""Errors after which there is nothing left to work with."""


class ReadFile(Record, frozen=True, kw_only=True):
    """Read a text file of the workspace."""

    path: str


class WriteFile(Record, frozen=True, kw_only=True):
    """Create or replace a text file."""

    path: str
    content: str


class EditFile(Record, frozen=True, kw_only=True):
    """Replace parts of a file; each `old` must stand in it exactly once."""

    path: str
    edits: tuple[TextEdit, ...]


class ListDirectory(Record, frozen=True, kw_only=True):
    """List a directory; `.` is the workspace."""

    path: str = "."


class RunCommand(Record, frozen=True, kw_only=True):
    """Run a shell command in the workspace. It gets no input and must end by itself."""

    command: str
    timeout_seconds: int = 60


class GitCommit(Record, frozen=True, kw_only=True):
    """Commit everything in the workspace; only committed work is delivered."""

    message: str


class GitStatus(Record, frozen=True, kw_only=True):
    """Show changed and untracked files."""


class TaskComplete(Record, frozen=True, kw_only=True):
    """Say that the work is finished. It will be checked; name the files you changed."""

    summary: str
    files: tuple[str, ...] = ()


WRITERS = ("write_file", "edit_file", "git_commit", "git_status")
"""Of no use to whoever is only asked something."""


class MarkerRefusedError(ValueError):
    """A mask marker would have been written into a file."""


class Toolbox:
    """Runs tool calls. A failing tool answers its model; it never ends the loop."""

    def __init__(self, hands: Hands, ticket: str, clock: Clock, *, read_only: bool = False) -> None:
        self._clock = clock
        self._hands = hands
        self._git = AgentGit(hands)
        self._ticket = ticket
        self._tools: dict[str, tuple[type[Record], Callable[[Any], Awaitable[str]]]] = {
            "read_file": (ReadFile, self._read_file),
            "write_file": (WriteFile, self._write_file),
            "edit_file": (EditFile, self._edit_file),
            "list_directory": (ListDirectory, self._list_directory),
            "run_command": (RunCommand, self._run_command),
            "git_commit": (GitCommit, self._git_commit),
            "git_status": (GitStatus, self._git_status),
            COMPLETE_TOOL: (TaskComplete, self._task_complete),
        }
        if read_only:
            for name in WRITERS:
                del self._tools[name]

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What the model is told about the tools."""
        return tuple(_definition(name, kind) for name, (kind, _) in self._tools.items())

    async def call(self, call: ToolCall) -> ToolResult:
        """Run one call; whatever goes wrong inside becomes an answer the model can act on.

        Raises:
            PmError: the place it works in is gone.
        """
        entry = self._tools.get(call.name)
        if entry is None:
            known = ", ".join(self._tools)
            return _refused(call, f"no tool {call.name}; use {known}")
        kind, run = entry
        try:
            to_json(call.arguments)
        except UnicodeEncodeError:
            return _refused(call, "the arguments hold half a character (a lone surrogate)")
        try:
            content = await run(msgspec.convert(call.arguments, kind, strict=True))
        except REFUSALS as error:
            return _refused(call, str(error))
        except PmError as error:
            if error.slug in NOT_FOR_THE_MODEL:
                raise
            return _refused(call, error.what())
        return ToolResult(call_id=call.id, content=sayable(content))

    async def _read_file(self, given: ReadFile) -> str:
        return read_text(await self._hands.read_file(path_of(given.path))).text

    async def _write_file(self, given: WriteFile) -> str:
        data = write_text(_unmasked(given.content))
        await self._hands.write_file(path_of(given.path), data)
        return f"wrote {len(data)} bytes to {given.path}"

    async def _edit_file(self, given: EditFile) -> str:
        for edit in given.edits:
            _unmasked(edit.new)
        path = path_of(given.path)
        file = read_text(await self._hands.read_file(path))
        edited = apply_edits(file.text, given.edits)
        await self._hands.write_file(path, write_text(edited, file.encoding))
        return f"edited {given.path} in {len(given.edits)} places"

    async def _list_directory(self, given: ListDirectory) -> str:
        entries = await self._hands.list_directory(path_of(given.path))
        lines = (f"{e.kind} {e.size:>9} {shown_name(e.name)}" for e in entries)
        return "\n".join(lines) or "(empty)"

    async def _run_command(self, given: RunCommand) -> str:
        limit = min(max(given.timeout_seconds, 1), COMMAND_TIMEOUT_S)
        result = await self._hands.run(("sh", "-c", given.command), timeout_s=limit)
        output = (result.stdout + result.stderr).decode(errors="replace")
        shown = output if len(output) <= SHOWN_OUTPUT else f"…{output[-SHOWN_OUTPUT:]}"
        if result.timed_out:
            raise CommandFailedError(f"stopped after {limit:g} s\n{shown}")
        if result.exit_code != 0:
            raise CommandFailedError(f"exit code {result.exit_code}\n{shown}")
        return shown or "(no output)"

    async def _git_commit(self, given: GitCommit) -> str:
        message = commit_message(self._ticket, given.message)
        return await self._git.commit(message, self._clock.now())

    async def _git_status(self, _: GitStatus) -> str:
        return await self._git.status() or "(clean)"

    async def _task_complete(self, _: TaskComplete) -> str:
        return "noted; the Runner will check"


class CommandFailedError(ValueError):
    """A command of the agent ended badly: news for the model, not a fault of ours."""


REFUSALS = (
    msgspec.ValidationError,
    EditRefusedError,
    MarkerRefusedError,
    UnwritableTextError,
    CommandFailedError,
)


def _refused(call: ToolCall, reason: str) -> ToolResult:
    return ToolResult(call_id=call.id, content=sayable(reason), is_error=True)


def _unmasked(text: str) -> str:
    # A model that saw masked text must not write the marker where the secret stood.
    if MASK_MARKER in text:
        raise MarkerRefusedError(
            f"the text contains {MASK_MARKER}…]: masked values cannot be written; "
            "leave that part of the file as it is"
        )
    return text


def _definition(name: str, kind: type[Record]) -> ToolDefinition:
    schema = msgspec.json.schema(kind)
    definition: dict[str, Any] = schema["$defs"].pop(kind.__name__)
    inner = dict(schema["$defs"])
    if inner:
        definition["$defs"] = inner
    definition.pop("title", None)
    description = str(definition.pop("description", name))
    return ToolDefinition(name=name, description=description, schema=definition)
