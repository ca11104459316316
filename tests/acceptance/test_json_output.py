"""What commands print with `--json` is what the reference says they print."""

import json
from pathlib import Path
from typing import Any

import click
import pytest

from pm_orchestrator.cli.json_outputs import JSON_OUTPUTS
from pm_orchestrator.cli.program import COMMANDS, program as program_group
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.data.json_schema import SchemaCheck
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.demo_replies import call, cassette_of, finish
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = pytest.mark.unmeasured

SCHEMAS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "docs/reference/json-schemas.json").read_text("utf-8")
)
CHECK = SchemaCheck(SCHEMAS["$defs"])
SLOW = {"bench", "demo"}
WRITES = "echo '# Readme' > README.md"


def fits(name: str, ran: Ran) -> Any:
    """The output, after it was held against the documented schema of the command."""
    document = ran.json
    assert CHECK.problems(document, SCHEMAS["commands"][name]) == [], name
    return document


def leaves(command: click.Command, path: str) -> dict[str, click.Command]:
    if not isinstance(command, click.Group):
        return {path: command}
    return {
        name: leaf
        for inner, one in command.commands.items()
        for name, leaf in leaves(one, f"{path} {inner}").items()
    }


def commands_with_json() -> set[str]:
    context = click.Context(program_group)
    found: set[str] = set()
    for name in COMMANDS:
        command = program_group.get_command(context, name)
        assert command is not None
        for path, leaf in leaves(command, name).items():
            if any(parameter.name == "as_json" for parameter in leaf.params):
                found.add(path)
    return found


def test_every_command_with_json_is_in_the_reference() -> None:
    documented = {
        " ".join(word for word in name.split() if word.islower() and not word.startswith("-"))
        for name in JSON_OUTPUTS
    }
    assert documented == commands_with_json()
    assert set(SCHEMAS["commands"]) == set(JSON_OUTPUTS)


def test_every_command_has_a_helpful_help() -> None:
    """What it does, and a word on every option."""
    context = click.Context(program_group)
    for name in COMMANDS:
        command = program_group.get_command(context, name)
        assert command is not None
        for path, leaf in leaves(command, name).items():
            assert leaf.help, path
            for parameter in leaf.params:
                if isinstance(parameter, click.Option):
                    assert parameter.help, f"{path} {parameter.opts}"


@pytest.fixture
def cassette(tmp_path: Path) -> str:
    plan = call(
        "propose_plan",
        sub_tasks=[
            {
                "title": "Extend the notes",
                "description": "Add a line to notes.md.",
                "acceptance_criteria": ["notes.md has a second line"],
                "expected_files": ["notes.md"],
            }
        ],
    )
    write = call("write_file", path="notes.md", content="# Notes\n\nMore.\n")
    last = finish("Extend the notes", "Added a line.", "x")
    last[-1][0]["input"]["files"] = ["notes.md"]
    path = tmp_path / "cassette.json"
    path.write_bytes(to_file(cassette_of({"manager": [[plan]], "worker/01/1": [[write], *last]})))
    return str(path)


@pytest.mark.timeout(150)
def test_real_output_fits_its_schema(
    program: Program, project: Path, claude: ClaudeScript, cassette: str, tmp_path: Path
) -> None:
    seen: set[str] = set()
    env = claude.does(WRITES)

    def ask(name: str, *arguments: str) -> Any:
        seen.add(name)
        return fits(name, program(*arguments, "--json", "--project", str(project), env=env))

    (tmp_path / "fresh").mkdir()
    seen.add("init")
    made = fits("init", program("init", "--json", "--project", str(tmp_path / "fresh")))
    assert made["created"]
    ask("validate", "validate")
    ask("start", "start")
    asked = ask("run INSTRUCTION", "run", "--solo", "Create NOTHING.md")
    assert asked["status"] == "INCOMPLETE"
    ask("approve SESSION", "approve", asked["session_id"])
    ask("continue SESSION", "continue", asked["session_id"])
    program("run", "--solo", "create it", "--project", str(project), env=env)
    waiting = ask("status", "status")["waiting_task_id"]
    answered = ask("reply TASK TEXT", "reply", waiting, "README.md")
    assert ask("diff", "diff", asked["task_id"])["files"][0]["path"] == "README.md"
    ask("undo TASK", "undo", answered["task_id"])
    (entry,) = ask("logs", "logs")
    log = ask("logs TASK", "logs", entry["task_id"])
    ask("evidence show ID", "evidence", "show", log["evidence_refs"][0])
    GitProject.at(project).git("remote", "add", "origin", str(tmp_path / "nowhere.git"))
    done = ask("run INSTRUCTION", "run", "Extend notes.md", "--replay", cassette)
    assert done["status"] == "COMPLETE"
    assert ask("diff", "diff", done["task_id"])["files"] == done["lines"]
    assert ask("resume RUN", "resume", done["run_id"])["left_to_do"] == done["left_to_do"]
    (review,) = ask("review list", "review", "list")
    ask("review show ID", "review", "show", review["review_id"])
    assert {run["mode"] for run in ask("runs", "runs")} == {"solo", "company"}
    ask("evidence verify", "evidence", "verify")
    ask("prune", "prune", "--dry-run")
    assert ask("sandbox list", "sandbox", "list")["runtimes"]
    ask("doctor", "doctor")
    ask("doctor --clean", "doctor", "--clean")
    seen.add("watch")
    for line in program("watch", "--json", "--project", str(project)).out.splitlines():
        assert CHECK.problems(json.loads(line), SCHEMAS["commands"]["watch"]) == []
    # A task to accept needs a gate that a person may overrule; its output is a RunResult too.
    assert SCHEMAS["commands"]["accept TASK"] == SCHEMAS["commands"]["run INSTRUCTION"]
    # One to cancel has to run meanwhile: `test_company_interrupted.py` reads that output.
    # Nothing is to be installed for this project: `test_sandbox_layers.py` reads that one.
    elsewhere = {"accept TASK", "cancel TASK", "sandbox build"}
    assert seen | elsewhere | SLOW == set(JSON_OUTPUTS)


@pytest.mark.long
@pytest.mark.timeout(200)
def test_slow_output_fits_its_schema(program: Program) -> None:
    fits("demo", program("demo", "--json"))
    fits("bench", program("bench", "--only", "start-up", "--json"))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"created": ["a"]}, None),
        ({"created": [1]}, "$.created[0]: type string"),
        ({}, "$: required"),
        ({"created": [], "more": 1}, "$.more: there is no such field"),
        ([], "$: type object"),
    ],
)
def test_a_difference_from_a_schema_is_found(value: Any, problem: str | None) -> None:
    found = CHECK.problems(value, SCHEMAS["commands"]["init"])
    assert found == [] if problem is None else found[0].startswith(problem)


def test_a_keyword_that_is_not_understood_is_an_error() -> None:
    with pytest.raises(ValueError, match="pattern"):
        CHECK.problems("x", {"pattern": "y"})
