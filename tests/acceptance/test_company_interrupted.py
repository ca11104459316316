"""A company that is stopped: by Ctrl-C, by another process, or by a kill nobody hears."""

import signal
from typing import Any

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE, TRIPLE, TWO
from pm_orchestrator.testing.benches.company_bench import CompanyBench, still_there, wait_until
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = pytest.mark.timeout(120)


@pytest.mark.long
def test_ctrl_c_keeps_what_was_accepted(bench: CompanyBench) -> None:
    bench.company.plans(DOUBLE, TRIPLE)
    bench.company.fails("hang", title=TRIPLE.title)
    with bench.started("run", TWO) as running:
        wait_until(lambda: bench.accepted() == 1)
        bench.company.wait_for(TRIPLE.title)
        started = running.descendants()
        running.send(signal.SIGINT)
        assert running.ends() == 2, running.out + running.err
    assert still_there(started) == []
    assert "Traceback" not in running.err
    kept = [name for name, at in bench.branches.items() if DOUBLE.files[0] in bench.names(at)]
    assert any(name.removeprefix("refs/heads/") in running.out + running.err for name in kept)
    assert "resume run_001" in running.out + running.err
    log = last_log(bench)
    assert (log["status"], log["terminated_by"]) == ("incomplete", "USER")
    assert {file["path"] for file in log["verified_files"]} == set(DOUBLE.files)

    bench.company.heals()
    asked = bench.company.asked("worker", DOUBLE.title)
    ran = bench("resume", "run_001", "--json")
    assert ran.code == 0, ran.out + ran.err
    assert {change["path"] for change in ran.json["changes"]} == {*DOUBLE.files, *TRIPLE.files}
    assert bench.company.asked("worker", DOUBLE.title) == asked


@pytest.mark.long
def test_a_killed_run_is_called_the_same_everywhere(bench: CompanyBench) -> None:
    bench.company.plans(DOUBLE)
    bench.company.fails("hang", after_turn=2)
    with bench.started("run", ONE) as running:
        bench.company.wait_for(DOUBLE.title, turn=2)
        started = running.descendants()
        running.send(signal.SIGKILL)
        running.ends()
    assert still_there(started) == []
    words = said(bench)
    assert len(set(words.values())) == 1, words

    bench.company.heals()
    ran = bench("resume", "run_001", "--json")
    assert ran.code == 0, ran.out + ran.err
    assert {change["path"] for change in ran.json["changes"]} == set(DOUBLE.files)
    assert set(said(bench).values()) == {"COMPLETE"}


@pytest.mark.long
def test_another_process_cancels_a_company(bench: CompanyBench) -> None:
    bench.company.plans(DOUBLE)
    bench.company.fails("hang", after_turn=2)
    with bench.started("run", ONE) as running:
        bench.company.wait_for(DOUBLE.title, turn=2)
        started = running.descendants()
        cancelled = bench("cancel", task_of(bench))
        assert cancelled.code == 0, cancelled.out + cancelled.err
        assert running.ends() == 2, running.out + running.err
    assert still_there(started) == []
    assert bench.kept("calc/double.py")
    log = last_log(bench)
    assert (log["status"], log["terminated_by"]) == ("incomplete", "USER")


def test_another_process_cancels_a_single_executor(
    bench: CompanyBench, claude: ClaudeScript
) -> None:
    env = claude.does("touch begun; sleep 60")
    with bench.started("run", "Create NOTES.md", "--solo", env=env) as running:
        wait_until((bench.root / "begun").exists)
        started = running.descendants()
        cancelled = bench("cancel", task_of(bench), "--json")
        assert cancelled.code == 0, cancelled.out + cancelled.err
        assert cancelled.json["status"] == "INCOMPLETE"
        assert running.ends() == 2, running.out + running.err
    assert still_there(started) == []
    log = last_log(bench)
    assert (log["status"], log["terminated_by"]) == ("incomplete", "USER")


@pytest.mark.long
def test_a_task_that_has_ended_cannot_be_cancelled(bench: CompanyBench) -> None:
    bench.company.plans(DOUBLE)
    assert bench.run(ONE).code == 0
    task = task_of(bench)
    ran = bench("cancel", task)
    assert ran.code == 1, ran.out + ran.err
    assert ran.err.startswith("ERROR E")
    assert task in ran.err
    assert last_log(bench)["status"] == "complete"


def task_of(bench: CompanyBench) -> str:
    """The latest task's id; its parts come behind it."""
    listed = bench("logs", "--json").json
    whole: list[str] = [t["external_task_id"] for t in listed if t["parent_task_id"] is None]
    return whole[-1]


def last_log(bench: CompanyBench) -> dict[str, Any]:
    log: dict[str, Any] = bench("logs", task_of(bench), "--json").json
    return log


RUN_WORDS = {"RUNNING": "IN_PROGRESS", "FAILED": "ERROR", "CANCELLED": "INCOMPLETE"}


def said(bench: CompanyBench) -> dict[str, str]:
    """How each command calls the latest run of the project, in the words of `runs`."""
    status = bench("status", "--json").json
    words: dict[str, str] = {
        "logs": bench("logs", "--json").json[-1]["status"].upper(),
        "runs": bench("runs", "--json").json[-1]["status"],
        "status, task": status["tasks"][-1]["status"].upper(),
        "status, run": status["runs"][-1]["status"],
    }
    # A run that came to its end is COMPLETED, whatever became of its task.
    if words["status, run"] == "COMPLETED":
        del words["status, run"]
    return {place: RUN_WORDS.get(word, word) for place, word in words.items()}
