"""A task that goes on finds every attempt of the runs before it, however many those were."""

from pathlib import Path

import msgspec

from pm_orchestrator.domain.company.assignment import Assignment
from pm_orchestrator.domain.judging.outcome import Facts
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.runner.run.earlier_run import EarlierRun
from pm_orchestrator.runner.run.examined import Examined, kept_as
from pm_orchestrator.runner.run.kept import KeptInMemory
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.run_repositories import RunBench
from pm_orchestrator.testing.data.any_record import sample

TICKET = "20260115-ab12-01"


def examined(attempt: int, commit: str) -> Examined:
    facts = Facts(
        commit=commit, changes=(), expected_files=("b",), missing_files=("b",), gates=None
    )
    record = sample(Examined)
    record["result"] |= {"attempt": attempt, "ticket": TICKET}
    return msgspec.structs.replace(msgspec.convert(record, Examined), outcome=decide(facts))


def assignment(base: str) -> Assignment:
    record = sample(Assignment)
    record |= {"attempt": 1, "start": base, "branch": f"agent/{TICKET}-it"}
    record["sub_task"]["ticket"] = TICKET
    return msgspec.convert(record, Assignment)


async def test_the_third_run_goes_on_from_the_second(tmp_path: Path) -> None:
    project = GitProject(tmp_path / "project")
    base = project.commit("base", a="a")
    commits = [project.commit(f"attempt {n}", a=str(n)) for n in range(1, 5)]
    repository = RunBench(tmp_path).repository
    first, second, third = KeptInMemory(), KeptInMemory(), KeptInMemory()
    for number in (1, 2, 3):
        await first.keep(kept_as(TICKET, number), examined(number, commits[number - 1]))

    begun = await EarlierRun(first, second, repository, project.path).begun(assignment(base))
    assert (begun.assignment.attempt, begun.assignment.start) == (3, commits[2])

    await second.keep(kept_as(TICKET, 4), examined(4, commits[3]))
    begun = await EarlierRun(second, third, repository, project.path).begun(assignment(base))
    assert (begun.assignment.attempt, begun.assignment.start) == (4, commits[3])
    assert begun.done is not None
    assert begun.done.facts == kept_as(TICKET, 4)


async def test_a_task_that_got_nowhere_begins_anew(tmp_path: Path) -> None:
    project = GitProject(tmp_path / "project")
    base = project.commit("base", a="a")
    repository = RunBench(tmp_path).repository
    earlier = EarlierRun(KeptInMemory(), KeptInMemory(), repository, project.path)
    begun = await earlier.begun(assignment(base))
    assert (begun.assignment, begun.done) == (assignment(base), None)
    assert earlier.plan() is None
