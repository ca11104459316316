"""Limits of one task: what is too large is split where it can be, and an overrun is on record."""

import json
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.programs.called_program import Program
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
