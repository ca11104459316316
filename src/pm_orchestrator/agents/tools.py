"""The tools a worker's model may call, each a small object bound to one workspace."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from pm_orchestrator.agents.edits import EditRefusedError, TextEdit, apply_edits
from pm_orchestrator.dispatch.workspace import Workspace
from pm_orchestrator.domain.conversation import ToolCall, ToolDefinition, ToolResult
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.naming import commit_message
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.clock import Clock

COMPLETE_TOOL = "task_complete"
COMMAND_TIMEOUT_S = 120.0
SHOWN_OUTPUT = 12_000
MASK_MARKER = "[MASKED:"


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


class MarkerRefusedError(ValueError):
    """A mask marker would have been written into a file."""


class Toolbox:
    """Runs tool calls. A failing tool answers its model; it never ends the loop."""

    def __init__(self, workspace: Workspace, ticket: str, clock: Clock) -> None:
        self._clock = clock
        self._workspace = workspace
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

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What the model is told about the tools."""
        return tuple(_definition(name, kind) for name, (kind, _) in self._tools.items())

    async def call(self, call: ToolCall) -> ToolResult:
        """Run one call; whatever goes wrong inside becomes an answer the model can act on."""
        entry = self._tools.get(call.name)
        if entry is None:
            known = ", ".join(self._tools)
            return ToolResult(
                call_id=call.id, content=f"no tool {call.name}; use {known}", is_error=True
            )
        kind, run = entry
        try:
            content = await run(msgspec.convert(call.arguments, kind, strict=True))
        except (msgspec.ValidationError, EditRefusedError, MarkerRefusedError) as error:
            return ToolResult(call_id=call.id, content=str(error), is_error=True)
        except PmError as error:
            if error.slug != "sandbox_path_refused":
                raise
            return ToolResult(call_id=call.id, content=error.what(), is_error=True)
        except CommandFailedError as failure:
            return ToolResult(call_id=call.id, content=str(failure), is_error=True)
        return ToolResult(call_id=call.id, content=content)

    async def _read_file(self, given: ReadFile) -> str:
        data = await self._workspace.sandbox.read_file(given.path)
        return data.decode("utf-8", errors="replace")

    async def _write_file(self, given: WriteFile) -> str:
        data = _unmasked(given.content).encode()
        await self._workspace.sandbox.write_file(given.path, data)
        return f"wrote {len(data)} bytes to {given.path}"

    async def _edit_file(self, given: EditFile) -> str:
        for edit in given.edits:
            _unmasked(edit.new)
        text = (await self._workspace.sandbox.read_file(given.path)).decode("utf-8", "strict")
        edited = apply_edits(text, given.edits)
        await self._workspace.sandbox.write_file(given.path, edited.encode())
        return f"edited {given.path} in {len(given.edits)} places"

    async def _list_directory(self, given: ListDirectory) -> str:
        entries = await self._workspace.sandbox.list_directory(given.path)
        return "\n".join(f"{e.kind} {e.size:>9} {e.name}" for e in entries) or "(empty)"

    async def _run_command(self, given: RunCommand) -> str:
        limit = min(max(given.timeout_seconds, 1), COMMAND_TIMEOUT_S)
        result = await self._workspace.sandbox.run(("sh", "-c", given.command), timeout_s=limit)
        output = (result.stdout + result.stderr).decode(errors="replace")
        shown = output if len(output) <= SHOWN_OUTPUT else f"…{output[-SHOWN_OUTPUT:]}"
        if result.timed_out:
            raise CommandFailedError(f"stopped after {limit:g} s\n{shown}")
        if result.exit_code != 0:
            raise CommandFailedError(f"exit code {result.exit_code}\n{shown}")
        return shown or "(no output)"

    async def _git_commit(self, given: GitCommit) -> str:
        message = commit_message(self._ticket, given.message)
        return await self._workspace.commit(message, self._clock.now())

    async def _git_status(self, _: GitStatus) -> str:
        return await self._workspace.status() or "(clean)"

    async def _task_complete(self, _: TaskComplete) -> str:
        return "noted; the Runner will check"


class CommandFailedError(ValueError):
    """A command of the agent ended badly: news for the model, not a fault of ours."""


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
