"""The commands that show what was done."""

import json
from pathlib import Path

import pytest

from pm_orchestrator import __version__
from pm_orchestrator.cli.program import COMMANDS
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.demo_replies import call, cassette_of, finish

pytestmark = pytest.mark.timeout(90)

PLAN = call(
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


@pytest.fixture
def cassette(tmp_path: Path) -> str:
    """One sub-task that changes a document; documents need no gate."""
    write = call("write_file", path="notes.md", content="# Notes\n\nMore.\n")
    last = finish("Extend the notes", "Added a line.", "x")
    last[-1][0]["input"]["files"] = ["notes.md"]
    path = tmp_path / "cassette.json"
    replies = {"manager": [[PLAN]], "worker/01/1": [[write], *last]}
    path.write_bytes(to_file(cassette_of(replies)))
    return str(path)


def test_a_company_run_and_everything_it_left(
    program: Program, project: Path, cassette: str
) -> None:
    where = ("--project", str(project))
    ran = program("run", "-f", "-", "--replay", cassette, *where, stdin="Extend notes.md")
    assert ran.code == 0, ran.out + ran.err
    assert "COMPLETE  run_001" in ran.out
    assert "1 file" in ran.out

    (review,) = program("review", "list", "--json", *where).json
    assert review["review_id"] in program("review", "list", *where).out
    assert review["title"] in program("review", "show", review["review_id"], *where).out
    shown = program("review", "show", review["review_id"], "--json", *where).json
    assert shown == review
    assert program("review", "show", "review-none", *where).code == 1

    listed = program("logs", "--json", *where).json
    (entry,) = [one for one in listed if one["parent_task_id"] is None]
    for wanted in (entry["task_id"], entry["external_task_id"]):
        page = program("logs", wanted, *where).out
        assert "Status: COMPLETE" in page
        assert "EXECUTOR DISPATCH" not in page
        assert "EXECUTOR DISPATCH" in program("logs", wanted, "--full", *where).out
    log = program("logs", entry["task_id"], "--json", *where).json
    assert log["verified_files"][0]["path"] == "notes.md"
    assert program("logs", "task-999", *where).code == 1

    evidence = log["evidence_refs"][0]
    assert json.loads(program("evidence", "show", evidence, *where).out)["evidence_id"] == evidence
    assert program("evidence", "show", "../../etc/passwd", *where).code == 1
    assert program("evidence", "show", "ev-none", *where).code == 1


def test_altered_evidence_is_found(program: Program, project: Path, cassette: str) -> None:
    """R-21: altered evidence is found."""
    where = ("--project", str(project))
    assert program("run", "Extend notes.md", "--replay", cassette, *where).code == 0
    whole = program("evidence", "verify", "--json", *where)
    assert whole.code == 0
    assert whole.json["intact"] is True
    record = next((project / ".claude" / "evidence").glob("ev-*.json"))
    record.write_bytes(record.read_bytes().replace(b"operation_type", b"operation_tyqe"))
    ran = program("evidence", "verify", *where)
    assert ran.code == 1
    assert record.name in ran.out
    assert program("evidence", "verify", "--json", *where).json["intact"] is False


def test_nothing_to_show(program: Program, project: Path) -> None:
    where = ("--project", str(project))
    assert program("logs", *where).out.strip() == "No tasks logged for this project."
    assert program("logs", "--json", *where).json == []
    assert program("review", "list", *where).out.strip() == "Nothing waits for approval."
    assert program("evidence", "verify", *where).code == 0
    settings = program("validate", "--json", *where).json
    assert settings["company"]["max_workers"] == 3


def test_help_and_version(program: Program) -> None:
    assert program("--version").out == f"pm-orchestrator {__version__}\n"
    text = program("--help").out
    for name in COMMANDS:
        assert f"  {name} " in text
        assert "Usage: " in program(name, "--help").out
    bare = program()
    assert bare.code == 1
    assert "Commands:" in bare.out


def test_the_benchmark_measures_ratios(program: Program) -> None:
    # What it says about speed is not judged here: this machine may be busy.
    measured = program("bench", "--json", "--only", "evidence").json
    assert [m["name"] for m in measured] == ["evidence append"]
    for one in measured:
        assert one["ratio"] == pytest.approx(one["ours_ms"] / one["yardstick_ms"])


@pytest.mark.long
def test_the_demo_in_japanese(program: Program) -> None:
    ran = program("demo", "--lang", "ja")
    assert ran.code == 0, ran.err
    assert "4/7 実行" in ran.out
    assert "却下: 成果物がありません" in ran.out
    assert "Runner が証明したこと" in ran.out
    assert "証跡" in ran.out


def test_the_script_in_conversation(program: Program, project: Path) -> None:
    ran = program(
        "repl", "--project", str(project), stdin="/help\n/start\n/logs\n/logs none\n/tasks\n"
    )
    assert ran.code == 1  # one command failed; the others were still carried out
    assert "/logs" in ran.out
    assert "No tasks logged for this session." in ran.out
    assert "0 completed, 0 running, 0 pending, 0 failed" in ran.out
    assert ran.err.startswith("ERROR E210")
