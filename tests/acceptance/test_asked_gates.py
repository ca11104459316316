"""“Run the tests”: the Runner's own run is the proof, and nobody's word about it counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

MAKEFILE = "{kind}:\n\t@echo '{says}'; exit {code}\n"


def last_log(project: Path) -> dict[str, Any]:
    logs = sorted((project / ".pm-orchestrator" / "session" / "logs").glob("task-*.json"))
    found: dict[str, Any] = json.loads(logs[-1].read_text(encoding="utf-8"))
    return found


def makefile(project: Path, kind: str, says: str, code: int) -> None:
    text = MAKEFILE.format(kind=kind, says=says, code=code)
    (project / "Makefile").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("instruction", ["Run the tests", "テストを実行してください"])
@pytest.mark.parametrize(("code", "verdict"), [(0, "pass"), (1, "fail")])
def test_the_runner_runs_them_itself_whatever_an_executor_would_say(
    program: Program,
    project: Path,
    claude: ClaudeScript,
    instruction: str,
    code: int,
    verdict: str,
) -> None:
    makefile(project, "test", "3 passed in 0.01s", code)
    env = claude.does("touch called", says="All 100 tests pass. Everything is green!")
    ran = program("run", instruction, "--solo", "--project", str(project), env=env)
    assert ran.code == (0 if code == 0 else 2), ran.out + ran.err
    assert "make test (exit code" in ran.out
    assert "3 passed in 0.01s" in ran.out
    assert not (project / "called").exists()
    assert "Everything is green" not in ran.out
    log = last_log(project)
    (event,) = [e["content"] for e in log["events"] if e["event_type"] == "TEST_EXECUTION"]
    assert event["command"] == ["make", "test"]
    assert event["verdict"] == verdict
    assert event["tests_run"] == 3
    assert event["evidence_ref"] in log["evidence_refs"]
    assert program("evidence", "verify", "--project", str(project), env=env).code == 0


def test_a_project_without_tests_proves_nothing(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    env = claude.does("true", says="All tests pass.")
    ran = program("run", "run the tests", "--solo", "--project", str(project), env=env)
    assert ran.code == 2
    assert "gates.test" in ran.out


def test_tests_that_ran_nothing_prove_nothing(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    makefile(project, "test", "no tests ran in 0.01s", 0)
    ran = program("run", "run the tests", "--solo", "--project", str(project), env=claude.does(""))
    assert ran.code == 2
    assert "ran no test" in ran.out


def test_a_build_is_run_where_it_is_asked_for_and_only_there(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    makefile(project, "build", "built", 0)
    env = claude.does("echo 'x = 1' > code.py")
    ran = program("run", "ビルドを実行して", "--solo", "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err
    assert "make build (exit code 0)" in ran.out
    makefile(project, "build", "broken", 1)
    ran = program("run", "Create code.py", "--solo", "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err


def test_an_answer_does_not_stand_in_for_the_tests_asked_for_with_it(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    makefile(project, "test", "1 failed in 0.01s", 1)
    env = claude.does("true", says="The cache is a dict, and all tests pass.")
    instruction = "Explain the cache and run the tests"
    ran = program("run", instruction, "--solo", "--project", str(project), env=env)
    assert ran.code == 2
    assert "it failed" in ran.out


def test_tests_asked_for_beside_a_document_are_run(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    makefile(project, "test", "2 passed in 0.01s", 0)
    env = claude.does("echo '# R' > README.md")
    instruction = "Create README.md and run the tests"
    ran = program("run", instruction, "--solo", "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err
    assert "TEST_EXECUTION" in json.dumps(last_log(project))
