"""What a summary advises works: its commands, typed as they stand, where they were read."""

import re
import shlex
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]

BREAK = "sed -i 's/a + b/a - b/' calc.py; echo 'def sub(a, b): return a - b' >> calc.py"
MEND = "sed -i 's/return a - b$/return a + b/; s/sub(a, b): return a + b/sub(a, b): return a - b/' "
HALF = "echo x > a.md"
REST = "echo x > b.md"
BOTH = "Create a.md and b.md"


def advice(ran: Ran) -> list[str]:
    """The commands that the hint names."""
    hint = next(line for line in reversed(ran.out.splitlines()) if line.startswith("[HINT]"))
    return re.findall("`([^`]+)`", hint)


@pytest.fixture
def in_project(program: Program, project: Path, environment: dict[str, str]) -> Program:
    """Called in the project itself, as it is advised."""
    return Program(project, environment)


def test_failing_tests_are_mended_as_advised(
    in_project: Program, project: Path, claude: ClaudeScript
) -> None:
    python_project(project)
    ran = in_project("run", "--solo", "Add a function sub to calc.py", env=claude.does(BREAK))
    assert ran.code == 2, ran.out + ran.err
    assert "tests.test_calc.CalcTest.test_add" in ran.out
    again, *_ = advice(ran)
    _, *words = shlex.split(again)
    ended = in_project(*words, env=claude.does(f"{MEND}calc.py"))
    assert ended.code == 0, ended.out + ended.err
    # It is complete now: words for it would be a new instruction.
    assert in_project(*words).err.startswith("ERROR E210")


def test_weaker_checks_are_accepted_as_advised(
    in_project: Program, project: Path, claude: ClaudeScript
) -> None:
    python_project(project)
    spoil = "echo 'def sub(a, b): return a - b' >> calc.py; echo > tests/test_calc.py"
    ran = in_project("run", "--solo", "Add a function sub to calc.py", env=claude.does(spoil))
    assert ran.code == 2, ran.out + ran.err
    *_, accept = advice(ran)
    ended = in_project(*shlex.split(accept)[1:])
    assert ended.code == 0, ended.out + ended.err
    assert "COMPLETE (accepted)" in ended.out


def test_more_files_are_allowed_as_advised(in_project: Program, claude: ClaudeScript) -> None:
    names = [f"part{n}.md" for n in range(22)]
    asked = f"Create {', '.join(names)}"
    env = claude.does("for n in $(seq 0 21); do date +%N > part$n.md; done")
    ran = in_project("run", "--solo", asked, env=env)
    assert ran.code == 2, ran.out + ran.err
    _, more = advice(ran)
    assert "--max-files 22" in more
    ended = in_project(*shlex.split(more.replace("INSTRUCTION", shlex.quote(asked)))[1:], env=env)
    assert "files 22 > 20" not in ended.out


def test_in_a_conversation_it_is_typed_there(in_project: Program, claude: ClaudeScript) -> None:
    env = claude.does(f"test -e a.md && {REST}; {HALF}")
    script = f"/start\n{BOTH}\n/exit\n"
    ran = in_project("repl", "--non-interactive", stdin=script, env=env)
    assert ran.code == 2, ran.out + ran.err
    (again,) = advice(ran)
    assert again == "/reply create b.md"
    assert "pm-orchestrator " not in ran.out
    (Path(in_project.environment["HOME"]).parent / "project" / "a.md").unlink()
    script = f"/start\n{BOTH}\n{again}\n/exit\n"
    ran = in_project("repl", "--non-interactive", stdin=script, env=env)
    assert ran.code == 0, ran.out + ran.err


def test_the_plain_form_has_it_beside_the_summary(
    in_project: Program, claude: ClaudeScript
) -> None:
    script = f"/start\n{BOTH}\n/exit\n"
    plain = ("repl", "--non-interactive", "--summary-format", "plain")
    ran = in_project(*plain, stdin=script, env=claude.does(HALF))
    assert "NEXT: /accept task-" in ran.out
    assert "  → `/reply create b.md` has it go on" in ran.err


def test_words_for_an_unfinished_task_are_demanded_too(
    in_project: Program, claude: ClaudeScript
) -> None:
    ran = in_project("run", "--solo", BOTH, "--json", env=claude.does(HALF))
    task = ran.json["task_id"]
    ended = in_project("reply", task, "and create c.md too", "--json", env=claude.does(REST))
    assert (ended.code, ended.json["reason"]["key"]) == (2, "files_missing")
    assert ended.json["reason"]["params"]["files"] == "c.md"
    assert ended.json["task_id"] == task
