"""The real Claude Code CLI, its model played by a script on loopback, beside a test that waits.

What the model says follows from the conversation alone, so a conversation that is resumed
shows by the answer that it was.
"""

import asyncio
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import Any, Self

import msgspec

from pm_orchestrator.testing.scripted.anthropic_messages import Json, call_tools, say_text
from pm_orchestrator.testing.scripted.scripted_vendor import ScriptedVendor

CLI = Path(__file__).parents[4] / ".venv" / "claude" / "node_modules" / ".bin"
REMINDER = "<system-reminder>"
WORKSPACE = "/workspace"
ITS_TOOLS = {"Bash", "Write"}
_TICKET = re.compile(r"commit message with (\[[\w-]+\])")

Call = tuple[str, Json]


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation as the model sees it."""

    said: tuple[str, ...]
    """What a person asked for, the first instruction first."""
    results: tuple[str, ...]
    """What the tools gave since the last of these."""


Model = Callable[[Heard], Json]


class RealClaude:
    """`with RealClaude(model) as claude: …`: serves the model until it is left."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._answers = 0
        self._server = ScriptedVendor(self._answer)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._server.__aexit__(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def environment(self, home: Path) -> dict[str, str]:
        """What makes the CLI the `claude` on PATH, and the script its provider."""
        return {
            "PATH": f"{CLI}{os.pathsep}{os.environ['PATH']}",
            "ANTHROPIC_BASE_URL": self._server.base_url,
            "ANTHROPIC_API_KEY": "test-key-that-opens-nothing",
            "CLAUDE_CONFIG_DIR": str(home / "claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        }

    def _answer(self, body: Json) -> Json:
        if not body.get("tools"):
            # Side requests: a title, a summary.
            return say_text("ok")
        self._answers += 1
        # The CLI takes messages of one id for parts of one message.
        return self._model(_heard(body["messages"])) | {"id": f"msg_{self._answers:03d}"}


def _heard(messages: list[Json]) -> Heard:
    said: list[str] = []
    results: list[str] = []
    for message in messages:
        if message["role"] != "user":
            continue
        content: str | list[Any] = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            if block["type"] == "tool_result":
                results.append(str(block["content"]))
            elif block["type"] == "text" and not block["text"].startswith(REMINDER):
                said.append(block["text"])
                results.clear()
    return Heard(said=tuple(said), results=tuple(results))


def speaks_as_claude(request: Json) -> bool:
    """Whether it is Claude Code at work that asks, and none of its side requests."""
    return {tool["name"] for tool in request.get("tools", [])} >= ITS_TOOLS


def as_claude(calls: tuple[Call, ...], request: Json, turn: int) -> Json:
    """What the model says to Claude Code where it would call these tools of ours."""
    if calls[-1][0] == "task_complete":
        return say_text(calls[-1][1]["summary"], id=f"msg_{turn:03d}")
    return call_tools(*(_own(call, request) for call in calls), turn=turn) | {
        # The CLI takes messages of one id for parts of one message.
        "id": f"msg_{turn:03d}"
    }


def _own(call: Call, request: Json) -> Call:
    name, given = call
    match name:
        case "run_command":
            return _shell(given["command"])
        case "write_file":
            path = f"{WORKSPACE}/{given['path']}"
            return ("Write", {"file_path": path, "content": given["content"]})
        case "git_commit":
            found = _TICKET.search(_system(request))
            assert found is not None, "nobody told it how to commit"
            message = quote(f"{found[1]} {given['message']}")
            return _shell(f"git add --all && git commit --quiet -m {message}")
        case _:
            raise AssertionError(f"Claude Code has nothing like {name}")


def _shell(command: str) -> Call:
    return ("Bash", {"command": command, "description": "Work"})


def _system(request: Json) -> str:
    system: Any = request.get("system", "")
    return system if isinstance(system, str) else "\n".join(part["text"] for part in system)
