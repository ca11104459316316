"""The remote of a project: dead or alive, and never told more than it needs."""

import json
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.scripted.scripted_company import KEY

pytestmark = pytest.mark.timeout(90)


@pytest.mark.long
def test_a_dead_remote_changes_no_verdict(bench: CompanyBench, tmp_path: Path) -> None:
    place = tmp_path / "later.git"
    bench.repository.git("remote", "add", "origin", str(place))
    bench.company.plans(DOUBLE)
    ran = bench.run(ONE)
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["status"] == "COMPLETE"
    assert any(what["key"] == "push_left" for what in ran.json["left_to_do"])
    assert bench("review", "show", ran.json["review_id"]).code == 0

    remote = GitProject(place, "--bare")
    asked = bench.company.asked()
    resumed = bench("resume", ran.json["run_id"], "--json")
    assert resumed.code == 0, resumed.out + resumed.err
    assert resumed.json["status"] == "COMPLETE"
    assert resumed.json["left_to_do"] == []
    assert remote.git("rev-parse", ran.json["branch"]) == ran.json["commit"]
    assert bench.company.asked() == asked


@pytest.mark.long
def test_what_was_accepted_is_pushed_when_the_remote_comes_to_life(
    bench: CompanyBench, tmp_path: Path
) -> None:
    place = tmp_path / "later.git"
    bench.repository.git("remote", "add", "origin", str(place))
    bench.company.does(DOUBLE.body + "for i in $(seq 20); do echo $i > n$i.md; done")
    first = bench.run(ONE)
    assert first.code == 2, first.out + first.err
    accepted = bench("accept", first.json["task_id"], "--json")
    assert accepted.code == 0, accepted.out + accepted.err
    assert [what["key"] for what in accepted.json["left_to_do"]] == ["push_left"]
    assert {run["mode"] for run in bench("runs", "--json").json} == {"company"}

    remote = GitProject(place, "--bare")
    resumed = bench("resume", accepted.json["run_id"], "--json")
    assert resumed.code == 0, resumed.out + resumed.err
    assert remote.git("rev-parse", first.json["branch"]) == first.json["gates"]["commit"]
    assert bench("undo", first.json["task_id"]).code == 0
    assert bench.branches == {}


@pytest.mark.long
def test_a_dead_remote_is_said(bench: CompanyBench, tmp_path: Path) -> None:
    bench.repository.git("remote", "add", "origin", str(tmp_path / "never.git"))
    bench.company.plans(DOUBLE)
    ran = bench("run", ONE)
    assert ran.code == 0, ran.out + ran.err
    assert "push" in ran.out
    assert "resume run_001" in ran.out + ran.err


@pytest.mark.long
def test_a_push_has_no_key_in_its_environment(bench: CompanyBench, tmp_path: Path) -> None:
    remote = GitProject(tmp_path / "remote.git", "--bare")
    seen = tmp_path / "seen"
    hook = remote.write("hooks/pre-receive", f"#!/bin/sh\nenv > {seen}\ncat >/dev/null\n")
    hook.chmod(0o755)
    bench.repository.git("remote", "add", "origin", str(remote.path))
    bench.company.plans(DOUBLE)
    ran = bench.run(ONE, env={"OPENAI_API_KEY": "sk-" + "proj-" + "scripted" * 5})
    assert ran.code == 0, ran.out + ran.err
    assert remote.git("rev-parse", ran.json["branch"]) == ran.json["commit"]
    told = seen.read_text("utf-8")
    assert "PATH=" in told
    assert "ANTHROPIC_API_KEY" not in told
    assert "OPENAI_API_KEY" not in told
    assert KEY not in told


def test_a_finished_run_goes_into_the_integration_branch(bench: CompanyBench) -> None:
    bench.repository.git("branch", "develop")
    settings = bench.root / ".claude" / "settings.json"
    told = json.loads(settings.read_text("utf-8"))
    told["company"] = {"integration_branch": "develop"}
    settings.write_text(json.dumps(told), "utf-8")
    bench.company.plans(DOUBLE)
    ran = bench.run(ONE)
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["left_to_do"] == []
    develop = bench.repository.git("rev-parse", "develop")
    assert bench.repository.git("merge-base", develop, ran.json["commit"]) == ran.json["commit"]
    assert bench.repository.git("rev-parse", "main") != develop
