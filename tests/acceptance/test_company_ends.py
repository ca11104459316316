"""Whatever ends an attempt: all that was made is in the user's repository, and the talk on disk."""

import signal
from collections.abc import Callable
from pathlib import Path

import msgspec
import psutil
import pytest

from pm_orchestrator.testing.benches.calc_parts import ONE
from pm_orchestrator.testing.benches.company_bench import CompanyBench, Started, still_there
from pm_orchestrator.testing.programs.traces import unique_sleep, wait_until_living
from pm_orchestrator.testing.scripted.scripted_company import Call, Part, allow_one_attempt

pytestmark = [pytest.mark.timeout(150), pytest.mark.unmeasured]

EVERYWHERE = """
git config user.name a; git config user.email a@localhost; own=$(git branch --show-current)
echo own > own.txt; git add own.txt; git commit -qm own
git checkout -q -b side; echo side > side.txt; git add side.txt; git commit -qm side
git checkout -q $own; echo stashed > own.txt; git stash -q
echo changed > README.md; echo new > untracked.txt; mkdir deep; echo new > deep/er.txt
"""
MADE: tuple[Call, ...] = (("run_command", {"command": EVERYWHERE}),)
LOOK: tuple[Call, ...] = (("list_directory", {}),)
TURNS = 30


def part(*more: tuple[Call, ...]) -> Part:
    return Part(title="The double part", turns=(MADE, *more))


def everything_is_there(bench: CompanyBench) -> None:
    """All of it is reached from refs of the user's repository, and no file of theirs is touched."""
    for name in ("own.txt", "side.txt", "untracked.txt", "deep/er.txt"):
        assert bench.kept(name), name
    (uncommitted,) = (at for ref, at in bench.rescued.items() if ref.endswith("/uncommitted"))
    assert bench.repository.git("show", f"{uncommitted}:README.md") == "changed"
    (stash,) = (at for ref, at in bench.rescued.items() if ref.endswith("/stash-0"))
    assert bench.repository.git("show", f"{stash}:own.txt") == "stashed"
    (talk,) = bench.run_folders()[0].glob("workers/*/1/conversation.json")
    said = msgspec.json.decode(talk.read_bytes())
    assert any("untracked.txt" in str(call["arguments"]) for call in said["tool_calls"])


def interrupted(running: Started, _: int) -> None:
    running.send(signal.SIGINT)


def sandbox_killed(_: Started, inside: int) -> None:
    """As the kernel does it to a process that takes too much memory."""
    first = next(p for p in psutil.Process(inside).parents() if _number_inside(p.pid) == 1)
    first.kill()


def _number_inside(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    (numbers,) = (line for line in status.splitlines() if line.startswith("NSpid:"))
    return int(numbers.split()[-1])


@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        pytest.param(interrupted, 2, "resume run_001", marks=pytest.mark.long, id="Ctrl-C"),
        pytest.param(sandbox_killed, 1, "E702", marks=pytest.mark.long, id="sandbox killed"),
    ],
)
def test_an_end_from_outside(
    bench: CompanyBench, end: Callable[[Started, int], None], code: int, said: str
) -> None:
    before, mark = bench.worktree(), unique_sleep()
    bench.company.plans(part(LOOK, (("run_command", {"command": f"sleep {mark}"}),)))
    with bench.started("run", ONE) as running:
        inside = wait_until_living(mark, 60)[0]
        started = running.descendants()
        end(running, inside)
        assert running.ends(60) == code, running.out + running.err
    assert said in running.out + running.err
    assert still_there(started) == []
    everything_is_there(bench)
    assert bench.worktree() == before


@pytest.mark.long
def test_a_model_that_is_gone(bench: CompanyBench) -> None:
    bench.company.plans(part())
    bench.company.fails("status", status=400, after_turn=1)
    ran = bench("run", ONE)
    assert ran.code == 1, ran.out + ran.err
    everything_is_there(bench)


@pytest.mark.long
def test_a_loop_without_an_end_has_thirty_turns(bench: CompanyBench) -> None:
    """E-20 Conversation Loop Termination: thirty requests and not one more, and nothing is lost."""
    bench.company.plans(part(*[LOOK] * 40))
    allow_one_attempt(bench.root)
    ran = bench.run(ONE)
    assert ran.code == 2, ran.out + ran.err
    assert bench.company.turns_asked("The double part") == [*range(TURNS)]
    everything_is_there(bench)


@pytest.mark.parametrize("turns", [0, pytest.param(7, marks=pytest.mark.long)])
def test_a_claim_ends_the_loop(bench: CompanyBench, turns: int) -> None:
    """E-20 Conversation Loop Termination: the model is not asked again once it has claimed."""
    work = Part(title="The double part", turns=(LOOK,) * turns)
    bench.company.plans(work)
    allow_one_attempt(bench.root)
    assert bench.run(ONE).code == 2
    assert bench.company.turns_asked(work.title) == [*range(turns + 1)]
