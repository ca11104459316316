"""Executors for tests: they start no program and always do the same."""

from typing_extensions import override

from pm_orchestrator.domain.company.supervision import Blockage
from pm_orchestrator.domain.history.task_log import BlockedReason, TerminatedBy
from pm_orchestrator.domain.judging.outcome import ClaimKind, ExecutorClaim
from pm_orchestrator.ports.executor import (
    Executor,
    ExecutorConfig,
    ExecutorFactory,
    ExecutorResult,
    ExecutorTask,
)


class FakeExecutor(Executor):
    """Remembers its tasks; what it answers is up to its kind."""

    def __init__(self) -> None:
        self.tasks: list[ExecutorTask] = []

    @property
    @override
    def name(self) -> str:
        return "fake"

    @override
    async def problem(self) -> str | None:
        return None

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        self.tasks.append(task)
        return await self.answer(task)

    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        """What this kind does."""
        raise NotImplementedError


class SuccessFake(FakeExecutor):
    """Really writes its file, because a claim alone completes nothing."""

    def __init__(self, path: str, content: str = "# Made\n") -> None:
        super().__init__()
        self._path = path
        self._content = content

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        await task.hands.write_file(self._path, self._content.encode())
        claim = ExecutorClaim(kind="finished", summary="Done.", claimed_files=(self._path,))
        return ExecutorResult(claim=claim, exit_code=0, transcript="Done.")


class BlockedFake(FakeExecutor):
    """Stuck at once, for the given reason, or for want of information when there is none."""

    def __init__(
        self, reason: BlockedReason | None = BlockedReason.INTERACTIVE_PROMPT, said: str = ""
    ) -> None:
        super().__init__()
        self._reason = reason
        self._said = said

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        claim = ExecutorClaim(kind="blocked", summary=self._said)
        if self._reason is None:
            return ExecutorResult(claim=claim)
        by_timer = self._reason is BlockedReason.TIMEOUT
        stuck = Blockage(
            reason=self._reason,
            timeout_ms=1000,
            terminated_by=TerminatedBy.TIMEOUT if by_timer else TerminatedBy.REPL_FAIL_CLOSED,
        )
        return ExecutorResult(claim=claim, blocked=stuck)


class ErrorFake(FakeExecutor):
    """Fails at once."""

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        return ExecutorResult(claim=ExecutorClaim(kind="failed", summary="broken"), exit_code=1)


class AskingFake(FakeExecutor):
    """Asks its questions one after the other, each in the same conversation, then is done."""

    def __init__(self, questions: list[str], kind: ClaimKind = "gave_up") -> None:
        super().__init__()
        self._questions = questions
        self._kind: ClaimKind = kind

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        turn = len(self.tasks) - 1
        if turn >= len(self._questions):
            return ExecutorResult(claim=ExecutorClaim(kind="finished", summary="Done."))
        claim = ExecutorClaim(kind=self._kind, summary="")
        question = self._questions[turn]
        return ExecutorResult(claim=claim, question=question, conversation="conversation-1")


class FixedExecutors(ExecutorFactory):
    """Always gives the same executor."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    @override
    def create(self, config: ExecutorConfig) -> Executor:
        return self._executor
