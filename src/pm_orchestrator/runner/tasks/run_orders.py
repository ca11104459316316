"""What a company run is started with, kept beside it so that it can be taken up again."""

from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import ticket_id
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.runner.project.crew import Going, TaskOptions
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.task_run import TaskRun
from pm_orchestrator.runner.run.steps import RunOrder

SHOWN_FILES = 3
LONGEST_INSTRUCTION = 150_000
"""It travels with every step of the run; what is longer belongs into a file."""


class RunOrders:
    """Makes, keeps and finds the orders of one project's company runs."""

    def __init__(self, project: Project) -> None:
        self._project = project

    async def make(
        self, task: TaskRun, going: Going, options: TaskOptions, repository: Repository
    ) -> RunOrder:
        """The request, the settings and the user's checkout; a task that goes on keeps its base.

        Raises:
            PmError: E102 or E210 when there is no commit to start from, E206 for an
                instruction that is too long.
        """
        project, company = self._project, self._project.settings.company
        if (size := len(going.instruction.encode())) > LONGEST_INSTRUCTION:
            limit = "bytes of an instruction to the company"
            raise PmError("limit_exceeded", limit=limit, allowed=LONGEST_INSTRUCTION, actual=size)
        before = self.find(going.earlier) if going.earlier is not None else None
        ref = options.get("base", "HEAD")
        base = (
            before.base if before is not None else await repository.resolve(project.paths.root, ref)
        )
        checkout = project.checkout(project.paths.run(task.run_id))
        replay, record = options.get("replay"), options.get("record")
        asked = options.get("workers") or company.max_workers
        executors = project.settings.parallel_limits.executors
        order = RunOrder(
            run_id=task.run_id,
            session_id=task.session_id,
            task_id=task.task_id,
            ticket=(
                before.ticket
                if before is not None
                else ticket_id(project.clock.now(), project.ids.token(4))
            ),
            way="company",
            instruction=going.instruction,
            project=str(project.paths.root),
            base=base,
            target=await checkout.branch(),
            remote=await checkout.remote(),
            adapter=options.get("adapter"),
            executor=options.get("executor") or company.executor,
            model=options.get("model") or company.model,
            max_attempts=company.max_attempts,
            max_turns=company.max_turns,
            earlier=None if before is None else before.run_id,
            workers=min(asked, executors),
            replay=None if replay is None else str(replay.absolute()),
            record=None if record is None else str(record.absolute()),
            notes=(*_fewer(options.get("workers"), executors), *await self._notes(repository)),
        )
        # As it is read again when the run is taken up: then nothing may be different.
        order = redact(order, project.masker)
        await project.files.replace(self._path(task.run_id), to_file(order))
        return order

    async def share(self, run_id: str, with_run: str) -> None:
        """Let another run of the task, in which a person decided, stand for what this one made.

        Raises:
            PmError: E210 where this one never got to work.
        """
        await self._project.files.replace(self._path(with_run), to_file(self.read(run_id)))

    def find(self, run_id: str) -> RunOrder | None:
        """What a run has to show was ordered in; None where it never got to work."""
        path = self._path(run_id)
        try:
            return from_json(RunOrder, self._project.files.read(path), str(path))
        except FileNotFoundError:
            return None

    def read(self, run_id: str) -> RunOrder:
        """The order of a run that is taken up again.

        Raises:
            PmError: E210 where it never got one: then there is nothing to take up.
        """
        order = self.find(run_id)
        if order is None:
            reason = "it is not on record what it was started with"
            raise PmError("nothing_to_resume", run=run_id, reason=reason)
        return order

    async def _notes(self, repository: Repository) -> tuple[Reason, ...]:
        """What the user may not expect about the start."""
        left = await repository.uncommitted(self._project.paths.root)
        if not left.count:
            return ()
        shown = ", ".join(left.first[:SHOWN_FILES]) + (" …" if left.count > SHOWN_FILES else "")
        params = {"count": str(left.count), "files": shown}
        return (Reason(key="uncommitted_left_out", params=params),)

    def _path(self, run_id: str) -> Path:
        return self._project.paths.run(run_id).order


def _fewer(asked: int | None, executors: int) -> tuple[Reason, ...]:
    """Who asked for more workers than the settings allow is told so."""
    if asked is None or asked <= executors:
        return ()
    params = {"asked": str(asked), "count": str(executors)}
    return (Reason(key="fewer_workers", params=params),)
