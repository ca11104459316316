"""A line goes on in the executor's conversation; each task is still judged alone."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.programs.drawn_repl import CTRL_C, clear, repl, wait_for_verdict
from pm_orchestrator.testing.programs.drawn_terminal import DrawnTerminal
from pm_orchestrator.testing.scripted.anthropic_messages import Json, call_tools, say_text
from pm_orchestrator.testing.scripted.real_claude import Heard, RealClaude

pytestmark = pytest.mark.timeout(100)


def model_in(project: Path) -> Any:
    """Writes the file that is asked for, and into it all that it remembers; may stop to think."""

    def model(heard: Heard) -> Json:
        if heard.results:
            return say_text("Written.")
        last = heard.said[-1].replace("?", "").split()
        name = next(word for word in last if word.endswith(".md"))
        if "slowly" in last and len(heard.said) == 1:
            slow = {"command": "touch ../slow; sleep 60", "description": "Think"}
            return call_tools(("Bash", slow), turn=len(heard.said))
        remembered = "".join(f"{text}\n" for text in heard.said)
        write = {"file_path": str(project / name), "content": remembered}
        return call_tools(("Write", write), turn=len(heard.said))

    return model


def allow_thinking(project: Path) -> None:
    settings = project / ".claude" / "settings.json"
    document = json.loads(settings.read_text("utf-8"))
    document["executor"] = {"allowed_tools": ["Bash"]}
    settings.write_text(json.dumps(document), "utf-8")


def logs_of(project: Path) -> list[dict[str, Any]]:
    found = (project / ".claude" / "logs" / "sessions").glob("*/tasks/task-*.json")
    logs: list[dict[str, Any]] = [json.loads(log.read_text("utf-8")) for log in found]
    return sorted(logs, key=lambda log: log["created_at"])


def says(screen: DrawnTerminal, line: str) -> None:
    """Type an instruction and wait for its verdict on an otherwise empty screen."""
    clear(screen)
    screen.type(f"{line}\r")
    wait_for_verdict(screen, 40)
    assert "[RESULT]  COMPLETE" in screen.text, screen.text


def test_lines_go_on_in_one_conversation_until_a_new_one_is_asked_for(
    project: Path, environment: dict[str, str], home: Path, program: Program
) -> None:
    with RealClaude(model_in(project)) as claude:
        env = {**environment, **claude.environment(home)}
        with repl(project, env) as screen:
            says(screen, "Create one.md")
            says(screen, "and two.md?")
            assert (project / "two.md").read_text("utf-8") == "Create one.md\nand two.md?\n"
            screen.type("/new\r")
            screen.wait_for("new conversation; the session stays")
            says(screen, "Create three.md")
            says(screen, "and four.md")
            assert (project / "four.md").read_text("utf-8") == "Create three.md\nand four.md\n"
        first, second, third, fourth = logs_of(project)
        assert {log["session_id"] for log in logs_of(project)} == {first["session_id"]}
        # Each is judged alone: its own change, and its own way back.
        assert [f["path"] for f in second["verified_files"]] == ["two.md"]
        assert program("undo", second["task_id"], "--project", str(project)).code == 0
        assert (project / "one.md").exists()
        assert not (project / "two.md").exists()
        spoken = [conversation_of(log) for log in (first, second, third, fourth)]
        assert spoken[0] == spoken[1] != spoken[2] == spoken[3]
        # What the conversation cost before is not counted again.
        costs = [output_of(log)["cost_usd"] for log in (first, second)]
        assert costs[0] == pytest.approx(costs[1])
        # From the shell, and where the CLI has forgotten it.
        at = ("--project", str(project))
        asked = ("run", "and five.md", "--solo", "--continue", *at)
        ran = program(*asked, env=env)
        assert ran.code == 0, ran.out + ran.err
        remembered = (project / "five.md").read_text("utf-8")
        assert remembered == "Create three.md\nand four.md\nand five.md\n"
        for kept in (home / "claude" / "projects").rglob("*.jsonl"):
            kept.unlink()
        ran = program("run", "and six.md", "--solo", "--continue", *at, env=env)
        assert ran.code == 0, ran.out + ran.err
        assert (project / "six.md").read_text("utf-8") == "and six.md\n"
        assert "began a new one" in ran.out


def conversation_of(log: dict[str, Any]) -> str:
    found: str = output_of(log)["conversation"]
    return found


def output_of(log: dict[str, Any]) -> dict[str, Any]:
    events = (e["content"] for e in log["events"] if e["event_type"] == "EXECUTOR_OUTPUT")
    found: dict[str, Any] = next(events)
    return found


@pytest.mark.parametrize("how", [pytest.param("ctrl-c", marks=pytest.mark.long), "kill -9"])
def test_what_was_cut_off_goes_on_in_its_conversation(
    project: Path, environment: dict[str, str], home: Path, how: str
) -> None:
    allow_thinking(project)
    with RealClaude(model_in(project)) as claude:
        env = {**environment, **claude.environment(home)}
        with repl(project, env) as screen:
            screen.type("Create one.md slowly\r")
            screen.wait_until((project.parent / "slow").exists, 40)
            if how == "ctrl-c":
                screen.type(CTRL_C)
                screen.wait_for("/continue goes on with it")
                wait_for_verdict(screen)
                went_on(screen, project)
            else:
                time.sleep(0.5)  # The CLI writes its conversation down a moment later.
                screen.interrupt(signal.SIGKILL)
        if how == "kill -9":
            with repl(project, env) as screen:
                went_on(screen, project)
    (log,) = logs_of(project)
    assert log["status"] == "complete"


def went_on(screen: DrawnTerminal, project: Path) -> None:
    clear(screen)
    screen.type("/continue\r")
    wait_for_verdict(screen, 40)
    assert "[RESULT]  COMPLETE" in screen.text, screen.text
    assert (project / "one.md").read_text("utf-8").count("Create one.md slowly") == 2
