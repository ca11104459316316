"""What the gates say in solo mode, and what a person may accept: through the program."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran

RESULT = (
    '{"type":"result","subtype":"success","is_error":false,'
    '"result":"Done.","num_turns":1,"usage":{}}'
)
TESTS = """\
import unittest
import calc

class CalcTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(1, 2), 3)
"""
BROKEN = """\

    def test_div(self):
        self.assertEqual(calc.div(4, 2), 2)
"""
CODE = "def add(a, b):\n    return a + b\n"
MAKE = "test:\n\tpython3 -m unittest discover -s tests -t .\n"

Work = Callable[..., Ran]


@pytest.fixture
def python(project: Path) -> Path:
    """A small project with tests, committed by nobody: base is the tree as it is."""
    (project / "calc.py").write_text(CODE, encoding="utf-8")
    (project / "tests").mkdir()
    (project / "tests" / "__init__.py").write_text("", encoding="utf-8")
    (project / "tests" / "test_calc.py").write_text(TESTS, encoding="utf-8")
    (project / "Makefile").write_text(MAKE, encoding="utf-8")
    (project / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    return project


@pytest.fixture
def work(program: Program, python: Path, tmp_path: Path) -> Work:
    """Let a `claude` that runs a shell script loose on an instruction."""

    def run(script: str, instruction: str = "Add a function mul to calc.py") -> Ran:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program_file = folder / "claude"
        program_file.write_text(
            f"#!/bin/sh\n{script}\ncat <<'EOF'\n{RESULT}\nEOF\n", encoding="utf-8"
        )
        program_file.chmod(program_file.stat().st_mode | stat.S_IXUSR)
        env = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        where = ("--project", str(python))
        return program("run", instruction, "--solo", "--json", *where, env=env)

    return run


@pytest.fixture
def accept(program: Program, python: Path) -> Work:
    def run(task: str, *options: str) -> Ran:
        return program("accept", task, "--json", "--project", str(python), *options)

    return run


ADD_MUL = "printf 'def mul(a, b):\\n    return a * b\\n' >> calc.py"
FIX = f"sed -i '/x = /d' calc.py; {ADD_MUL}; make test"
ANOTHER_TEST = (
    "import unittest\\nclass T(unittest.TestCase):\\n"
    "    def test_x(self):\\n        self.assertTrue(len(str(1)))\\n"
)
SKIP_ONE = (
    "sed -i \"s/    def test_add/    @unittest.skip('x')\\n    def test_add/\" tests/test_calc.py; "
    "printf '\\n    def test_y(self):\\n        self.assertTrue(calc)\\n' >> tests/test_calc.py"
)
DILUTIONS = {
    "deleted": f"rm tests/test_calc.py; printf '{ANOTHER_TEST}' > tests/test_new.py",
    "skipped": SKIP_ONE,
    "emptied": "sed -i 's/self.assertEqual.*/pass/' tests/test_calc.py",
    "gate edited": "printf 'test:\\n\\t@echo \"1 passed\"\\n' > Makefile",
    "threshold": "printf '[report]\\nfail_under = 1\\n' > .coveragerc",
}


def test_green_work_is_complete(work: Work) -> None:
    ran = work(ADD_MUL)
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["reason"]["key"] == "all_proved"


def test_a_red_base_does_not_punish_honest_work(work: Work, python: Path) -> None:
    (python / "tests" / "test_calc.py").write_text(TESTS + BROKEN, encoding="utf-8")
    ran = work(ADD_MUL)
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["reason"]["key"] == "all_settled"
    assert "test_div" in ran.json["reason"]["params"]["settled"]


def test_a_new_failure_on_a_red_base_is_incomplete(work: Work, accept: Work, python: Path) -> None:
    (python / "tests" / "test_calc.py").write_text(TESTS + BROKEN, encoding="utf-8")
    ran = work("echo 'def add(a, b): return 0' > calc.py")
    assert ran.code == 2, ran.out + ran.err
    assert ran.json["reason"]["key"] == "gate_new_failures"
    assert "test_add" in ran.json["reason"]["params"]["failures"]
    done = accept(ran.json["task_id"])
    assert (done.code, done.json["accepted"]) == (0, ["test"])
    assert not done.json["summary"]["verification_passed"]


def test_the_failure_a_task_names_must_be_gone(work: Work, python: Path) -> None:
    (python / "tests" / "test_calc.py").write_text(TESTS + BROKEN, encoding="utf-8")
    ran = work(ADD_MUL, "Fix test_div in calc.py")
    assert (ran.code, ran.json["reason"]["key"]) == (2, "named_failures_left")
    fixed = work(
        "printf 'def div(a, b):\\n    return a // b\\n' >> calc.py", "Fix test_div in calc.py"
    )
    assert fixed.code == 0, fixed.out + fixed.err


def test_a_red_run_before_the_fix_is_fine(work: Work) -> None:
    script = f"! make test_of_nothing 2>/dev/null; echo 'x = ' >> calc.py; make test; {FIX}"
    ran = work(script)
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.parametrize("how", DILUTIONS)
def test_weaker_checks_wait_for_a_person(
    work: Work, accept: Work, python: Path, program: Program, how: str
) -> None:
    (python / ".coveragerc").write_text("[report]\nfail_under = 90\n", encoding="utf-8")
    ran = work(f"{ADD_MUL}; {DILUTIONS[how]}")
    assert ran.code == 2, ran.out + ran.err
    assert ran.json["reason"]["key"] == "checks_diluted"
    task = ran.json["task_id"]
    done = accept(task)
    assert done.code == 0, done.out + done.err
    assert done.json["status"] == "COMPLETE"
    assert (done.json["reason"]["key"], done.json["accepted"]) == ("accepted", ["dilution"])
    assert accept(task).code == 1  # nothing is left to accept
    assert program("evidence", "verify", "--project", str(python)).code == 0
    log = program("logs", task, "--json", "--project", str(python)).json
    assert log["status"] == "complete"
    said = [e["content"]["response"] for e in log["events"] if e["event_type"] == "USER_RESPONSE"]
    assert said == ["accept dilution"]


def test_a_gate_that_cannot_run_waits_for_a_person(work: Work, accept: Work, python: Path) -> None:
    makefile = "lint:\n\tno-such-linter-here .\n" + MAKE
    (python / "Makefile").write_text(makefile, encoding="utf-8")
    ran = work(ADD_MUL)
    assert (ran.code, ran.json["reason"]["key"]) == (2, "gate_program_missing")
    task = ran.json["task_id"]
    wrong = accept(task, "--gate", "test")
    assert wrong.code == 1
    assert "test is not among" in wrong.err
    done = accept(task, "--gate", "lint")
    assert done.code == 0, done.out + done.err


def test_accepting_one_thing_leaves_the_other(work: Work, accept: Work, python: Path) -> None:
    makefile = "lint:\n\tno-such-linter-here .\n" + MAKE
    (python / "Makefile").write_text(makefile, encoding="utf-8")
    ran = work(f"{ADD_MUL}; {DILUTIONS['emptied']}")
    task = ran.json["task_id"]
    half = accept(task, "--gate", "lint")
    assert (half.code, half.json["reason"]["key"]) == (2, "checks_diluted")
    assert accept(task, "--gate", "dilution").code == 0


def test_words_alone_can_be_accepted_and_silence_or_an_unknown_task_cannot(
    work: Work, accept: Work
) -> None:
    ran = work("true", "Create NONE.md")
    assert (ran.code, ran.json["acceptable"]) == (2, ["asked"])
    assert Path(ran.json["answer"]).read_text(encoding="utf-8") == "Done.\n"
    done = accept(ran.json["task_id"])
    assert (done.code, done.json["status"]) == (0, "COMPLETE"), done.out + done.err
    silent = work(f"echo '{RESULT.replace('Done.', '')}'; exit 0", "Create NONE.md")
    assert (silent.code, silent.json["acceptable"]) == (2, [])
    refused = accept(silent.json["task_id"])
    assert (refused.code, refused.err[:11]) == (1, "ERROR E210:")
    assert accept("task-1").code == 1


def test_facts_that_were_altered_are_not_accepted(work: Work, accept: Work, python: Path) -> None:
    ran = work(f"{ADD_MUL}; {DILUTIONS['emptied']}")
    (facts,) = (python / ".claude" / "logs" / "sessions").glob("*/facts/*.json")
    content = json.loads(facts.read_text(encoding="utf-8"))
    content["facts"]["missing_files"] = []
    facts.write_text(json.dumps(content), encoding="utf-8")
    refused = accept(ran.json["task_id"])
    assert refused.code == 1
    assert refused.err.startswith("ERROR E30")


def test_an_executor_cannot_accept_its_own_work(work: Work, accept: Work, python: Path) -> None:
    first = work(f"{ADD_MUL}; {DILUTIONS['emptied']}")
    task = first.json["task_id"]
    again = work(
        f"{sys.executable} -m pm_orchestrator accept {task} --project . 2> refused.txt; true",
        "Create refused.txt",
    )
    assert "E402" in (python / "refused.txt").read_text(encoding="utf-8"), again.out + again.err


def test_what_a_gate_changes_reaches_nobody(work: Work, python: Path) -> None:
    makefile = "lint:\n\t@echo '# formatted' >> calc.py; echo x > report.txt\n" + MAKE
    (python / "Makefile").write_text(makefile, encoding="utf-8")
    (python / "notes.md").write_text("# Mine\n", encoding="utf-8")
    ran = work(ADD_MUL)
    assert ran.code == 0, ran.out + ran.err
    assert "formatted" not in (python / "calc.py").read_text(encoding="utf-8")
    assert not (python / "report.txt").exists()
    # It was a part of what the gate said, so it is on record.
    said = [p.read_text("utf-8") for p in (python / ".claude" / "raw").rglob("*.log")]
    assert any("written in a view calc.py" in text for text in said)


def test_no_gate_finds_what_another_left(work: Work, python: Path) -> None:
    makefile = "lint:\n\t@echo x > left.txt\ntest:\n\t@test ! -e left.txt; echo '1 passed'\n"
    (python / "Makefile").write_text(makefile, encoding="utf-8")
    ran = work(ADD_MUL)
    assert ran.code == 0, ran.out + ran.err


def test_a_forged_cache_is_not_believed(work: Work, python: Path) -> None:
    # The module is broken; compiled, it is what the tests want.
    forge = (
        f"{sys.executable} -c 'import py_compile, os; "
        'py_compile.compile("calc.py", invalidation_mode='
        "py_compile.PycInvalidationMode.UNCHECKED_HASH)'; "
        "echo 'def add(a, b): return 7' > calc.py"
    )
    ran = work(f"{ADD_MUL}; {forge}")
    assert ran.code == 2, ran.out + ran.err


def test_too_many_files_wait_for_a_person(work: Work, accept: Work, python: Path) -> None:
    """R-14, R-17: an overrun is seen on disk and waits."""
    ran = work("for n in $(seq 21); do echo x = $n > part$n.py; done", "Split the code into parts")
    assert (ran.code, ran.json["reason"]["key"]) == (2, "limits_overrun")
    assert (python / "part21.py").exists()
    states = list((python / ".claude" / "logs" / "sessions").glob("*/session_state.json"))
    (violation,) = json.loads(states[0].read_text(encoding="utf-8"))["limit_violations"]
    assert (violation["limit_type"], violation["actual_value"]) == ("files", 21)
    assert violation["resolution_required"] is True
    done = accept(ran.json["task_id"], "--gate", "limits")
    assert done.code == 0, done.out + done.err


def test_without_a_repository_it_is_the_same(
    work: Work, accept: Work, python: Path, environment: dict[str, str]
) -> None:
    subprocess.run(["rm", "-rf", str(python / ".git")], check=True, env=environment)
    (python / "tests" / "test_calc.py").write_text(TESTS + BROKEN, encoding="utf-8")
    ran = work(ADD_MUL)
    assert ran.code == 0, ran.out + ran.err
    body = f"echo 'sub = lambda a, b: a - b' >> calc.py; {DILUTIONS['emptied']}"
    diluted = work(body, "Add a function sub to calc.py")
    assert diluted.json["reason"]["key"] == "checks_diluted", diluted.out


def test_accepting_in_a_conversation(
    program: Program, work: Work, python: Path, tmp_path: Path
) -> None:
    ran = work(f"{ADD_MUL}; {DILUTIONS['emptied']}")
    task, session = ran.json["task_id"], ran.json["session_id"]
    script = f"/approve {session}\n/accept {task}\n/tasks\n/exit\n"
    told = program("repl", "--non-interactive", "--project", str(python), stdin=script)
    assert told.code == 0, told.out + told.err
    assert "[RESULT]  COMPLETE" in told.out
    assert "1 completed" in told.out
    bad = program("repl", "--non-interactive", "--project", str(python), stdin="/start\n/accept\n")
    assert bad.code == 1
