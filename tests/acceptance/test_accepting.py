"""A person settles what was not proved, and everything says that it was a person."""

import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE, TRIPLE, TWO, adds
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.programs.drawn_repl import ESC, repl
from pm_orchestrator.testing.scripted.agent_tables import ADD, WORK
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project
from pm_orchestrator.testing.scripted.scripted_company import allow_one_attempt

pytestmark = pytest.mark.timeout(90)

HALF = ("Create a.md and b.md", "echo a > a.md")
UNPROVED: dict[str, tuple[str, str, list[str]]] = {
    "half of two": (*HALF, ["asked"]),
    "a failure nobody had before": (
        "Make add in calc.py faster",
        "sed -i 's/a + b/a - b/' calc.py",
        ["test"],
    ),
    "a file left where it was": ("Delete old.txt", "echo x > notes2.md", ["asked"]),
    "an empty file": ("Create a.md with a greeting", ": > a.md", ["asked"]),
    "red tests that were to be run": (
        "Run the tests",
        "true",
        ["test"],
    ),
}


@pytest.mark.parametrize("name", UNPROVED)
def test_a_person_can_always_settle_it(
    program: Program, project: Path, claude: ClaudeScript, name: str
) -> None:
    instruction, body, names = UNPROVED[name]
    python_project(project)
    if "run" in name:
        (project / "calc.py").write_text("def add(a, b):\n    return 0\n", encoding="utf-8")
    where = ("--project", str(project))
    ran = program("run", instruction, "--solo", "--json", *where, env=claude.does(body))
    assert (ran.code, ran.json["acceptable"]) == (2, names), ran.out + ran.err
    done = program("accept", ran.json["task_id"], "--json", *where)
    assert (done.code, done.json["status"]) == (0, "COMPLETE"), done.out + done.err
    assert (done.json["accepted"], done.json["acceptable"]) == (names, [])
    assert done.json["not_proved"] == ran.json["not_proved"] != []
    assert not done.json["summary"]["verification_passed"]
    assert program("evidence", "verify", *where).code == 0


def test_everything_says_that_it_was_accepted(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    where = ("--project", str(project))
    ran = program("run", HALF[0], "--solo", *where, env=claude.does(HALF[1]))
    task = ran.out.split("[TASK]")[1].split()[0]
    assert f"[NEXT]    pm-orchestrator accept {task}" in ran.out
    done = program("accept", task, *where)
    assert "[RESULT]  COMPLETE (accepted)" in done.out
    assert "Accepted by a person, and not proved:\n  ✗ Not in the delivered tree: b.md." in done.out
    for command in ("logs", "runs"):
        assert "COMPLETE (accepted)" in program(command, *where).out
    log = program("logs", task, *where).out
    assert "Status: COMPLETE (accepted)" in log
    assert "Not in the delivered tree: b.md." in log
    assert f"accepted: {task}" in program("status", *where).out
    assert program("status", "--json", *where).json["report"]["accepted"] == ["asked"]
    assert program("runs", "--json", *where).json[-1]["accepted"] is True
    told = program("watch", task, "--lang", "ja", *where)
    assert "COMPLETE（承認済み）" in told.out
    lists = program("repl", *where, stdin=f"/continue {_session(program, where)}\n/tasks\n/exit\n")
    assert f"{task}: COMPLETE (accepted) (files=1" in lists.out, lists.out + lists.err


def _session(program: Program, where: tuple[str, ...]) -> str:
    session = str(program("status", "--json", *where).json["session"]["session_id"])
    program("approve", session, *where)
    return session


def test_work_that_is_gone_cannot_be_accepted(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    where = ("--project", str(project))
    ran = program("run", HALF[0], "--solo", "--json", *where, env=claude.does(HALF[1]))
    (project / "a.md").unlink()
    refused = program("accept", ran.json["task_id"], *where)
    assert (refused.code, refused.err[:11]) == (1, "ERROR E210:"), refused.out
    assert "not there any more" in refused.err


def test_what_is_accepted_is_what_is_there(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-8, R-31 Undone work cannot be accepted; of what was changed since, only the rest."""
    where = ("--project", str(project))
    body = "echo a > a.md; echo c > c.md; echo more >> notes.md"
    ran = program("run", HALF[0], "--solo", "--json", *where, env=claude.does(body))
    task = ran.json["task_id"]
    assert program("undo", task, *where).code == 0
    refused = program("accept", task, *where)
    assert (refused.code, "not there any more" in refused.err) == (1, True), refused.out
    assert program("undo", task, *where).code == 0
    (project / "a.md").unlink()
    (project / "notes.md").write_text("# Notes\n", encoding="utf-8")
    (project / "mine.md").write_text("a person's own\n", encoding="utf-8")
    done = program("accept", task, "--json", *where)
    assert (done.code, done.json["accepted"]) == (0, ["asked"]), done.out + done.err
    assert [change["path"] for change in done.json["changes"]] == ["c.md"]
    assert done.json["notes"][0]["params"] == {"files": "a.md, notes.md"}
    log = program("logs", task, "--json", *where).json
    seen = {file["path"]: file["exists"] for file in log["verified_files"]}
    assert seen == {"a.md": False, "b.md": False, "c.md": True}


@pytest.mark.parametrize("where_to", ["a file as long as before", "another length"])
def test_checks_spoke_for_the_work_as_it_was_judged(
    program: Program, project: Path, claude: ClaudeScript, where_to: str
) -> None:
    """R-8 What was changed by hand since was in front of no gate, and is not called proved."""
    python_project(project)
    where = ("--project", str(project))
    body = f"{WORK}\nmkdir n; for i in $(seq 25); do echo x > n/$i.md; done"
    ran = program("run", f"{ADD} and notes", "--solo", "--json", *where, env=claude.does(body))
    assert (ran.code, ran.json["acceptable"]) == (2, ["limits"]), ran.out + ran.err
    code = project / "calc.py"
    broken = "3 * n" if where_to == "a file as long as before" else "13 * n"
    code.write_text(code.read_text("utf-8").replace("2 * n", broken), encoding="utf-8")
    half = program("accept", ran.json["task_id"], "--gate", "limits", "--json", *where)
    assert (half.code, half.json["reason"]["key"]) == (2, "gates_on_other_commit"), half.out
    assert {"key": "changed_since", "params": {"files": "calc.py"}} in half.json["notes"]
    done = program("accept", ran.json["task_id"], "--json", *where)
    assert (done.code, done.json["accepted"]) == (0, ["tree", "limits"]), done.out + done.err
    assert "gates_on_other_commit" in {reason["key"] for reason in done.json["not_proved"]}


def test_an_acceptance_runs_nothing_and_calls_nobody(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-10 What is said of the work stays: who did it, with which model, which tests ran."""
    python_project(project)
    where = ("--project", str(project))
    body = f"{WORK}\nmkdir n; for i in $(seq 25); do echo x > n/$i.md; done"
    words = ("run", f"{ADD} and notes", "--solo", "--model", "opus")
    ran = program(*words, "--json", *where, env=claude.does(body))
    before = program("status", "--json", *where).json
    done = program("accept", ran.json["task_id"], "--json", *where)
    assert done.code == 0, done.out + done.err
    after = program("status", "--json", *where).json
    for name in ("selected_provider", "selected_model"):
        assert after["report"][name] == before["report"][name], name
    (was,), (now,) = before["report"]["tasks"], after["report"]["tasks"]
    for name in ("assigned_executor", "tests_run", "requirements"):
        assert now[name] == was[name], name
    assert before["tasks"][0]["tests_run_count"] == after["tasks"][0]["tests_run_count"] == 2


def test_a_document_needs_no_second_check(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    python_project(project)
    where = ("--project", str(project))
    body = f"{WORK}\nmkdir n; for i in $(seq 25); do echo x > n/$i.md; done"
    ran = program("run", f"{ADD} and notes", "--solo", "--json", *where, env=claude.does(body))
    (project / "n" / "1.md").write_text("# Said better\n", encoding="utf-8")
    (project / "mine.py").write_text("MINE = 1\n", encoding="utf-8")
    done = program("accept", ran.json["task_id"], "--json", *where)
    assert (done.code, done.json["accepted"]) == (0, ["limits"]), done.out + done.err
    assert {"key": "changed_since", "params": {"files": "n/1.md"}} in done.json["notes"]


def test_what_was_taken_back_since_is_not_called_done(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-8, R-31 A deletion or an update that is undone by hand is missed again."""
    python_project(project)
    where = ("--project", str(project))
    body = (
        "rm old.txt; echo more >> notes.md; mkdir n; for i in $(seq 25); do echo x > n/$i.md; done"
    )
    asked = "Delete old.txt, update notes.md with a line and add notes in n"
    ran = program("run", asked, "--solo", "--json", *where, env=claude.does(body))
    assert (ran.code, ran.json["acceptable"]) == (2, ["limits"]), ran.out + ran.err
    commands = ["git", "checkout", "-q", "old.txt", "notes.md"]
    subprocess.run(commands, cwd=project, check=True)
    done = program("accept", ran.json["task_id"], "--json", *where)
    assert (done.code, done.json["accepted"]) == (0, ["asked", "limits"]), done.out + done.err
    missed = {reason["key"]: reason["params"] for reason in done.json["not_proved"]}
    assert missed["files_left_alone"] == {"files": "old.txt"}
    assert missed["files_unchanged"] == {"files": "notes.md"}


def test_the_last_task_is_meant_in_a_conversation(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    said = program(
        *("repl", "--project", str(project), "--lang", "ja"),
        stdin=f"/start\n{HALF[0]}\n/accept\n/exit\n",
        env=claude.does(HALF[1]),
    )
    assert said.code == 0, said.out + said.err
    assert "承認済み" in said.out


@pytest.mark.long
def test_a_key_accepts_on_a_terminal(
    project: Path, environment: dict[str, str], claude: ClaudeScript
) -> None:
    with repl(project, {**environment, **claude.does(HALF[1])}) as screen:
        screen.type(f"{HALF[0]}\r")
        screen.wait_for("Alt-A")
        screen.type(f"{ESC}a")
        screen.wait_for("[RESULT]  COMPLETE (accepted)")
        screen.type("/exit\r")
        assert screen.ended() == 0, screen.text


@pytest.mark.long
def test_a_company_hands_over_what_was_accepted(bench: CompanyBench) -> None:
    bench.company.does(f"{adds('double', 2)}\nsed -i 's/a + b/a - b/' calc/core.py")
    allow_one_attempt(bench.root)
    ran = bench.run(ONE)
    assert (ran.code, ran.json["acceptable"]) == (2, ["test"]), ran.out + ran.err
    assert ran.json["branch"] is None
    done = bench("accept", ran.json["task_id"], "--json")
    assert (done.code, done.json["accepted"]) == (0, ["test"]), done.out + done.err
    assert f"refs/heads/{done.json['branch']}" in bench.branches
    review = bench("review", "show", done.json["review_id"]).out
    assert "Accepted by a person, and not proved:" in review
    assert "Proved by the Runner" not in review


@pytest.mark.long
def test_a_part_that_is_left_out_is_accepted_and_named(bench: CompanyBench) -> None:
    bench.company.plans(DOUBLE, replace(TRIPLE, body="true", commits=False))
    allow_one_attempt(bench.root)
    ran = bench.run(TWO)
    assert (ran.code, ran.json["acceptable"]) == (2, ["parts", "asked"]), ran.out + ran.err
    done = bench("accept", ran.json["task_id"], "--json")
    assert (done.code, done.json["accepted"]) == (0, ["parts", "asked"]), done.out + done.err
    assert set(done.json["left_out"]) == set(ran.json["left_out"]) != set()
