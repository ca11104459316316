"""Limits of one task: what is too large is split where it can be, and an overrun is on record."""

import json
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.programs.drawn_terminal import DrawnTerminal
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_company import Part

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]

THREE = "Create a.md, b.md and c.md"


def allow_two_files(project: Path) -> None:
    settings = project / ".claude" / "settings.json"
    document = json.loads(settings.read_text(encoding="utf-8"))
    document["task_limits"]["files"] = 2
    settings.write_text(json.dumps(document), encoding="utf-8")


def writing(*names: str) -> Part:
    body = "; ".join(f"echo {name} > {name}" for name in names)
    return Part(title=f"The part with {' and '.join(names)}", body=body, files=names)


def last_violations(status: Any) -> list[tuple[str, int, int]]:
    found = status["session"]["limit_violations"]
    assert all(v["resolution_required"] for v in found)
    return [(v["limit_type"], v["limit_value"], v["actual_value"]) for v in found]


def test_alone_it_is_done_and_a_person_decides(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-14, R-17 Nobody could split it there: the work is kept, and the overrun can be accepted."""
    allow_two_files(project)
    where = ("--project", str(project))
    env = claude.does("; ".join(f"echo x > {n}.md" for n in "abc"))
    ran = program("run", THREE, "--solo", "--json", *where, env=env)
    assert (ran.code, ran.json["reason"]["key"]) == (2, "limits_overrun"), ran.out + ran.err
    task = ran.json["task_id"]
    assert ran.json["report"]["violations"] == [f"{task}: files 3 > 2"]
    assert last_violations(program("status", "--json", *where).json) == [("files", 2, 3)]
    assert program("accept", task, *where).code == 0


def test_one_task_may_be_allowed_more(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-14 The settings stay as they are; who asks for more files gets them for this task."""
    allow_two_files(project)
    where = ("--project", str(project))
    many = [f"part{n}.md" for n in range(25)]
    env = claude.does("for n in $(seq 0 24); do echo x > part$n.md; done")
    asked = f"Create {', '.join(many)}"
    ran = program("run", asked, "--solo", "--json", "--max-files", "25", *where, env=env)
    assert ran.code == 0, ran.out + ran.err
    (task,) = ran.json["report"]["tasks"]
    assert task["granularity_limits"]["max_files"] == 25
    env = claude.does("for n in a b c; do echo x > $n.md; done")
    over = program("run", THREE, "--solo", "--json", *where, env=env)
    assert (over.code, over.json["reason"]["key"]) == (2, "limits_overrun")


def test_what_was_allowed_is_kept_where_it_goes_on(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-17 What was not too much in the first run is not too much in the second."""
    allow_two_files(project)
    where = ("--project", str(project))
    env = claude.does("echo x > a.md")
    first = program("run", THREE, "--solo", "--json", "--max-files", "3", *where, env=env)
    assert first.code == 2, first.out + first.err
    session = first.json["session_id"]
    assert program("approve", session, *where).code == 0
    env = claude.does("echo x > b.md; echo x > c.md")
    ran = program("continue", session, "--json", *where, env=env)
    assert (ran.code, ran.json["violations"]) == (0, []), ran.out + ran.err


def test_limits_of_a_conversation(program: Program, project: Path, claude: ClaudeScript) -> None:
    """They hold for what is typed afterwards, until they are taken back."""
    allow_two_files(project)
    env = claude.does("for n in a b c; do echo x$RANDOM >> $n.md; done")
    lines = ("/start", "/limits files 3 minutes 30", THREE, "/limits reset", "/limits", "/exit")
    where = ("--project", str(project))
    ran = program("repl", "--non-interactive", *where, stdin="\n".join(lines), env=env)
    assert "3 files and 50 tests, and take 30 minutes" in ran.out, ran.out + ran.err
    assert "2 files and 50 tests, and take 15 minutes" in ran.out
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.parametrize(
    "words", ["files", "files x", "files 0", "files 3 files 4", "hours 2", "minutes 99999999"]
)
def test_limits_that_make_no_sense_change_nothing(
    program: Program, project: Path, words: str
) -> None:
    script, where = f"/limits {words}\n/limits\n", ("--project", str(project))
    ran = program("repl", "--non-interactive", *where, stdin=script)
    assert ran.code == 1
    assert "ERROR E210" in ran.err
    assert "/limits [files N] [minutes N] | reset" in ran.err
    assert "This is what the settings say" in ran.out


def test_a_company_splits_it(bench: CompanyBench) -> None:
    """R-14 Parts that fit are the same work without an overrun."""
    allow_two_files(bench.root)
    bench.company.plans(writing("a.md", "b.md"), writing("c.md"))
    ran = bench.run(THREE)
    assert (ran.code, ran.json["violations"]) == (0, []), ran.out + ran.err
    assert len(ran.json["work"]) == 2


@pytest.mark.parametrize(
    "files", [(), pytest.param(("a.md", "b.md", "c.md"), marks=pytest.mark.long)]
)
def test_a_company_that_cannot_split_it_refuses(
    bench: CompanyBench, files: tuple[str, ...]
) -> None:
    """R-14 One part that is as large as the whole is no split, whatever it says of itself."""
    allow_two_files(bench.root)
    bench.company.does("touch a.md b.md c.md", files=files)
    ran = bench.run(THREE)
    assert (ran.code, ran.err[:11]) == (1, "ERROR E205:"), ran.out + ran.err
    assert bench.company.asked("worker") == 0


@pytest.mark.long
def test_overruns_of_time_add_up(program: Program, project: Path, claude: ClaudeScript) -> None:
    """R-17 Every one stays on the session's record, and in the report of its own task."""
    env = claude.does("while :; do echo tick; sleep 0.1; done")
    script = "/start\nCreate a.md\nCreate b.md\n/exit\n"
    where = ("--project", str(project))
    timer = ("--non-interactive", "--executor-timeout", "1000")
    assert program("repl", *timer, *where, stdin=script, env=env).code == 1
    status = program("status", "--json", *where).json
    assert last_violations(status) == [("seconds", 1, 2), ("seconds", 1, 2)]
    task = status["tasks"][-1]["external_task_id"]
    assert status["report"]["violations"] == [f"{task}: seconds 2 > 1"]


OVER = "for n in a b c; do echo x > $n.md; done; sleep 3"


def test_an_overrun_is_told_while_it_happens(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-14 In a pipe it is one line, ahead of the end; for programs there is none."""
    allow_two_files(project)
    where, env = ("--project", str(project)), claude.does(OVER)
    ran = program("run", THREE, "--solo", *where, env=env)
    lines = ran.out.splitlines()
    told = [i for i, line in enumerate(lines) if "3 files are changed by now" in line]
    judged = next(i for i, line in enumerate(lines) if "5/7" in line)
    assert len(told) == 1, ran.out + ran.err
    assert told[0] < judged


@pytest.mark.long
def test_on_a_terminal_it_stays_above_the_line(
    environment: dict[str, str], project: Path, claude: ClaudeScript
) -> None:
    """R-14 It is not swept away by what moves."""
    allow_two_files(project)
    env = {**environment, **claude.does(OVER)}
    arguments = ("run", THREE, "--solo", "--project", str(project))
    with DrawnTerminal(project, env, *arguments) as terminal:
        terminal.wait_for("3 files are changed by now")
        assert terminal.ended() == 2
        assert terminal.text.count("files are changed by now") == 1
