"""One task, one life: a company's task is answered, continued, accepted and undone as such."""

from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE, TRIPLE, TWO
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.scripted.scripted_company import allow_one_attempt

pytestmark = pytest.mark.timeout(90)


def test_an_answered_question_goes_on_in_the_company(bench: CompanyBench) -> None:
    before = bench.worktree()
    asked = bench("run", "fix it")
    assert asked.code == 2, asked.out + asked.err
    assert bench.company.asked() == 0
    task = bench("status", "--json").json["waiting_task_id"]
    bench.company.plans(DOUBLE)
    ran = bench("reply", task, ONE, "--json")
    assert ran.code == 0, ran.out + ran.err
    assert (ran.json["status"], ran.json["task_id"]) == ("COMPLETE", task)
    assert bench.kept("calc/double.py")
    assert bench.worktree() == before
    assert [run["mode"] for run in bench("runs", "--json").json] == ["company", "company"]


@pytest.mark.long
def test_an_approved_session_goes_on_in_the_company(bench: CompanyBench) -> None:
    before = bench.worktree()
    bench.company.does("true", commits=False)
    allow_one_attempt(bench.root)
    first = bench.run(ONE)
    assert first.code == 2, first.out + first.err
    session = bench("status", "--json").json["session"]["session_id"]
    refused = bench("continue", session)
    assert (refused.code, refused.err[:11]) == (1, "ERROR E207:")
    approved = bench("approve", session)
    assert approved.code == 0, approved.err

    bench.company.plans(DOUBLE)
    ran = bench("continue", session, "--json")
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["status"] == "COMPLETE"
    assert bench.kept("calc/double.py")
    assert bench.worktree() == before


@pytest.mark.long
def test_the_result_names_what_the_other_commands_take(bench: CompanyBench) -> None:
    bench.company.plans(DOUBLE)
    result = bench.run(ONE).json
    for command in (
        ("logs", result["task_id"]),
        ("status", result["session_id"]),
        ("status", result["run_id"]),
        ("review", "show", result["review_id"]),
    ):
        assert bench(*command).code == 0, command
    assert (result["kept_refs"], result["left_to_do"]) == ([], [])
    assert isinstance(result["notes"], list)


@pytest.mark.long
def test_a_person_accepts_what_is_over_the_limit(bench: CompanyBench, tmp_path: Path) -> None:
    remote = GitProject(tmp_path / "remote.git", "--bare")
    bench.repository.git("remote", "add", "origin", str(remote.path))
    bench.company.does("mkdir -p notes; for i in $(seq 21); do echo $i > notes/$i.md; done")
    ran = bench.run("Add notes on every release to the project")
    assert ran.code == 2, ran.out + ran.err
    assert remote.git("for-each-ref") == ""

    accepted = bench("accept", ran.json["task_id"], "--json")
    assert accepted.code == 0, accepted.out + accepted.err
    assert accepted.json["status"] == "COMPLETE"
    pushed = remote.git("for-each-ref", "--format=%(objectname)").split()
    listings = [remote.git("ls-tree", "-r", "--name-only", commit) for commit in pushed]
    assert any("notes/21.md" in listing for listing in listings)
    assert len(bench("review", "list", "--json").json) == 1


@pytest.mark.long
def test_undo_takes_the_branches_away_and_brings_them_back(bench: CompanyBench) -> None:
    bench.company.plans(DOUBLE, TRIPLE)
    ran = bench.run(TWO)
    assert ran.code == 0, ran.out + ran.err
    branches, before = bench.branches, bench.worktree()
    assert branches
    task = bench("logs", "--json").json[-1]["external_task_id"]

    undone = bench("undo", task)
    assert undone.code == 0, undone.out + undone.err
    assert bench.branches == {}
    assert set(branches.values()) <= set(bench.rescued.values())
    assert bench.worktree() == before
    again = bench("undo", task)
    assert again.code == 0, again.out + again.err
    assert bench.branches == branches
    assert bench.worktree() == before
    assert bench("evidence", "verify").code == 0
