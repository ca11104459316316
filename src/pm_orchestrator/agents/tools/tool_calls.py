"""The calls that a worker's model may make: what each takes, and what the model is told of it."""

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from pm_orchestrator.agents.tools.edits import TextEdit
from pm_orchestrator.agents.tools.text_files import sayable
from pm_orchestrator.domain.company.model_conversation import Message, ToolCall, ToolDefinition
from pm_orchestrator.domain.record import Record, to_json

COMPLETE_TOOL = "task_complete"
NAME_LENGTH = ID_LENGTH = 64
"""Characters that every provider takes."""
LARGEST_CALL = 1024**2
"""Bytes of arguments; more than any model may say in one answer."""
TELLING = ("path", "command", "message", "question", "pattern", "summary")
"""Arguments that say what a call is about."""
LEFT_OUT = "left_out"
"""Stands in place of arguments that could not be taken, with the reason."""

Line = Annotated[int, Meta(ge=1)]
CommandSeconds = Annotated[int, Meta(ge=1, le=3_600)]


class ReadFile(Record, frozen=True, kw_only=True):
    """Read lines of a text file, each with its number and a tab in front."""

    path: str
    start_line: Line = 1
    lines: Annotated[int, Meta(ge=1, le=2_000)] = 800


class WriteFile(Record, frozen=True, kw_only=True):
    """Create or replace a text file. Write a long one in pieces: the first, then `append`."""

    path: str
    content: str
    append: bool = False


class EditFile(Record, frozen=True, kw_only=True):
    """Change a file: by `edits`, whose `old` stands in it exactly once, or by a unified `diff`.

    Either all of it is done or nothing. Encoding and line ends stay as they are.
    """

    path: str
    edits: tuple[TextEdit, ...] = ()
    diff: str = ""


class ListDirectory(Record, frozen=True, kw_only=True):
    """List a directory; `.` is the workspace."""

    path: str = "."


class SearchFiles(Record, frozen=True, kw_only=True):
    """Find lines by an extended regular expression in all files that git does not ignore."""

    pattern: str
    path: Annotated[str, Meta(description="A file, a directory, or a pattern: *.py")] = "."
    literal: Annotated[bool, Meta(description="The pattern is plain text.")] = False
    ignore_case: bool = False


class RunCommand(Record, frozen=True, kw_only=True):
    """Run a command with sh in the workspace. It gets no input, and ends what it left running.

    With `background` it goes on while you do something else, as servers do by themselves.
    """

    command: str
    timeout_seconds: CommandSeconds = 300
    background: bool = False


class ReadOutput(Record, frozen=True, kw_only=True):
    """Show what a command has written so far, and how far it is, by its id."""

    id: str
    start_line: Annotated[int, Meta(ge=0)] = 0
    lines: Annotated[int, Meta(ge=1, le=1_000)] = 200
    containing: Annotated[str, Meta(description="Only lines with this text.")] = ""
    wait_seconds: Annotated[
        int, Meta(ge=0, le=300, description="Wait so long for its end, or for that text.")
    ] = 0


class StopCommand(Record, frozen=True, kw_only=True):
    """End a command that runs in the background, by its id."""

    id: str


class GitCommit(Record, frozen=True, kw_only=True):
    """Commit everything in the workspace; only committed work is delivered."""

    message: str


class GitStatus(Record, frozen=True, kw_only=True):
    """Show changed and untracked files."""


class GitDiff(Record, frozen=True, kw_only=True):
    """Show what has changed in tracked files since a commit."""

    since: str = "HEAD"
    path: str = "."


class AskUser(Record, frozen=True, kw_only=True):
    """Ask the user one question that nobody else can answer, with answers to pick from.

    Decide what you can yourself, and look before you ask.
    """

    question: Annotated[str, Meta(min_length=1, max_length=2_000)]
    options: Annotated[tuple[str, ...], Meta(max_length=6)] = ()


class TaskComplete(Record, frozen=True, kw_only=True):
    """Say that the work is finished. It will be checked; name the files you changed."""

    summary: str
    files: tuple[str, ...] = ()


WRITERS = ("write_file", "edit_file", "git_commit", "git_status", "git_diff")
"""Of no use to whoever is only asked something."""
LOOKING = frozenset(
    {
        "read_file",
        "list_directory",
        "search_files",
        "command_output",
        "git_status",
        "git_diff",
    }
)
"""Tools that change nothing: calls of one turn that stand together run side by side."""


def described(call: ToolCall) -> str:
    """One short line for whoever watches: the tool and its most telling argument."""
    return sayable(f"{call.name} {target_of(call)}".strip()[:100])


def target_of(call: ToolCall) -> str:
    """What a call is about, in one line."""
    told: Any = next((call.arguments[key] for key in TELLING if call.arguments.get(key)), "")
    lines = str(told).strip().splitlines()
    return lines[0] if lines else ""


def unsendable(arguments: dict[str, Any]) -> str | None:
    """Why arguments can be neither used nor sent again, or None."""
    try:
        size = len(to_json(arguments))
    except UnicodeEncodeError:
        return "the arguments hold half a character (a lone surrogate)"
    except RecursionError:
        return "the arguments are nested too deeply"
    return f"the arguments have {size} bytes; write it in pieces" if size > LARGEST_CALL else None


def definition_of(name: str, kind: type[Record]) -> ToolDefinition:
    """A tool as a model is told of it."""
    schema = msgspec.json.schema(kind)
    definition: dict[str, Any] = schema["$defs"].pop(kind.__name__)
    inner = dict(schema["$defs"])
    if inner:
        definition["$defs"] = inner
    definition.pop("title", None)
    description = str(definition.pop("description", name))
    return ToolDefinition(name=name, description=description, schema=definition)


def understood(call: ToolCall, kind: type[Record]) -> Record:
    """What a call asks for.

    Raises:
        ValidationError: it cannot be understood; the message tells what the tool takes.
    """
    why = unsendable(call.arguments) or call.arguments.get(LEFT_OUT)
    if isinstance(why, str):
        raise msgspec.ValidationError(why)
    try:
        return msgspec.convert(call.arguments, kind, strict=True)
    except msgspec.ValidationError as error:
        takes = ", ".join(field.name for field in msgspec.structs.fields(kind)) or "nothing"
        raise msgspec.ValidationError(f"{str(error)[:400]}; {call.name} takes {takes}") from None


def sendable_reply(message: Message, taken: set[str]) -> Message:
    """What a model said, as it can be sent back to it.

    Each call has an id of its own, a name that may be one, and arguments that are not out of
    all measure: providers refuse a conversation in which one has not.
    """
    calls: list[ToolCall] = []
    for call in message.tool_calls:
        name = re.sub(r"[^A-Za-z0-9_-]", "_", call.name)[:NAME_LENGTH] or "unnamed"
        one, number = call.id[:ID_LENGTH], 1
        while one in taken:
            number += 1
            one = f"{call.id[:ID_LENGTH]}-{number}"
        taken.add(one)
        why = unsendable(call.arguments)
        arguments = call.arguments if why is None else {LEFT_OUT: why}
        calls.append(ToolCall(id=one, name=name, arguments=arguments))
    return msgspec.structs.replace(message, text=sayable(message.text), tool_calls=tuple(calls))
