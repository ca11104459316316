"""What Claude Code says in its event stream, read one event at a time.

Only what is needed is kept: who it is, which tools are open, what failed, what
was denied, and its last word.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard, cast

import msgspec

from pm_orchestrator.domain.company.asking import called
from pm_orchestrator.domain.text import cut_between_words

LOCKED_OUT = "authentication_failed"
QUESTION_TOOL = "AskUserQuestion"
WRITING_TOOLS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
FILES_AT_MOST = 10_000
OPEN_AT_MOST = 1_000
"""Tool calls that wait for their result; no agent has that many hands."""
NAME_LIMIT = 200
"""Characters of an id; what is longer names nothing."""
PATH_LIMIT = 4_096
SUBJECTS = ("file_path", "notebook_path", "command", "pattern", "path", "url", "description")
"""Arguments of its tools that say what a call is about, the plainest first."""
ACTIVITY_LIMIT = 500
KEPT_AT_MOST = 100
"""Denials and failures; more of the same say nothing new."""


class Final(msgspec.Struct, frozen=True):
    """The fields of the terminal event that we read; it has many more."""

    subtype: str = ""
    is_error: bool = False
    result: str = ""
    errors: list[Any] = []
    num_turns: int = 0
    usage: dict[str, Any] = {}
    total_cost_usd: Any = None
    """Of the whole conversation, whoever began it."""
    model_usage_since_last_result: Any = None
    """What this run of it used, by model; older ones do not say it."""
    permission_denials: list[Any] = []
    session_id: str | None = None

    @property
    def cost_usd(self) -> float | None:
        """What it says this run cost, where it says so in numbers."""
        used = self.model_usage_since_last_result
        models = cast("dict[str, Any]", used).values() if _is_object(used) else ()
        costs = [cast("dict[str, Any]", each).get("costUSD") for each in models if _is_object(each)]
        known = [cost for cost in costs if isinstance(cost, int | float)]
        cost = sum(known) if known else self.total_cost_usd
        return float(cost) if isinstance(cost, int | float) else None


class ClaudeEvents:
    """The story so far."""

    def __init__(self) -> None:
        self.conversation: str | None = None
        self.final: Final | None = None
        self.question: str | None = None
        """What it wanted to ask a person, who was not there."""
        self.failed_tools: list[str] = []
        self.denied_tools: list[str] = []
        self.denied_calls: list[str] = []
        """The same with what each call was about."""
        self.written_files: dict[str, None] = {}
        """Files it says it wrote and did not mention in a command afterwards, in order."""
        self.locked_out = False
        """It got no answer for want of a login or an accepted key."""
        self.activity = ""
        """The tool it called last, and on what."""
        self._tool_names: dict[str, str] = {}
        self._targets: dict[str, str] = {}

    def take(self, event: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Read one event; which tool calls it opened and which it closed."""
        session = event.get("session_id")
        if isinstance(session, str) and len(session) <= NAME_LIMIT:
            self.conversation = session
        match event.get("type"):
            case "assistant":
                self.locked_out = event.get("error") == LOCKED_OUT
                return tuple(self._opened(event)), ()
            case "user":
                return (), tuple(self._closed(event))
            case "system" if event.get("subtype") == "permission_denied":
                tool = str(event.get("tool_name", "tool"))
                self._note(self.denied_tools, tool)
                self._note_call(tool, event.get("tool_input"))
            case "result":
                self._end(event)
            case _:
                pass
        return (), ()

    def _end(self, event: Mapping[str, Any]) -> None:
        try:
            final = msgspec.convert(dict(event), Final, strict=False)
        except msgspec.ValidationError:
            # A last word that cannot be read is none.
            final = Final(subtype="unreadable", is_error=True)
        self.final = final
        self._tool_names.clear()
        self._targets.clear()
        for denial in final.permission_denials:
            name = cast("dict[str, Any]", denial).get("tool_name") if _is_object(denial) else None
            if name == QUESTION_TOOL:
                self.question = _question(cast("dict[str, Any]", denial))
            if str(name) not in self.denied_tools:
                self._note(self.denied_tools, str(name or "tool"))
            given = cast("dict[str, Any]", denial).get("tool_input") if _is_object(denial) else None
            self._note_call(str(name or "tool"), given)

    def _opened(self, event: Mapping[str, Any]) -> Iterator[str]:
        for block in blocks_in(event):
            call = block.get("id")
            if block.get("type") != "tool_use" or not isinstance(call, str):
                continue
            if len(call) <= NAME_LIMIT and len(self._tool_names) < OPEN_AT_MOST:
                self._tool_names[call] = str(block.get("name", "tool"))[:NAME_LIMIT]
                self.activity = _activity(self._tool_names[call], block.get("input"))
                self._note_target(block)
                yield call

    def _closed(self, event: Mapping[str, Any]) -> Iterator[str]:
        for block in blocks_in(event):
            call = block.get("tool_use_id")
            if block.get("type") == "tool_result" and isinstance(call, str):
                name = self._tool_names.pop(call, "tool")
                target = self._targets.pop(call, None)
                if block.get("is_error") is True:
                    self._note(self.failed_tools, name)
                elif target is not None and len(self.written_files) < FILES_AT_MOST:
                    self.written_files[target] = None
                yield call

    def _note_target(self, call: Mapping[str, Any]) -> None:
        given = call.get("input")
        arguments = cast("dict[str, Any]", given) if _is_object(given) else {}
        target = arguments.get("file_path", arguments.get("notebook_path"))
        if call.get("name") in WRITING_TOOLS and _is_path(target):
            self._targets[call["id"]] = target
        command = arguments.get("command")
        if isinstance(command, str):
            # It may have removed or moved what it wrote: then it claims it no longer.
            for file in list(self.written_files):
                if file.rsplit("/", 1)[-1] in command:
                    del self.written_files[file]

    def _note_call(self, tool: str, given: object) -> None:
        call = called(tool[:100], subject_of(given))
        if call != tool[:100]:
            # Said before without its argument, it is the same call.
            self.denied_calls = [known for known in self.denied_calls if known != tool[:100]]
        elif any(known.partition(" ")[0] == call for known in self.denied_calls):
            return
        if call not in self.denied_calls and len(self.denied_calls) < KEPT_AT_MOST:
            self.denied_calls.append(call)

    def _note(self, names: list[str], name: str) -> None:
        if len(names) < KEPT_AT_MOST:
            names.append(name[:100])


def _question(denial: Mapping[str, Any]) -> str | None:
    """The first question in a call of the question tool."""
    given = denial.get("tool_input")
    questions = cast("dict[str, Any]", given).get("questions") if _is_object(given) else None
    first = cast("list[Any]", questions)[0] if isinstance(questions, list) and questions else None
    text = cast("dict[str, Any]", first).get("question") if _is_object(first) else None
    return text[:2000] if isinstance(text, str) and text.strip() else None


def _activity(tool: str, given: object) -> str:
    """One line on a tool call: its name and the first argument that says what it is about."""
    return f"{tool} {subject_of(given)}".rstrip()


def subject_of(given: object) -> str:
    """What a tool call is about, by the first of its arguments that says so; one line."""
    arguments = cast("dict[str, Any]", given) if _is_object(given) else {}
    subject = next((arguments[key] for key in SUBJECTS if arguments.get(key)), "")
    return " ".join(cut_between_words(str(subject), ACTIVITY_LIMIT).split())


def permission_request_in(event: Mapping[str, Any]) -> str | None:
    """What the event asks of whoever started the CLI; None when it asks nothing."""
    if event.get("type") != "control_request":
        return None
    request = event.get("request")
    fields = cast("dict[str, Any]", request) if _is_object(request) else {}
    return " ".join(str(fields.get(k)) for k in ("subtype", "tool_name") if fields.get(k))


def blocks_in(event: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What a message consists of: text, calls of tools, their results."""
    message = event.get("message")
    content = cast("dict[str, Any]", message).get("content") if _is_object(message) else None
    if isinstance(content, list):
        for block in cast("list[Any]", content):
            if _is_object(block):
                yield cast("dict[str, Any]", block)


def _is_path(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= PATH_LIMIT


def _is_object(value: object) -> bool:
    return isinstance(value, dict)
