"""A task that goes on is judged from what was there before its first run, not its last."""

import json
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.agent_tables import ADD, DOUBLE, GOOD_TEST
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]


COSTLY = json.dumps(
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "Done.",
        "num_turns": 1,
        "total_cost_usd": 0.25,
        "usage": {"input_tokens": 50, "output_tokens": 10},
    }
)


class Task:
    """One solo task with as many runs as it takes."""

    def __init__(self, program: Program, project: Path, claude: ClaudeScript) -> None:
        self._program = program
        self._project = project
        self._claude = claude
        python_project(project)

    def run(self, instruction: str, body: str, says: str | None = None) -> Ran:
        return self._call("run", instruction, "--solo", body=body, says=says)

    def goes_on(self, body: str, says: str | None = None) -> Ran:
        session = self._call("status", "--json").json["session"]["session_id"]
        assert self._call("approve", session).code == 0
        return self._call("continue", session, body=body, says=says)

    def log(self, ran: Ran) -> Any:
        return self._call("logs", ran.json["task_id"], "--json").json

    def _call(self, *words: str, body: str = "true", says: str | None = None) -> Ran:
        env = self._claude.does(body, ends_with=says)
        if words[0] in {"run", "continue"}:
            words = (*words, "--json")
        return self._program(*words, "--project", str(self._project), env=env)


@pytest.fixture
def task(program: Program, project: Path, claude: ClaudeScript) -> Task:
    return Task(program, project, claude)


def paths(ran: Ran) -> set[str]:
    return {change["path"] for change in ran.json["changes"]}


def test_two_halves_make_a_whole(task: Task) -> None:
    assert task.run("Create a.md and b.md", "echo one > a.md").code == 2
    ran = task.goes_on("echo two > b.md")
    assert ran.code == 0, ran.out + ran.err
    assert paths(ran) == {"a.md", "b.md"}


def test_work_that_was_there_already_needs_no_second_doing(task: Task) -> None:
    assert task.run("Create a.md and b.md", "echo one > a.md").code == 2
    assert task.goes_on("true").code == 2
    ran = task.goes_on("echo two > b.md")
    assert ran.code == 0, ran.out + ran.err


def test_checks_that_went_in_the_first_run_are_still_missed(task: Task) -> None:
    first = task.run(ADD, f"{DOUBLE}\nrm tests/test_calc.py")
    assert first.code == 2
    ran = task.goes_on(GOOD_TEST)
    assert ran.code == 2, "the deleted test is not forgotten"
    assert ran.json["reason"]["key"] == "checks_diluted"


def test_what_the_first_run_undid_is_no_change(task: Task) -> None:
    assert task.run("Update calc.py and old.txt", "echo more >> old.txt").code == 2
    ran = task.goes_on("printf 'old\\n' > old.txt; echo '# more' >> calc.py")
    assert ran.code == 2, "old.txt is as it was before the task"
    assert paths(ran) == {"calc.py"}


def test_what_is_used_adds_up_over_all_runs(task: Task, project: Path) -> None:
    """R-17 Two halves within a budget are no whole within it; nothing of the first is forgotten."""
    settings = project / ".claude" / "settings.json"
    document = json.loads(settings.read_text(encoding="utf-8"))
    document["budgets"] = {"tokens": 100}
    document["task_limits"]["files"] = 2
    settings.write_text(json.dumps(document), encoding="utf-8")
    first = task.run("Create a.md and b.md", "echo one > a.md", says=COSTLY)
    assert (first.code, first.json["violations"]) == (2, []), first.out + first.err
    ran = task.goes_on("echo two > b.md; echo three > c.md", says=COSTLY)
    assert (ran.code, ran.json["reason"]["key"]) == (2, "limits_overrun"), ran.out + ran.err
    over = {v["limit_type"]: v["actual_value"] for v in ran.json["violations"]}
    assert over == {"files": 3, "tokens": 120}
    assert (ran.json["spent"]["tokens"], ran.json["spent"]["cost_usd"]) == (120, 0.5)
    log = task.log(ran)
    assert [file["path"] for file in log["verified_files"]] == ["a.md", "b.md", "c.md"]
    assert (log["summary"]["total_tokens_input"], log["summary"]["total_tokens_output"]) == (
        100,
        20,
    )


@pytest.mark.long
def test_a_company_goes_on_from_its_own_base(bench: CompanyBench) -> None:
    instruction = "Create calc/double.py with a function double"
    bench.company.does("mkdir -p notes; echo one > notes/one.md", files=())
    first = bench.run(instruction)
    assert first.code == 2, first.out + first.err
    session = first.json["session_id"]
    assert bench("approve", session).code == 0
    body = "printf 'def double(n):\\n    return 2 * n\\n' > calc/double.py"
    bench.company.does(body, files=("calc/double.py",))
    bench.repository.write("unrelated.md", "made meanwhile\n")
    bench.repository.commit("Meanwhile")
    ran = bench("continue", session, "--json")
    assert ran.code == 0, ran.out + ran.err
    assert paths(ran) == {"calc/double.py", "notes/one.md"}
    assert ran.json["ticket_id"] == first.json["ticket_id"]
    (before,), (after,) = first.json["work"], ran.json["work"]
    assert after["tokens_used"] > before["tokens_used"] > 0, "it is the sum over both runs"
    assert ran.json["spent"]["tokens"] > first.json["spent"]["tokens"]
