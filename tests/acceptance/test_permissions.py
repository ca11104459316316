"""Yes permits: what the real CLI may not do by itself is asked in place and answered to it."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.programs.drawn_repl import (
    CTRL_C,
    DOWN,
    ENTER,
    clear,
    repl,
    wait_for_verdict,
)
from pm_orchestrator.testing.programs.drawn_terminal import DrawnTerminal
from pm_orchestrator.testing.programs.typed_terminal import Terminal
from pm_orchestrator.testing.scripted.anthropic_messages import Json, call_tools, say_text
from pm_orchestrator.testing.scripted.real_claude import Heard, RealClaude

pytestmark = pytest.mark.timeout(100)

COMMAND = 'python3 -c \'open("made.md", "a").write("x\\n")\''
ASKS_WHICH: Json = {
    "questions": [
        {
            "question": "Which license?",
            "header": "License",
            "multiSelect": False,
            "options": [
                {"label": "MIT", "description": "a short one"},
                {"label": "Apache-2.0", "description": "a long one"},
            ],
        }
    ]
}


def model_in(project: Path) -> Any:
    """Makes made.md by a command that needs a word; LICENSE by what it is told."""

    def model(heard: Heard) -> Json:
        said, turn = heard.said[-1], len(heard.said)
        if "LICENSE" in said:
            if not heard.results:
                return call_tools(("AskUserQuestion", ASKS_WHICH), turn=turn)
            if len(heard.results) == 1:
                write = {"file_path": str(project / "LICENSE"), "content": heard.results[0]}
                return call_tools(("Write", write), turn=turn + 50)
            return say_text("Licensed.")
        if not heard.results:
            made = ("Bash", {"command": COMMAND, "description": "Make"})
            return call_tools(made, text="A command it is.", turn=turn)
        if "by hand" in heard.results[-1]:
            write = {"file_path": str(project / "made.md"), "content": "by hand\n"}
            return call_tools(("Write", write), turn=turn + 50)
        return say_text("That is what I did.")

    return model


@contextmanager
def talking(
    project: Path, environment: dict[str, str], home: Path
) -> Generator[tuple[DrawnTerminal, dict[str, str]]]:
    with RealClaude(model_in(project)) as claude:
        env = {**environment, **claude.environment(home)}
        with repl(project, env) as screen:
            yield screen, env


def settings_of(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project / ".claude/settings.json").read_text("utf-8"))
    return found


def operations(project: Path) -> list[str]:
    found = (project / ".claude" / "evidence").rglob("*.json")
    return [json.loads(path.read_text("utf-8"))["operation_type"] for path in found]


@pytest.mark.long
def test_once_is_for_this_call_and_always_for_the_project(
    project: Path, environment: dict[str, str], home: Path, program: Program
) -> None:
    written = project / ".claude" / "settings.json"
    secret = "sk-ant-api03-" + "aB3dE6gH9kL2nP5qR8tU1wX4" * 2
    foreign = {**settings_of(project), "env": {"ANTHROPIC_CUSTOM": secret}}
    written.write_text(json.dumps(foreign, indent=4), "utf-8")
    with talking(project, environment, home) as (screen, env):
        for _ in range(2):
            screen.type("Add a line to made.md\r")
            screen.wait_for("May it?")
            assert "The executor wants to use Bash:" in screen.text
            assert f"│ {COMMAND}" in screen.text
            # What it said before is heard before it is asked for.
            said = [screen.text.index(w) for w in ("A command it is.", "› Bash", "wants to use")]
            assert said == sorted(said), screen.text
            screen.type(ENTER)
            wait_for_verdict(screen)
            assert "[RESULT]  COMPLETE" in screen.text, screen.text
            clear(screen)
        assert settings_of(project) == foreign
        screen.type("Add a line to made.md\r")
        screen.wait_for("always would allow: Bash(python3")
        screen.type(DOWN + ENTER)
        wait_for_verdict(screen)
        assert "Added to executor.allowed_tools" in screen.text
        # Below it nothing of the user's is other than before, and the next task is not asked.
        allowed = settings_of(project)["executor"].pop("allowed_tools")
        assert allowed == [f"Bash({COMMAND})"]
        kept = settings_of(project)
        assert kept.pop("executor").pop("allowed_tools") == allowed
        assert kept == {k: v for k, v in foreign.items() if k != "executor"}
        assert '\n    "env"' in written.read_text("utf-8"), "indented as it was"
        clear(screen)
        screen.type("Add a line to made.md\r")
        wait_for_verdict(screen)
        assert "[RESULT]  COMPLETE" in screen.text, screen.text
        assert "May it?" not in screen.text
        ran = program("run", "Add a line to made.md", "--solo", "--project", str(project), env=env)
        assert ran.code == 0, ran.out + ran.err
    assert (project / "made.md").read_text("utf-8") == "x\n" * 5
    done = operations(project)
    assert done.count("permission") == 3
    assert done.count("always_allowed") == 1
    assert program("evidence", "verify", "--project", str(project)).code == 0


@pytest.mark.long
def test_no_is_told_to_the_executor_with_the_reason(
    project: Path, environment: dict[str, str], home: Path
) -> None:
    with talking(project, environment, home) as (screen, _):
        screen.type("Create made.md\r")
        screen.wait_for("May it?")
        screen.type(DOWN + DOWN + ENTER)
        screen.wait_for("Why not, or what instead?")
        screen.type("write it by hand\r")
        wait_for_verdict(screen)
        # It heard the reason and found another way; nobody is asked about the first one again.
        assert "[RESULT]  COMPLETE" in screen.text, screen.text
        assert (project / "made.md").read_text("utf-8") == "by hand\n"
        assert operations(project).count("permission") == 1
        clear(screen)
        (project / "made.md").unlink()
        screen.type("Create made.md again\r")
        screen.wait_for("May it?")
        screen.type(DOWN + DOWN + ENTER)
        screen.wait_for("Why not")
        screen.type(ENTER)
        wait_for_verdict(screen)
        assert "[RESULT]  INCOMPLETE" in screen.text, screen.text
        assert "Shall it be permitted" not in screen.text


def test_a_question_with_options_is_picked_from(
    project: Path, environment: dict[str, str], home: Path
) -> None:
    with talking(project, environment, home) as (screen, _):
        screen.type("Create LICENSE\r")
        screen.wait_for("Which license?")
        assert "Apache-2.0: a long one" in screen.text
        screen.type(DOWN + ENTER)
        wait_for_verdict(screen)
        assert "[RESULT]  COMPLETE" in screen.text, screen.text
        assert '"Which license?"="Apache-2.0"' in (project / "LICENSE").read_text("utf-8")
        clear(screen)
        screen.type("Update LICENSE\r")
        screen.wait_for("Which license?")
        screen.type(DOWN + DOWN + ENTER)
        screen.wait_for("Which license? something else")
        screen.type("the Zlib one\r")
        wait_for_verdict(screen)
        assert '"Which license?"="the Zlib one"' in (project / "LICENSE").read_text("utf-8")


@pytest.mark.long
def test_ctrl_c_at_the_question_stops_the_work(
    project: Path, environment: dict[str, str], home: Path
) -> None:
    with talking(project, environment, home) as (screen, _):
        screen.type("Create made.md\r")
        screen.wait_for("May it?")
        screen.type(CTRL_C)
        wait_for_verdict(screen)
        assert "[RESULT]  INCOMPLETE" in screen.text, screen.text
        assert not (project / "made.md").exists()


def test_in_the_shell_it_is_asked_in_place_too(
    project: Path, tmp_path: Path, environment: dict[str, str], home: Path
) -> None:
    with RealClaude(model_in(project)) as claude:
        env = {**environment, **claude.environment(home)}
        asked = ("run", "Create made.md", "--solo", "--project", str(project))
        with Terminal(tmp_path, env, *asked) as person:
            person.wait_for("May it?")
            person.wait_for("> ")
            person.type("once\n")
            assert person.ended(40) == 0, person.text
    assert (project / "made.md").read_text("utf-8") == "x\n"


@pytest.mark.long
def test_where_nobody_is_there_it_is_denied_and_a_later_yes_permits_this_task(
    project: Path, program: Program, home: Path
) -> None:
    with RealClaude(model_in(project)) as claude:
        env = claude.environment(home)
        place = ("--project", str(project))
        ran = program("run", "Create made.md", "--solo", *place, "--json", env=env)
        assert ran.code == 2, ran.out + ran.err
        assert "executor.allowed_tools" in ran.err
        assert "Bash python3 -c" in ran.err
        task = json.loads(ran.out)["task_id"]
        # Yes is no instruction to try again and be denied again.
        ran = program("reply", task, "yes", *place, env=env)
        assert ran.code == 0, ran.out + ran.err
        assert (project / "made.md").read_text("utf-8") == "x\n"
        # It was for that task.
        ran = program("run", "Add a line to made.md", "--solo", *place, env=env)
        assert ran.code == 2, ran.out + ran.err
        assert settings_of(project)["executor"]["allowed_tools"] == []
