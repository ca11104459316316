"""A worker with real git and a real sandbox: whatever an agent made comes out of it."""

import asyncio
from pathlib import Path

import pytest

from pm_orchestrator.agents import worker as worker_module
from pm_orchestrator.dispatch import leftovers
from pm_orchestrator.domain.company.assignment import AttemptResult
from pm_orchestrator.domain.company.model_conversation import ConversationHistory
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.history.run_events import Claims, WorkerEvent, Working
from pm_orchestrator.ports.executor import ExecutorTask
from pm_orchestrator.testing.benches.worker_bench import (
    BRANCH,
    COMMIT,
    ROOF,
    Deed,
    ScriptedExecutor as Scripted,
    WorkerBench as Bench,
)
from pm_orchestrator.testing.programs.traces import living, unique_sleep, wait_until_living
from pm_orchestrator.testing.scripted.fake_executors import SuccessFake

OUTAGE = RetryableError("model_unavailable", reason="HTTP 500")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_a_delivery_is_a_claim_a_commit_and_a_transcript(bench: Bench) -> None:
    """E-19: the conversation is kept on disk."""
    executor = Scripted(f"echo b > b.txt; {COMMIT}")
    result = await bench.attempt(executor)
    assert (result.claim.kind, result.rescue_refs) == ("finished", ())
    assert result.commit == bench.repository.git("rev-parse", f"refs/heads/{BRANCH}")
    assert bench.repository.git("show", f"{BRANCH}:b.txt") == "b"
    assert bench.transcripts[result.conversation].messages[0].text.startswith("# It")
    at, end = [e.detail for e in bench.events.events if isinstance(e, WorkerEvent)]
    assert at == Working(worker="worker-1", attempt=1, turn=1, text="run the script")
    assert end == Claims(worker="worker-1", text="Done.")
    (task,) = executor.tasks
    assert (task.hands.root, task.turns, task.model) == ("/workspace", 3, "m")
    assert task.system.startswith("You are a worker")
    assert "20260115-ab12-01 sh -ec" in bench.log("commands.log")


async def test_an_executor_that_talks_by_itself_leaves_its_output(bench: Bench) -> None:
    result = await bench.attempt(SuccessFake("b.txt", "b\n"))
    (said,) = bench.transcripts[result.conversation].messages
    assert said.text == "Done."
    assert bench.show("uncommitted", "b.txt") == "b"


EVERYWHERE = f"""
echo own > own.txt; {COMMIT}
git branch other; git checkout -q other; echo other > other.txt; {COMMIT}
git checkout -q -b 'Grün/Ü'; echo odd > odd.txt; {COMMIT}
git tag -a -m tagged v1; git checkout -q {BRANCH}; git branch -qD 'Grün/Ü'
echo first > stash.txt; git stash -qu; echo second > stash.txt; git stash -qu
git checkout -q --detach; echo loose > loose.txt; {COMMIT}
git branch old HEAD~1
echo left > left.txt; rm a.txt; touch .git/index.lock
"""


def everything_is_there(bench: Bench) -> None:
    assert bench.show("uncommitted", "left.txt") == "left"
    assert "a.txt" not in bench.repository.git("ls-tree", "--name-only", f"{ROOF}uncommitted")
    assert bench.show("detached", "loose.txt") == "loose"
    # An untracked file of a stash is in its third parent.
    assert bench.repository.git("show", f"{ROOF}stash-0^3:stash.txt") == "second"
    assert bench.repository.git("show", f"{ROOF}stash-1^3:stash.txt") == "first"
    assert bench.show("branch-other", "other.txt") == "other"
    assert bench.show("tag-v1", "odd.txt") == "odd"
    assert bench.repository.git("show", f"{BRANCH}:own.txt") == "own"


async def test_nothing_an_agent_made_is_lost(bench: Bench) -> None:
    result = await bench.attempt(Scripted(EVERYWHERE))
    everything_is_there(bench)
    names = {"uncommitted", "detached", "stash-0", "stash-1", "branch-other", "tag-v1"}
    assert set(bench.refs()) == names
    assert set(result.rescue_refs) == {ROOF + name for name in names}


async def test_a_branch_in_our_way_is_kept_too(bench: Bench) -> None:
    made = "echo x > x.txt; git checkout -q -b {0}; " + COMMIT
    script = (
        made.format("pm-out")
        + "\n"
        + "git checkout -q -b pm-out-/a; git branch a_b; git branch a-b"
    )
    await bench.attempt(Scripted(script))
    assert set(bench.refs()) == {"branch-pm-out", "branch-pm-out-a", "branch-a-b", "branch-a-b-2"}


def cancelled_by(mark: str) -> Deed:
    async def hang(task: ExecutorTask) -> None:
        await task.hands.run(("sleep", mark))

    return hang


@pytest.mark.parametrize("end", [OUTAGE, ZeroDivisionError("bug"), "cancelled"])
async def test_no_way_out_loses_anything(bench: Bench, end: BaseException | str) -> None:
    mark = unique_sleep()
    how = end if isinstance(end, BaseException) else cancelled_by(mark)
    work = asyncio.create_task(bench.attempt(Scripted(EVERYWHERE, how)))
    if end == "cancelled":
        await asyncio.to_thread(wait_until_living, mark, 30)
        work.cancel()
    kind = type(end) if isinstance(end, BaseException) else asyncio.CancelledError
    with pytest.raises(kind) as raised:
        await work
    if isinstance(end, BaseException):
        assert raised.value is end
    everything_is_there(bench)
    assert bench.transcripts["workers/01/1/conversation.json"].messages
    assert f"{ROOF}stash-1" in bench.log("errors.log")
    assert living(mark) == []


async def test_a_cancellation_during_the_rescue_is_not_lost(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that swallowed it would never stop."""
    work: list[asyncio.Task[AttemptResult]] = []

    async def save(path: Path, history: ConversationHistory) -> None:
        work[0].cancel()
        await asyncio.sleep(0)
        bench.transcripts[path.as_posix()] = history

    monkeypatch.setattr(bench, "_save", save)
    work.append(asyncio.create_task(bench.attempt(Scripted("echo x > x.txt", OUTAGE))))
    with pytest.raises(asyncio.CancelledError):
        await work[0]
    assert bench.transcripts
    assert bench.show("uncommitted", "x.txt") == "x"


async def test_a_rescue_has_an_end(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "RESCUE_S", 0.05)
    with pytest.raises(RetryableError, match="E601"):
        await bench.attempt(Scripted("echo x > x.txt", OUTAGE))
    assert "TimeoutError" in bench.log("errors.log")


async def test_later_attempts_keep_what_they_replace(bench: Bench) -> None:
    for number in (1, 2):
        await bench.attempt(Scripted(f"echo {number} > left.txt"), number)
    assert bench.show("uncommitted", "left.txt") == "2"
    (replaced,) = bench.repository.git(
        "for-each-ref", "--format=%(refname)", "refs/pm/replaced"
    ).splitlines()
    assert bench.repository.git("show", f"{replaced}:left.txt") == "1"


@pytest.mark.parametrize(
    "script",
    [
        "echo x > x.txt; rm -rf .git",
        "echo x > x.txt; rm -rf .git/objects",
        "echo x > x.txt; rm -rf .git; echo gone > .git",
        "git checkout -q --orphan new; git rm -rqf .; echo x > x.txt",
        f"git checkout -q -b side; echo side > a.txt; {COMMIT}; git checkout -q {BRANCH};"
        f" echo mine > a.txt; {COMMIT}; git merge -q side || true; echo x > x.txt",
        "echo x > x.txt; echo secret > no.txt; chmod 0 no.txt",
    ],
)
async def test_files_are_rescued_from_a_repository_in_any_state(bench: Bench, script: str) -> None:
    await bench.attempt(Scripted(script))
    assert bench.show("uncommitted", "x.txt") == "x"


async def test_a_branch_that_went_back_delivers_nothing(bench: Bench) -> None:
    bench.base = bench.project.commit("second", **{"b.txt": "b\n"})
    result = await bench.attempt(Scripted("git reset -q --hard HEAD~1"))
    assert (result.commit, result.rescue_refs) == (None, ())


async def test_many_branches_are_kept_under_few_names(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "NAMED_AT_MOST", 5)
    script = f"for n in $(seq 8); do git checkout -q -b b$n; echo $n > f; {COMMIT}; done"
    result = await bench.attempt(Scripted(script))
    assert len(result.rescue_refs) == 6
    subjects = bench.repository.git("rev-list", "--count", f"{bench.base}..{ROOF}more")
    # All of them and the one that holds them together.
    assert int(subjects) == 9


async def test_one_that_is_refused_takes_no_other_with_it(bench: Bench) -> None:
    bad = "git hash-object -t commit -w --literally --stdin"
    forged = (
        'printf "tree %s\\nparent %s\\nauthor a\\ncommitter b\\n\\nx\\n" '
        "$(git rev-parse HEAD^{tree}) $(git rev-parse HEAD)"
    )
    script = f"echo x > x.txt; git update-ref refs/heads/bad $({forged} | {bad})"
    result = await bench.attempt(Scripted(script))
    assert result.rescue_refs == (f"{ROOF}uncommitted",)
    assert "branch-bad was not taken" in bench.log("errors.log")
    # The same on its own branch is an error, with everything else saved.
    broken = script.replace("refs/heads/bad", f"refs/heads/{BRANCH}")
    with pytest.raises(PmError, match="E804"):
        await bench.attempt(
            Scripted("git checkout -q --detach; " + broken.replace("x.txt", "y.txt"))
        )
    assert bench.show("uncommitted", "y.txt") == "x"
