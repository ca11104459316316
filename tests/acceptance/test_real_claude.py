"""The real Claude Code CLI, answered by a scripted server on loopback."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.anthropic_messages import Json, call_tools, say_text
from pm_orchestrator.testing.scripted.scripted_vendor import ScriptedVendor

CLI = Path(__file__).parents[2] / ".venv" / "claude" / "node_modules" / ".bin"
Turns = Callable[[int], Json]

pytestmark = pytest.mark.timeout(55)


def script(turns: Turns) -> Callable[[Json], Json]:
    """Answer by the number of turns so far; side requests without tools get small talk."""

    def answer(body: Json) -> Json:
        if not body.get("tools"):
            return say_text("ok")
        return turns(sum(m["role"] == "assistant" for m in body["messages"]))

    return answer


async def run(program: Program, project: Path, home: Path, turns: Turns, *more: str) -> Ran:
    async with ScriptedVendor(script(turns)) as server:
        env = {
            "PATH": f"{CLI}{os.pathsep}{os.environ['PATH']}",
            "ANTHROPIC_BASE_URL": server.base_url,
            "ANTHROPIC_API_KEY": "test-key-that-opens-nothing",
            "CLAUDE_CONFIG_DIR": str(home / "claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        }
        arguments = more or ("run", "Create README.md", "--solo")
        return await asyncio.to_thread(program, *arguments, "--project", str(project), env=env)


def the_log(project: Path) -> dict[str, Any]:
    (log,) = (project / ".pm-orchestrator" / "session" / "logs").glob("task-*.json")
    return json.loads(log.read_text(encoding="utf-8"))


def output_event(project: Path) -> dict[str, Any]:
    events = the_log(project)["events"]
    return [e["content"] for e in events if e["event_type"] == "EXECUTOR_OUTPUT"][-1]


async def test_it_writes_a_file(program: Program, project: Path, home: Path) -> None:
    def turns(done: int) -> Json:
        write = {"file_path": str(project / "README.md"), "content": "# Readme\n"}
        return call_tools(("Write", write)) if done == 0 else say_text("Created README.md.")

    ran = await run(program, project, home, turns)
    assert ran.code == 0, ran.out + ran.err
    assert (project / "README.md").read_text(encoding="utf-8") == "# Readme\n"
    output = output_event(project)
    assert (output["exit_code"], output["output_summary"]) == (0, "Created README.md.")
    assert output["conversation"]
    assert output["tokens_output"] > 0


async def test_a_denied_permission_is_not_complete(
    program: Program, project: Path, home: Path
) -> None:
    def turns(done: int) -> Json:
        fetch = {"command": "curl http://127.0.0.1:9/ > README.md", "description": "Fetch"}
        return call_tools(("Bash", fetch)) if done == 0 else say_text("All done!")

    ran = await run(program, project, home, turns)
    assert ran.code == 2, ran.out + ran.err
    assert "may not do this: Bash curl http://127.0.0.1:9/" in ran.err
    assert "executor.allowed_tools" in ran.err
    assert output_event(project)["permission_denials"] == ["Bash"]
    assert the_log(project)["status"] == "incomplete"


async def test_an_api_error_is_an_error(program: Program, project: Path, home: Path) -> None:
    def turns(done: int) -> Json:
        return {"type": "not a message", "usage": {}, "content": []}

    ran = await run(program, project, home, turns)
    assert ran.code == 1, ran.out + ran.err
    assert the_log(project)["status"] == "error"


@pytest.mark.parametrize("kept", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_a_continued_task_goes_on_in_its_conversation(
    program: Program, project: Path, home: Path, kept: bool
) -> None:
    """Or in a new one, where the user has cleared the CLI's history meanwhile."""

    def nothing(done: int) -> Json:
        return say_text("I looked around.")

    def turns(done: int) -> Json:
        # One turn was there before where the conversation was resumed.
        write = {"file_path": str(project / "README.md"), "content": f"# {done} turns before\n"}
        return call_tools(("Write", write)) if done == int(kept) else say_text("Created README.md.")

    assert (await run(program, project, home, nothing)).code == 2
    session = the_log(project)["session_id"]
    first = output_event(project)["conversation"]
    assert program("approve", session, "--project", str(project)).code == 0
    if not kept:
        shutil.rmtree(home / "claude")
    ran = await run(program, project, home, turns, "continue", session)
    assert ran.code == 0, ran.out + ran.err
    assert (project / "README.md").read_text(encoding="utf-8") == f"# {int(kept)} turns before\n"
    assert (output_event(project)["conversation"] == first) == kept


def test_nobody_is_logged_in(program: Program, project: Path, home: Path) -> None:
    env = {
        "PATH": f"{CLI}{os.pathsep}{os.environ['PATH']}",
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    where = ("--project", str(project))
    ran = program("run", "Create README.md", "--solo", *where, env=env)
    assert (ran.code, "is not logged in" in ran.err) == (1, True), ran.out + ran.err
    assert "`claude auth login`" in ran.err
    examined = program("doctor", "--json", *where, env=env)
    (found,) = (f for f in examined.json["findings"] if f["check"] == "executor")
    assert (examined.code, found["level"]) == (1, "problem")
    assert "`claude auth login`" in found["cure"]
