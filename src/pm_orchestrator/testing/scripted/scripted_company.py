"""A provider on loopback that plays a whole company: one manager and its workers.

What it says follows from the request alone: the tools tell who asks, the prompt tells
which sub-task, and the turns so far tell the step. So workers side by side, repeated
attempts and resumed runs all get the right answer. Only requests are counted, and only
outages remember how often they have struck.
"""

import asyncio
import re
import threading
import time
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    ToolDefinition,
)
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.testing.scripted.anthropic_messages import (
    Json,
    call_tools,
    say_error,
    say_text,
)
from pm_orchestrator.testing.scripted.real_claude import as_claude, speaks_as_claude
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor

Role = Literal["manager", "worker", "other"]
Call = tuple[str, Json]

# Put together at run time, so that no scanner takes it for a leak; it was never valid.
KEY = "sk-" + "ant-api03-" + "scripted" * 5


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One sub-task: how the manager words it, and what its worker does."""

    title: str = "The whole task"
    body: str = "true"
    """Run as one shell script in the worker's sandbox."""
    corrected: str | None = None
    """Run in its place after a refusal; without it the worker does the same again."""
    says: str = "Done. All tests pass."
    files: tuple[str, ...] = ()
    """What the plan expects and the worker claims."""
    commits: bool = True
    turns: tuple[tuple[Call, ...], ...] | None = None
    """Tool calls turn by turn, instead of running `body` and committing."""

    def turns_of_its_body(self) -> tuple[tuple[Call, ...], ...]:
        """What a worker does who runs the body and commits."""
        run = (("run_command", {"command": self.body}),)
        return (run, (("git_commit", {"message": "Do the work"}),))

    def doing(self, turns: tuple[tuple[Call, ...], ...]) -> "Part":
        """The same sub-task, done otherwise."""
        return msgspec.structs.replace(self, turns=turns)


class Outage(msgspec.Struct, kw_only=True):
    """Where and how the provider fails; `left` counts down, None never ends."""

    failure: Failure
    role: Role
    after_turn: int
    title: str | None
    left: int | None


def allow_one_attempt(project: Path) -> None:
    """Let no worker try again: whoever says the same thing three times is refused three times."""
    settings = project / ".claude" / "settings.json"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace('"max_attempts": 3', '"max_attempts": 1'), encoding="utf-8")


class ScriptedCompany:
    """`with ScriptedCompany() as company`: `company.does(…)` gives the environment to run with."""

    def __init__(self, adapter: str = "anthropic", *, toolless: bool = False) -> None:
        """`toolless` models refuse to be offered tools, and call them in words."""
        self._toolless = toolless
        self.refused = 0
        self._vendor = MODELS.load(adapter)
        self._lock = threading.Lock()
        self._parts: tuple[Part, ...] = (Part(),)
        self._outages: list[Outage] = []
        self._repeating: int | None = None
        self._asked: list[tuple[Role, str, int]] = []
        self.requests: list[Json] = []
        """What was asked, as Anthropic would write it."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server = ScriptedVendor(self._translated, self._vendor.dialect)

    def __enter__(self) -> "ScriptedCompany":
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._server.__aexit__(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    @property
    def environment(self) -> dict[str, str]:
        """What the program needs in order to ask this company."""
        there = self._vendor.upstream
        keys = {} if there.key_variable is None else {there.key_variable: KEY}
        return {there.url_variable or "": self._server.base_url, **keys}

    def does(
        self,
        body: str,
        *,
        says: str = Part().says,
        files: tuple[str, ...] = (),
        corrected: str | None = None,
        commits: bool = True,
    ) -> dict[str, str]:
        """A company of one worker that runs `body`, commits and claims to be done."""
        return self.plans(
            Part(body=body, says=says, files=files, corrected=corrected, commits=commits)
        )

    def plans(self, *parts: Part) -> dict[str, str]:
        """A manager that splits every instruction into these parts."""
        with self._lock:
            self._parts = parts
        return self.environment

    def fails(
        self,
        kind: Literal["status", "cut", "hang", "reset"],
        *,
        status: int = 500,
        role: Role = "worker",
        after_turn: int = 0,
        title: str | None = None,
        times: int | None = None,
    ) -> None:
        """Fail requests that come after so many turns, of one sub-task or of all."""
        kinds = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}
        body = say_error(kinds.get(status, "api_error"), "The scripted provider is out of order.")
        failure = Failure(kind=kind, status=status, body=body if kind == "status" else b"")
        with self._lock:
            self._outages.append(
                Outage(failure=failure, role=role, after_turn=after_turn, title=title, left=times)
            )

    def repeats_keys(self, status: int) -> None:
        """Refuse everything with an error that repeats the key it was asked with."""
        with self._lock:
            self._repeating = status

    def is_busy(self, seconds: int, *, after_turn: int, times: int) -> None:
        """Tell workers that come after so many turns to come back later, so many times."""
        body = say_error("rate_limit_error", "The scripted provider has too much to do.")
        later = {"retry-after": str(seconds)}
        failure = Failure(kind="status", status=429, body=body, headers=later)
        with self._lock:
            self._outages.append(
                Outage(
                    failure=failure, role="worker", after_turn=after_turn, title=None, left=times
                )
            )

    def lists(self, *models: str) -> None:
        """What it says where it is asked for its models."""
        self._server.listing = {"data": [{"id": name} for name in models]}

    def heals(self) -> None:
        """End every outage; requests that hang already are not helped."""
        with self._lock:
            self._outages.clear()

    def asked(self, role: Role | None = None, title: str | None = None) -> int:
        """How many requests came, of a role and for a sub-task, those that failed included."""
        with self._lock:
            return sum(
                role in {None, asker} and title in {None, part} for asker, part, _ in self._asked
            )

    def turns_asked(self, title: str) -> list[int]:
        """How many turns lay behind each request for a sub-task, in the order they came."""
        with self._lock:
            return [had for role, part, had in self._asked if (role, part) == ("worker", title)]

    def shown_keys(self) -> list[str]:
        """What requests showed for a key, one after the other."""
        header = self._vendor.upstream.key_header
        return [request.headers.get(header, "") for request in self._server.received]

    def wait_for(self, title: str, turn: int = 0, seconds: float = 30.0) -> None:
        """Wait until the worker of a sub-task has come with this many turns behind it."""
        end = time.monotonic() + seconds
        while True:
            with self._lock:
                if any(part == title and had >= turn for _, part, had in self._asked):
                    return
            assert time.monotonic() < end, f"nobody asked about {title!r} after {turn} turns"
            time.sleep(0.02)

    def _translated(self, request: Json) -> Json | Failure:
        """The script is written as Anthropic writes it, and said as its vendor says it."""
        dialect, written = self._vendor.dialect, AnthropicMessages()
        path = dialect.path(ChatRequest(model="scripted", system="", messages=()))
        asked = dialect.read_request(to_json(request), path).request
        if self._repeating is not None:
            error = dialect.write_error(self._repeating, "", f"not with {self.shown_keys()[-1]}")
            return Failure(kind="status", status=self._repeating, body=error)
        if self._toolless:
            if asked.tools:
                self.refused += 1
                body = dialect.write_error(400, "", "registry/model does not support tools")
                return Failure(kind="status", status=400, body=body)
            asked = replace(asked, tools=_told_of(asked.system))
        said = self._answer(written.write_request(asked))
        if isinstance(said, Failure) or isinstance(dialect, AnthropicMessages):
            return said
        reply = written.read_answer(said)
        return dialect.write_answer(_said(reply) if self._toolless else reply, asked.model)

    def _answer(self, request: Json) -> Json | Failure:
        self.requests.append(request)
        role, prompt, turn = _role(request), _prompt(request), _turns(request)
        with self._lock:
            part = self._part(prompt)
            self._asked.append((role, part.title if role == "worker" else "", turn))
            for outage in self._outages:
                if _strikes(outage, role, part.title, turn):
                    outage.left = None if outage.left is None else outage.left - 1
                    return outage.failure
            parts = self._parts
        match role:
            case "manager":
                return call_tools(("propose_plan", _plan(parts, prompt)), turn=turn + 1)
            case "worker":
                script = _script(part, refused="refused" in prompt.lower())
                # Who has said everything says the last thing again.
                calls = script[min(turn, len(script) - 1)]
                if speaks_as_claude(request):
                    return as_claude(calls, request, turn + 1)
                return call_tools(*calls, turn=turn + 1)
            case "other":
                return say_text(part.says)

    def _part(self, prompt: str) -> Part:
        # A prompt begins with its own title; those of the siblings may come later.
        named = [part for part in self._parts if part.title in prompt]
        return min(named, key=lambda part: prompt.find(part.title), default=self._parts[0])


def _told_of(system: str) -> tuple[ToolDefinition, ...]:
    """The tools that a prompt tells of in words."""
    names = re.findall(r"^- (\w+): ", system, re.MULTILINE)
    return tuple(ToolDefinition(name=name, description="", schema={}) for name in names)


def _said(reply: ChatReply) -> ChatReply:
    """The same with its calls in words."""
    calls = [{"tool": c.name, "arguments": c.arguments} for c in reply.message.tool_calls]
    text = f"I call:\n{to_json(calls).decode()}" if calls else reply.message.text
    return replace(reply, message=Message(role="assistant", text=text))


def _strikes(outage: Outage, role: Role, title: str, turn: int) -> bool:
    here = (outage.role, outage.after_turn) == (role, turn)
    return here and outage.title in {None, title} and outage.left != 0


def _role(request: Json) -> Role:
    tools = {tool["name"] for tool in request.get("tools", [])}
    if "propose_plan" in tools:
        return "manager"
    return "worker" if "task_complete" in tools or speaks_as_claude(request) else "other"


def _prompt(request: Json) -> str:
    content: Any = request["messages"][0]["content"]
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")


def _turns(request: Json) -> int:
    return sum(message["role"] == "assistant" for message in request["messages"])


def _plan(parts: tuple[Part, ...], prompt: str) -> Json:
    asked = prompt.partition("\n\n")[0]
    return {
        "sub_tasks": [
            {
                "title": part.title,
                "description": asked if len(parts) == 1 else f"{part.title}, a part of: {asked}",
                "acceptance_criteria": ["The task is done and the checks pass."],
                "expected_files": list(part.files),
                "estimated_effort": "small",
            }
            for part in parts
        ]
    }


def _script(part: Part, *, refused: bool) -> list[tuple[Call, ...]]:
    if part.turns is not None:
        work = list(part.turns)
    else:
        body = part.body if part.corrected is None or not refused else part.corrected
        run, commit = msgspec.structs.replace(part, body=body).turns_of_its_body()
        work = [run, commit] if part.commits else [run]
    claim = {"summary": part.says, "files": list(part.files)}
    return [*work, (("task_complete", claim),)]
