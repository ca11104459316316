"""What every executor must do, whoever or whatever it is.

A conformance test subclasses the parts that apply to its executor and gives the
fixtures they name; all work happens with real hands in a directory of its own. An
executor that cannot hang, or has no tokens, leaves that part out.
"""

import asyncio
import re
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.adapters.sandboxes.host_hands import HostHands
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import BlockedReason
from pm_orchestrator.ports.executor import Activity, Executor, ExecutorResult, ExecutorTask
from pm_orchestrator.testing.programs.traces import living, unique_sleep, wait_until_living

MADE, CONTENT = "made/by it.txt", "made\n"
"""What a working executor is to make."""
LIMIT_S = 1.0
SLACK_S = 6.0
"""Beyond the limit: the grace period, a farewell, a busy machine."""


def sound(result: ExecutorResult) -> None:
    """Whether the parts of a result fit together."""
    if result.claim.kind == "finished":
        assert result.blocked is None
        assert not result.out_of_budget
        assert result.exit_code in {0, None}
        assert result.permission_denials == ()
    assert not (result.out_of_budget and result.blocked)


class ExecutorBench:
    """The task and its place; every part of the contract builds on it."""

    @pytest.fixture
    def variables(self) -> dict[str, str]:
        """The environment of the hands."""
        return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

    @pytest.fixture
    def task(self, tmp_path: Path, variables: dict[str, str]) -> ExecutorTask:
        project = tmp_path / "project"
        project.mkdir()
        return ExecutorTask(
            task_id="task-1",
            instruction=f"Make {MADE}",
            hands=HostHands(LocalCommands(kill_grace_s=0.3), project, variables),
            timeout_s=30,
            model="model-1",
        )


class WorkingContract(ExecutorBench):
    """`working` makes the file that it is asked for, and says that it has."""

    @pytest.fixture
    def working(self) -> Executor:
        raise NotImplementedError

    async def test_it_is_ready_and_keeps_its_name(
        self, working: Executor, task: ExecutorTask
    ) -> None:
        name = working.name
        assert re.fullmatch(r"[a-z][a-z0-9-]*", name)
        assert await working.problem() is None
        await working.execute(task)
        assert working.name == name
        assert await working.problem() is None

    async def test_the_work_is_done_by_the_hands_it_was_given(
        self, working: Executor, task: ExecutorTask
    ) -> None:
        result = await working.execute(task)
        assert result.claim.kind == "finished", result.claim
        assert result.claim.summary.strip()
        sound(result)
        assert await task.hands.read_file(MADE) == CONTENT.encode()
        assert [e.name for e in await task.hands.list_directory(".")] == [MADE.split("/")[0]]


class TellingContract(ExecutorBench):
    """`working` also says what it is at, where somebody listens."""

    @pytest.fixture
    def working(self) -> Executor:
        raise NotImplementedError

    async def test_whoever_listens_hears_what_it_is_at(
        self, working: Executor, task: ExecutorTask
    ) -> None:
        heard: list[Activity] = []
        await working.execute(replace(task, told=heard.append))
        assert any(activity.what for activity in heard)
        assert all("\n" not in activity.what for activity in heard)
        tokens = [activity.tokens for activity in heard]
        assert tokens == sorted(tokens)


class FailingContract(ExecutorBench):
    """`failing` comes to a bad end by itself."""

    @pytest.fixture
    def failing(self) -> Executor:
        raise NotImplementedError

    async def test_a_bad_end_is_a_claim_and_no_exception(
        self, failing: Executor, task: ExecutorTask
    ) -> None:
        result = await failing.execute(task)
        assert result.claim.kind in {"failed", "gave_up", "blocked"}
        assert (result.claim.summary or result.question or "").strip()
        sound(result)


class EndlessContract(ExecutorBench):
    """`endless` runs `sleep <mark>` and would wait for it."""

    @pytest.fixture
    def mark(self) -> str:
        return unique_sleep()

    @pytest.fixture
    def endless(self, mark: str) -> Executor:
        raise NotImplementedError

    @pytest.mark.parametrize("is_budget", [True, False])
    async def test_it_ends_when_its_time_is_over(
        self, endless: Executor, task: ExecutorTask, mark: str, *, is_budget: bool
    ) -> None:
        begun = time.monotonic()
        result = await endless.execute(
            replace(task, timeout_s=LIMIT_S, timeout_is_budget=is_budget)
        )
        assert LIMIT_S <= time.monotonic() - begun < LIMIT_S + SLACK_S
        assert result.claim.kind == "gave_up"
        assert result.out_of_budget == is_budget
        if not is_budget:
            assert result.blocked is not None
            assert result.blocked.reason is BlockedReason.TIMEOUT
        sound(result)
        assert living(mark) == []

    async def test_a_cancellation_leaves_nothing_behind(
        self, endless: Executor, task: ExecutorTask, mark: str
    ) -> None:
        work = asyncio.create_task(endless.execute(task))
        assert await asyncio.to_thread(wait_until_living, mark)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert living(mark) == []


class SpendingContract(ExecutorBench):
    """`spending` uses more than 100 tokens before it is done."""

    @pytest.fixture
    def spending(self) -> Executor:
        raise NotImplementedError

    async def test_it_ends_when_its_tokens_are_used_up(
        self, spending: Executor, task: ExecutorTask
    ) -> None:
        begun = time.monotonic()
        result = await spending.execute(replace(task, token_budget=100))
        assert time.monotonic() - begun < SLACK_S
        assert result.claim.kind == "gave_up"
        assert result.claim.tokens > 100
        sound(result)


class UnreadyContract(ExecutorBench):
    """`unready` cannot work here."""

    @pytest.fixture
    def unready(self) -> Executor:
        raise NotImplementedError

    async def test_it_tells_the_cure_and_starts_nothing(
        self, unready: Executor, task: ExecutorTask
    ) -> None:
        cure = await unready.problem()
        assert cure is not None
        assert len(cure.split()) > 2
        with pytest.raises(PmError, match="E503") as raised:
            await unready.execute(task)
        assert cure in raised.value.hint()
        assert await task.hands.list_directory(".") == ()
