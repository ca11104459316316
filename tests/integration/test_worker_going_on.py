"""A worker whose sandbox or Runner is gone: nothing is lost, and the attempt goes on."""

import asyncio
from pathlib import Path
from typing import Any

import psutil
import pytest
from typing_extensions import override

from pm_orchestrator.agents.tool_loop import ToolLoop
from pm_orchestrator.dispatch import agent_git
from pm_orchestrator.domain.company.assignment import AttemptResult
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.executor import Executor, ExecutorTask
from pm_orchestrator.testing.benches.worker_bench import (
    BRANCH,
    COMMIT,
    ROOF,
    ScriptedExecutor as Scripted,
    WorkerBench as Bench,
)
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.programs.traces import unique_sleep, wait_until_living
from pm_orchestrator.testing.scripted.scripted_model import ScriptedModel

OUTAGE = RetryableError("model_unavailable", reason="HTTP 500")
IDENTITY = "git config user.name a; git config user.email a@localhost; "


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def turn(*calls: tuple[str, dict[str, Any]]) -> ChatReply:
    made = tuple(
        ToolCall(id=f"t{number}", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(calls)
    )
    usage = TokenUsage(input_tokens=2, output_tokens=1)
    return ChatReply(message=Message(role="assistant", tool_calls=made), usage=usage)


def script(line: str, **more: Any) -> ChatReply:
    return turn(("run_command", {"command": IDENTITY + line, **more}))


DONE = turn(("task_complete", {"summary": "Done."}))
MADE = f"""
echo own > own.txt; {COMMIT}
git branch other; git checkout -q other; echo other > other.txt; {COMMIT}
git tag -a -m tagged v1; git checkout -q {BRANCH}
echo first > stash.txt; git stash -qu; echo second > stash.txt; git stash -qu
echo left > left.txt; printf 1 > 'a
b'; rm a.txt; chmod +x own.txt
"""
LOOK = (
    "git status --porcelain -z | tr '\\0\\n' '|/'; git stash list --format=%gd:%gs:%P;"
    " git branch --format='%(refname) %(objectname)'; git rev-parse HEAD v1^{commit};"
    " stat -c '%A %s' own.txt"
)


async def works(bench: Bench, model: ScriptedModel) -> AttemptResult:
    loop: Executor = ToolLoop(model, FakeClock())
    return await bench.attempt(loop, turns=9)


def answers(model: ScriptedModel) -> list[str]:
    """What the calls of the turns before came to, as the model was told last."""
    results = [r for m in model.asked[-1].messages for r in m.tool_results]
    return [result.content for result in results]


def everything_is_there(bench: Bench) -> None:
    assert bench.show("uncommitted", "left.txt") == "left"
    assert "a.txt" not in bench.repository.git("ls-tree", "--name-only", f"{ROOF}uncommitted")
    assert bench.repository.git("show", f"{ROOF}stash-0^3:stash.txt") == "second"
    assert bench.repository.git("show", f"{ROOF}stash-1^3:stash.txt") == "first"
    assert bench.show("branch-other", "other.txt") == "other"
    assert bench.repository.git("show", f"{BRANCH}:own.txt") == "own"


async def test_a_new_sandbox_holds_what_the_one_before_held(bench: Bench) -> None:
    """E-22 State Persistence Round-Trip: files, branches, tags, stashes, and where HEAD was."""
    before = ScriptedModel([script(MADE), script(LOOK), OUTAGE])
    with pytest.raises(RetryableError):
        await works(bench, before)
    seen = answers(before)[1]
    assert '?? "a\\nb"' in seen or "?? a/b" in seen
    everything_is_there(bench)
    # Staged or not is the only thing that is not kept.
    after = ScriptedModel([script(LOOK), DONE])
    result = await works(bench, after)
    assert answers(after)[-1] == seen
    assert (result.claim.kind, result.claim.turns, result.claim.tokens) == ("finished", 4, 12)
    everything_is_there(bench)
    said = bench.transcripts[result.conversation]
    assert [call.name for call in said.tool_calls] == ["run_command"] * 3 + ["task_complete"]


async def test_what_a_sandbox_held_outlives_it(bench: Bench) -> None:
    mark = unique_sleep()

    async def killed(task: ExecutorTask) -> None:
        assert task.keeper is not None
        await task.keeper.done((), changing=True)
        running = asyncio.create_task(task.hands.run(("sleep", mark)))
        (sleeper,) = await asyncio.to_thread(wait_until_living, mark, 30)
        psutil.Process(sleeper).parents()[2].kill()
        await running

    with pytest.raises(PmError, match="E702"):
        await bench.attempt(Scripted(MADE, killed))
    everything_is_there(bench)
    assert bench.transcripts["workers/01/1/conversation.json"].messages


@pytest.mark.long
async def test_a_call_that_ended_the_sandbox_is_not_made_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = PmError("sandbox_gone", reason="killed")

    async def refuses(*_: object) -> None:
        raise gone

    model = ScriptedModel([script("echo 1 > kept.txt"), script("echo 2 >> kept.txt")])
    with monkeypatch.context() as patched:
        from pm_orchestrator.agents.tools.commands import Commands

        real, calls = Commands.run, iter((True, False))
        patched.setattr(
            Commands,
            "run",
            lambda self, *given: real(self, *given) if next(calls) else refuses(),  # type: ignore[arg-type]
        )
        with pytest.raises(PmError, match="E702"):
            await works(bench, model)
    after = ScriptedModel([script("cat kept.txt"), DONE])
    await works(bench, after)
    assert "the sandbox ended while this was done" in answers(after)[1]
    assert answers(after)[2] == "1"


@pytest.mark.long
async def test_commands_of_the_sandbox_before_are_told_of(bench: Bench) -> None:
    started = script("sleep 600", background=True)
    with pytest.raises(RetryableError):
        await works(bench, ScriptedModel([started, OUTAGE]))
    ask = turn(("command_output", {"id": "c1"}), ("stop_command", {"id": "c1"}))
    after = ScriptedModel([ask, script("sleep 600", background=True), DONE])
    await works(bench, after)
    *_, asked, stopped, again = answers(after)
    assert "made anew" in asked
    assert "made anew" in stopped
    assert again.startswith("c2 is running")


@pytest.mark.long
@pytest.mark.parametrize("broken", ["rm -rf .git", "echo x > .git/refs/heads/bad"])
async def test_where_a_state_cannot_be_kept_the_work_goes_on(bench: Bench, broken: str) -> None:
    lines = [script("echo 1 > one.txt"), script(broken), script("echo 2 > two.txt")]
    with pytest.raises(RetryableError):
        await works(bench, ScriptedModel([*lines, OUTAGE]))
    # It goes on from the last turn that is kept whole.
    after = ScriptedModel([script("ls"), DONE])
    await works(bench, after)
    assert "one.txt" in answers(after)[-1]


async def test_a_huge_file_is_left_out_and_named(bench: Bench) -> None:
    model = ScriptedModel([script("truncate -s 4G huge; echo 1 > small"), OUTAGE])
    with pytest.raises(RetryableError):
        await works(bench, model)
    assert bench.show("uncommitted", "small") == "1"
    assert "'huge'" in bench.log("errors.log")
    assert agent_git.LARGEST_SAVED < 4 * 1024**3


@pytest.mark.long
async def test_its_time_is_over_and_nothing_is_lost(
    bench: Bench,
) -> None:
    """Long enough for the one turn on any machine; then the model never answers."""

    class Silent(ScriptedModel):
        @override
        async def chat(self, request: ChatRequest) -> ChatReply:
            if not self.left:
                await asyncio.Event().wait()
            return await super().chat(request)

    bench.attempt_s = 15.0
    result = await works(bench, Silent([script(MADE)]))
    assert (result.claim.kind, result.out_of_budget) == ("gave_up", True)
    everything_is_there(bench)
