"""The tools a worker's model may call, each a small object bound to one workspace."""

import difflib
import posixpath
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from pm_orchestrator.agents.tools.command_policy import never_ends, refusal
from pm_orchestrator.agents.tools.commands import CommandFailedError, Commands
from pm_orchestrator.agents.tools.edits import EditRefusedError, TextEdit, apply_diff, apply_edits
from pm_orchestrator.agents.tools.text_files import (
    UnshownTextError,
    UnwritableTextError,
    numbered_lines,
    path_of,
    read_text,
    sayable,
    shown_name,
    write_text,
)
from pm_orchestrator.agents.tools.tool_calls import (
    COMPLETE_TOOL,
    WRITERS,
    EditFile,
    GitCommit,
    GitDiff,
    GitStatus,
    ListDirectory,
    ReadFile,
    ReadOutput,
    RunCommand,
    SearchFiles,
    StopCommand,
    TaskComplete,
    WriteFile,
    definition_of,
    understood,
)
from pm_orchestrator.dispatch.agent_git import AgentGit
from pm_orchestrator.domain.company.model_conversation import ToolCall, ToolDefinition, ToolResult
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.naming import commit_message
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.hands import Hands

MASK_MARKER = "[MASKED:"
NOT_FOR_THE_MODEL = frozenset({"sandbox_gone", "process_lost"})
"""Errors after which there is nothing left to work with."""
LONGEST_RESULT = 64_000
"""Characters of an answer, whatever it is about."""
MOST_ENTRIES = 1_000
MOST_FOUND, LONGEST_FOUND = 200, 300
LONGEST_DIFF = 24_000


class MarkerRefusedError(ValueError):
    """A mask marker would have been written into a file."""


Noted = Callable[[str], Awaitable[None]]


async def _unnoted(_: str) -> None:
    return


class Toolbox:
    """Runs tool calls. A failing tool answers its model; it never ends the loop."""

    commits = True
    """Whether only what is committed is delivered."""

    def __init__(
        self,
        hands: Hands,
        ticket: str,
        clock: Clock,
        *,
        read_only: bool = False,
        refused: Noted | None = None,
    ) -> None:
        self.question: str | None = None
        """What the model needs to know before it can go on, where nobody has answered."""
        self.denied: list[str] = []
        """Calls that nobody permitted, each in one line."""
        self._clock = clock
        self._hands = hands
        self._git = AgentGit(hands)
        self._ticket = ticket
        self._refused = refused or _unnoted
        self._commands = Commands(hands, clock)
        self._tools: dict[str, tuple[type[Record], Callable[[Any], Awaitable[str]]]] = {
            "read_file": (ReadFile, self._read_file),
            "write_file": (WriteFile, self._write_file),
            "edit_file": (EditFile, self._edit_file),
            "list_directory": (ListDirectory, self._list_directory),
            "search_files": (SearchFiles, self._search_files),
            "run_command": (RunCommand, self._run_command),
            "command_output": (ReadOutput, self._command_output),
            "stop_command": (StopCommand, self._stop_command),
            "git_commit": (GitCommit, self._git_commit),
            "git_status": (GitStatus, self._git_status),
            "git_diff": (GitDiff, self._git_diff),
            COMPLETE_TOOL: (TaskComplete, self._task_complete),
        }
        if read_only:
            for name in WRITERS:
                del self._tools[name]

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What the model is told about the tools."""
        return tuple(definition_of(name, kind) for name, (kind, _) in self._tools.items())

    async def call(self, call: ToolCall) -> ToolResult:
        """Run one call; whatever goes wrong inside becomes an answer the model can act on.

        Raises:
            PmError: the place it works in is gone.
        """
        entry = self._tools.get(call.name)
        if entry is None:
            known = ", ".join(self._tools)
            return _answer(call, f"no tool {call.name[:80]}; use {known}", is_error=True)
        kind, run = entry
        try:
            content = await run(understood(call, kind))
        except REFUSALS as error:
            return _answer(call, str(error), is_error=True)
        except PmError as error:
            if error.slug in NOT_FOR_THE_MODEL:
                raise
            return _answer(call, error.what() + await self._hint(call, error), is_error=True)
        return _answer(call, content)

    @property
    def busy(self) -> bool:
        """Whether a command runs that may change something at any moment."""
        return self._commands.busy

    def made_before(self, name: str) -> None:
        """A call was made in another place, of which only the files are here."""
        if name == "run_command":
            self._commands.skip()

    async def close(self) -> None:
        """End whatever still runs."""
        await self._commands.close()

    async def _hint(self, call: ToolCall, error: PmError) -> str:
        """What may have been meant by a path that is refused."""
        path = call.arguments.get("path")
        if error.slug != "sandbox_path_refused" or not isinstance(path, str):
            return ""
        if "more than" in str(error.params.get("reason")):
            return " Read a part of it with run_command, such as `sed -n 1,200p`."
        folder, name = posixpath.split(path_of(path).rstrip("/"))
        try:
            entries = await self._hands.list_directory(folder or ".")
        except PmError:
            return " Look with list_directory, or search_files."
        names = [entry.name for entry in entries]
        near = difflib.get_close_matches(name, names[:MOST_ENTRIES], n=3)
        if name in names:
            return " Use list_directory for directories, and run_command for what is no file."
        shown = ", ".join(shown_name(posixpath.join(folder, each)) for each in near)
        return f" Near it: {shown}." if near else " Look with list_directory, or search_files."

    async def _read_file(self, given: ReadFile) -> str:
        data = await self._hands.read_file(path_of(given.path))
        return numbered_lines(data, given.start_line, given.lines)

    async def _write_file(self, given: WriteFile) -> str:
        path, text = path_of(given.path), _unmasked(given.content)
        if not given.append:
            data = write_text(text)
            await self._hands.write_file(path, data)
            return f"wrote {len(data)} bytes to {given.path}"
        file = read_text(await self._hands.read_file(path))
        data = write_text(file.text + file.with_lines(text), file.encoding)
        await self._hands.write_file(path, data)
        return f"{given.path} has {len(data)} bytes now"

    async def _edit_file(self, given: EditFile) -> str:
        if bool(given.edits) == bool(given.diff):
            raise EditRefusedError("give either edits or a diff")
        for text in (given.diff, *(edit.new for edit in given.edits)):
            _unmasked(text)
        path = path_of(given.path)
        file = read_text(await self._hands.read_file(path))
        if given.diff:
            edited = file.with_lines(apply_diff(file.lines, given.diff))
        else:
            edited = file.with_lines(apply_edits(file.lines, _plain_ends(file.ending, given.edits)))
        await self._hands.write_file(path, write_text(edited, file.encoding))
        return f"edited {given.path}"

    async def _list_directory(self, given: ListDirectory) -> str:
        entries = await self._hands.list_directory(path_of(given.path))
        lines = [f"{e.kind:<10}{e.size:>9}  {shown_name(e.name)}" for e in entries[:MOST_ENTRIES]]
        more = len(entries) - len(lines)
        if more:
            lines.append(f"[{more} more; use run_command with ls and a pattern]")
        return "\n".join(lines) or "(empty)"

    async def _search_files(self, given: SearchFiles) -> str:
        options = ["--untracked", "--no-color", "-nI", "-F" if given.literal else "-E"]
        options += ["-i"] if given.ignore_case else []
        result = await self._git.run(
            "-c", "core.quotePath=false", "grep", *options, "-e", given.pattern, "--",
            path_of(given.path),
        )  # fmt: skip
        if result.exit_code not in {0, 1}:
            raise CommandFailedError(result.stderr.decode(errors="replace").strip()[:1_000])
        found = result.stdout.decode("utf-8", "surrogateescape").splitlines()
        lines = [cut_between_words(shown_name(line), LONGEST_FOUND) for line in found[:MOST_FOUND]]
        if found[MOST_FOUND:]:
            lines.append(f"[{len(found) - MOST_FOUND} more; narrow the pattern or the path]")
        return "\n".join(lines) or "(nothing found)"

    async def _run_command(self, given: RunCommand) -> str:
        refused = refusal(given.command)
        if refused is not None:
            await self._refused(f"{given.command[:400]} ({refused.say()})")
            raise CommandFailedError(refused.say())
        if given.background or never_ends(given.command):
            return await self._commands.start(given.command)
        return await self._commands.run(given.command, given.timeout_seconds)

    async def _command_output(self, given: ReadOutput) -> str:
        return await self._commands.status(
            given.id, given.containing, given.wait_seconds, given.start_line, given.lines
        )

    async def _stop_command(self, given: StopCommand) -> str:
        return await self._commands.stop(given.id)

    async def _git_commit(self, given: GitCommit) -> str:
        message = commit_message(self._ticket, given.message)
        return await self._git.commit(message, self._clock.now())

    async def _git_status(self, _: GitStatus) -> str:
        return await self._git.status() or "(clean)"

    async def _git_diff(self, given: GitDiff) -> str:
        if given.since.startswith("-"):
            raise CommandFailedError(f"{given.since[:80]} is no commit")
        paths = ("--", path_of(given.path))
        text = await self._git.must("diff", "--no-color", "--no-ext-diff", given.since, *paths)
        if len(text) > LONGEST_DIFF:
            shown = text[: text.rfind("\n", 0, LONGEST_DIFF) + 1]
            text = f"{shown}[{len(text) - len(shown)} more characters; name a path]"
        return text or "(no change in tracked files; git_status shows new ones)"

    async def _task_complete(self, _: TaskComplete) -> str:
        return "noted; the Runner will check"


REFUSALS = (
    msgspec.ValidationError,
    EditRefusedError,
    MarkerRefusedError,
    UnwritableTextError,
    UnshownTextError,
    CommandFailedError,
)


def _answer(call: ToolCall, content: str, *, is_error: bool = False) -> ToolResult:
    said = cut_between_words(sayable(content), LONGEST_RESULT)
    return ToolResult(call_id=call.id, content=said, is_error=is_error)


def _plain_ends(ending: str, edits: tuple[TextEdit, ...]) -> tuple[TextEdit, ...]:
    """The edits as they fit lines that are shown with plain ends."""
    if ending != "\r\n":
        return edits
    return tuple(
        TextEdit(old=edit.old.replace("\r\n", "\n"), new=edit.new.replace("\r\n", "\n"))
        for edit in edits
    )


def _unmasked(text: str) -> str:
    # A model that saw masked text must not write the marker where the secret stood.
    if MASK_MARKER in text:
        raise MarkerRefusedError(
            f"the text contains {MASK_MARKER}…]: masked values cannot be written; "
            "leave that part of the file as it is"
        )
    return text
