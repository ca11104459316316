"""An executor to be added: told to make a file, it writes it and says so."""

from typing_extensions import override

from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.ports.executor import (
    Executor,
    ExecutorConfig,
    ExecutorFactory,
    ExecutorResult,
    ExecutorTask,
)


class Writer(Executor):
    @property
    @override
    def name(self) -> str:
        return "added"

    @override
    async def problem(self) -> str | None:
        return None

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        _, _, path = task.instruction.splitlines()[0].partition(" ")
        await task.hands.write_file(path, b"made\n")
        claim = ExecutorClaim(kind="finished", summary="Done.", claimed_files=(path,))
        return ExecutorResult(claim=claim, exit_code=0, transcript="Done.")


class Added(ExecutorFactory):
    @override
    def create(self, config: ExecutorConfig) -> Executor:
        return Writer()
