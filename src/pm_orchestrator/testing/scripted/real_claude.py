"""The real Claude Code CLI, its model played by a script on loopback, beside a test that waits.

What the model says follows from the conversation alone, so a conversation that is resumed
shows by the answer that it was.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import msgspec

from pm_orchestrator.testing.scripted.anthropic_messages import Json, say_text
from pm_orchestrator.testing.scripted.scripted_vendor import ScriptedVendor

CLI = Path(__file__).parents[4] / ".venv" / "claude" / "node_modules" / ".bin"
REMINDER = "<system-reminder>"


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
