"""The Runner is killed in the middle of an attempt: `resume` goes on in that very attempt."""

import signal
from collections import Counter

import msgspec
import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE
from pm_orchestrator.testing.benches.company_bench import CompanyBench, still_there, wait_until
from pm_orchestrator.testing.programs.traces import living, unique_sleep
from pm_orchestrator.testing.scripted.scripted_company import Call, Part

pytestmark = [pytest.mark.timeout(150), pytest.mark.unmeasured]

KEPT_BESIDE = (
    "git stash list | wc -l; git branch --list side; cat beside.txt; git log -1 --format=%s side"
)
SEEN = "1\n  side\nbeside\non the side"


def run(line: str, *more: Call) -> tuple[Call, ...]:
    return (("run_command", {"command": line}), *more)


IDENTITY = "git config user.name a; git config user.email a@localhost; "
TURNS: tuple[tuple[Call, ...], ...] = (
    run(DOUBLE.body),
    (("read_file", {"path": "calc/double.py"}), ("list_directory", {})),
    run(
        f"{IDENTITY} echo s > stashed.txt; git stash -qu -- stashed.txt;"
        " b=$(git branch --show-current); git checkout -q -b side; echo x > side.txt;"
        " git add side.txt; git commit -qm 'on the side'; git checkout -q $b;"
        " echo beside > beside.txt"
    ),
    (("read_file", {"path": "beside.txt"}),),
    # What is not there any more makes it fail, and then the file is not committed.
    run(f'[ "$({KEPT_BESIDE})" = "{SEEN}" ] && mv beside.txt calc/kept.txt'),
    (("git_commit", {"message": "Do the work"}),),
)
WORK = msgspec.structs.replace(
    DOUBLE, turns=TURNS, files=(*DOUBLE.files, "calc/kept.txt"), body="unused"
)
LAST = len(TURNS)
"""The turns of a worker that is about to claim."""


def killed(bench: CompanyBench, part: Part, after: int) -> None:
    """The whole program is killed while the model thinks about its next turn."""
    bench.company.plans(part)
    bench.company.fails("hang", after_turn=after)
    with bench.started("run", ONE) as running:
        bench.company.wait_for(part.title, turn=after)
        started = running.descendants()
        running.send(signal.SIGKILL)
        running.ends()
    assert still_there(started) == []
    bench.company.heals()


@pytest.mark.parametrize(
    "after", [pytest.param(n, marks=() if n == 4 else pytest.mark.long) for n in range(LAST + 1)]
)
def test_no_answer_is_asked_for_twice(bench: CompanyBench, after: int) -> None:
    """E-22 State Persistence Round-Trip: an attempt goes on in the middle of its conversation."""
    killed(bench, WORK, after)
    ran = bench("resume", "run_001", "--json")
    assert ran.code == 0, ran.out + ran.err
    # The answer that was under way when it died is the only one it lost.
    assert bench.company.turns_asked(WORK.title) == [*range(after + 1), *range(after, LAST + 1)]
    assert {change["path"] for change in ran.json["changes"]} == set(WORK.files)
    assert [len(work["refusals"]) for work in ran.json["work"]] == [0]
    assert bench.kept("side.txt")
    assert any(name.endswith("/stash-0") for name in bench.rescued)
    spoken = conversation(bench)
    assert [m["role"] for m in spoken["messages"]].count("assistant") == LAST + 1
    assert len(spoken["tool_calls"]) == LAST + 2


@pytest.mark.long
def test_a_call_that_was_cut_off_is_made_again_and_its_answer_is_not(bench: CompanyBench) -> None:
    mark = unique_sleep()
    slow = run(f"echo half >> calc/kept.txt; [ -e calc/double.py ] && sleep {mark}")
    quick = run("echo whole >> calc/kept.txt")
    turns = (run(DOUBLE.body), slow, (("git_commit", {"message": "Do it"}),))
    part = msgspec.structs.replace(WORK, turns=turns)
    bench.company.plans(part)
    with bench.started("run", ONE) as running:
        wait_until(lambda: bool(living(mark)))
        running.send(signal.SIGKILL)
        running.ends()
    assert living(mark) == [], "nothing outlives the program"
    # The model has said it already, so another script would not be heard.
    bench.company.plans(msgspec.structs.replace(part, turns=(turns[0], quick, turns[2])))
    with bench.started("resume", "run_001", "--json") as running:
        wait_until(lambda: bool(living(mark)))
        assert bench.company.turns_asked(part.title) == [0, 1]
        running.send(signal.SIGINT)
        running.ends()
    assert bench.kept("calc/kept.txt")


@pytest.mark.long
def test_killed_again_and_again_it_comes_to_its_end(bench: CompanyBench) -> None:
    killed(bench, WORK, 1)
    for after in (3, 5):
        bench.company.fails("hang", after_turn=after)
        with bench.started("resume", "run_001") as running:
            bench.company.wait_for(WORK.title, turn=after)
            running.send(signal.SIGKILL)
            running.ends()
        bench.company.heals()
    ran = bench("resume", "run_001", "--json")
    assert ran.code == 0, ran.out + ran.err
    asked = Counter(bench.company.turns_asked(WORK.title))
    assert asked == Counter([*range(LAST + 1), 1, 3, 5])
    assert {change["path"] for change in ran.json["changes"]} == set(WORK.files)


def conversation(bench: CompanyBench) -> dict[str, list[dict[str, str]]]:
    (path,) = bench.run_folders()[0].glob("workers/*/*/conversation.json")
    return msgspec.json.decode(path.read_bytes())
