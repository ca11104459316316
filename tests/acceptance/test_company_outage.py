"""The provider fails in the middle: what was done is kept, and `resume` goes on from there."""

import json
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE, TRIPLE, TWO
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.programs.called_program import Ran

# The program itself waits seven seconds before it gives a provider up.
pytestmark = pytest.mark.timeout(150)

COMMITTED = 2
"""The turns of a worker that has committed and is about to claim."""
FAILURES = {
    "HTTP 400": ("status", 400),
    "HTTP 429": ("status", 429),
    "HTTP 500": ("status", 500),
    "cut": ("cut", 200),
}


def stopped(ran: Ran, run: str = "run_001") -> None:
    """It says whose fault it is, and how to go on."""
    assert ran.code == 1, ran.out + ran.err
    assert "ERROR E60" in ran.err
    assert f"resume {run}" in ran.err.partition("HINT")[2]
    assert "Traceback" not in ran.err


def give_up_on_the_busy(project: Path) -> None:
    """By default they are waited for much longer than a test."""
    place = project / ".claude" / "settings.json"
    settings = json.loads(place.read_bytes())
    settings.setdefault("company", {})["busy_minutes"] = 0
    place.write_text(json.dumps(settings), "utf-8")


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param("HTTP 400", marks=pytest.mark.long),
        pytest.param("HTTP 500", marks=pytest.mark.long),
        pytest.param("HTTP 429", marks=pytest.mark.long),
        pytest.param("cut", marks=pytest.mark.long),
    ],
)
def test_committed_work_outlives_the_provider(bench: CompanyBench, failure: str) -> None:
    kind, status = FAILURES[failure]
    bench.company.plans(DOUBLE, TRIPLE)
    give_up_on_the_busy(bench.root)
    if kind == "status":
        bench.company.fails("status", status=status, after_turn=COMMITTED, title=TRIPLE.title)
    else:
        bench.company.fails("cut", after_turn=COMMITTED, title=TRIPLE.title)
    before = bench.worktree()
    # One worker, so that the first part is finished when the second meets the outage.
    stopped(bench("run", TWO, "--workers", "1"))
    assert bench.kept("calc/triple.py")
    assert bench.kept("calc/double.py")
    workers = bench.run_folders()[0] / "workers"
    spoken = [path.read_text("utf-8") for path in workers.rglob("conversation.json")]
    assert any(TRIPLE.title in text for text in spoken)

    bench.company.heals()
    asked = bench.company.asked("worker", DOUBLE.title), bench.company.asked("manager")
    ran = bench("resume", "run_001", "--json")
    assert ran.code == 0, ran.out + ran.err
    assert (ran.json["status"], ran.json["run_id"]) == ("COMPLETE", "run_001")
    # What was finished is not asked for again, and the outage is nobody's lie.
    assert asked == (bench.company.asked("worker", DOUBLE.title), bench.company.asked("manager"))
    assert [work["refusals"] for work in ran.json["work"]] == [[], []]
    assert "out of order" not in json.dumps(ran.json["work"])

    undisturbed = bench.run(TWO)
    assert undisturbed.code == 0, undisturbed.out + undisturbed.err
    assert bench.tree(ran.json["commit"]) == bench.tree(undisturbed.json["commit"])
    assert bench.worktree() == before


@pytest.mark.long
def test_a_busy_provider_is_waited_for_and_the_wait_is_seen(bench: CompanyBench) -> None:
    """E-26: the provider says when to come back, and no attempt is lost by that."""
    bench.company.plans(DOUBLE)
    bench.company.is_busy(2, after_turn=1, times=2)
    ran = bench("run", ONE)
    assert ran.code == 0, ran.out + ran.err
    assert "worker/01/1 waits 2 s for the provider: HTTP 429" in ran.out + ran.err
    # Three turns, two of them asked again: no more than was said.
    assert bench.company.asked("worker") == 3 + 2


@pytest.mark.long
def test_a_short_outage_is_not_even_noticed(bench: CompanyBench) -> None:
    """E-26: a short outage is waited out."""
    bench.company.plans(DOUBLE)
    bench.company.fails("status", status=500, after_turn=COMMITTED, times=1)
    ran = bench.run(ONE)
    assert ran.code == 0, ran.out + ran.err
    assert [work["refusals"] for work in ran.json["work"]] == [[]]


@pytest.mark.long
def test_an_outage_at_the_manager(bench: CompanyBench) -> None:
    bench.company.plans(DOUBLE, TRIPLE)
    bench.company.fails("status", status=400, role="manager")
    stopped(bench("run", TWO))
    assert bench.company.asked("worker") == 0

    bench.company.heals()
    ran = bench("resume", "run_001", "--json")
    assert ran.code == 0, ran.out + ran.err
    assert {change["path"] for change in ran.json["changes"]} == {*DOUBLE.files, *TRIPLE.files}


def test_only_what_was_cut_off_can_be_resumed(bench: CompanyBench) -> None:
    ran = bench("resume", "run_404")
    assert (ran.code, ran.err[:12]) == (1, "ERROR E210: ")
    assert "run_404" in ran.err
