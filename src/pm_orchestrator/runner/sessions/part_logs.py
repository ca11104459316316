"""The logs of a task's parts: each is a task below it, in a background run of its own.

A part has its log from the moment it is planned, whatever becomes of it. What a run leaves open
is closed when it is left, and what a crash leaves open with the task it is a part of.
"""

from collections.abc import Callable, Iterable

from msgspec import UNSET
from typing_extensions import Unpack

from pm_orchestrator.domain.history.log_contents import ExecutorDispatch, TaskStarted
from pm_orchestrator.domain.history.session import RunStatus, RunTrigger, ThreadType, UnfinishedTask
from pm_orchestrator.domain.history.task_log import TaskLog, TerminatedBy
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.evidence.records.open_log import Closing, OpenLog
from pm_orchestrator.runner.records.execution_record import TASK_LIMIT
from pm_orchestrator.runner.sessions.open_session import OpenSession

LEFT = "the run ended before this part of it did"


def parts_of(session: OpenSession, task_id: str) -> dict[str, TaskLog]:
    """The logs of a task's parts by their tickets."""
    book, session_id = session.book, session.session_id
    return {
        entry.external_task_id: book.read(session_id, entry.task_id)
        for entry in book.entries(session_id)
        if entry.parent_task_id == task_id
    }


class PartLogs:
    """The parts of one task, as one run works on them."""

    def __init__(
        self,
        session: OpenSession,
        task: RunIds,
        executor: str,
        new_run: Callable[[], str],
        evidence_of: Callable[[str], str | None],
    ) -> None:
        self._session = session
        self._task = task
        self._executor = executor
        self._new_run = new_run
        self._evidence_of = evidence_of
        """The evidence of a step that was done, by the step's key."""
        self._run_id = ""
        self._open: dict[str, OpenLog] = {}

    async def planned(self, sub_task: SubTask) -> None:
        """It is a task from now on."""
        await self._log(sub_task)

    async def begun(self, sub_task: SubTask) -> None:
        """It goes to its executor."""
        log = await self._log(sub_task)
        summary = cut_between_words(sub_task.title, TASK_LIMIT)
        await log.add(ExecutorDispatch(executor=self._executor, task_summary=summary))

    async def ended(
        self,
        sub_task: SubTask,
        status: TaskStatus,
        reason: str | None,
        steps: Iterable[str],
        **found: Unpack[Closing],
    ) -> None:
        """What became of it; `steps` are the keys of what was done about it."""
        log = await self._log(sub_task)
        for key in steps:
            evidence_id = self._evidence_of(key)
            if evidence_id is not None:
                log.note_evidence(evidence_id)
        await log.close(status, reason, **found)
        del self._open[sub_task.ticket]

    async def leave(self, *, stopped: bool = False) -> None:
        """Nobody works any more; `stopped` where a person wanted that."""
        status = RunStatus.COMPLETED
        found = Closing(runner_decision="reject")
        if stopped:
            found["terminated_by"] = TerminatedBy.USER
        for ticket in tuple(self._open):
            log = self._open.pop(ticket)
            status = RunStatus.CANCELLED if stopped else RunStatus.FAILED
            await log.close(TaskStatus.INCOMPLETE, LEFT, **found)
        if self._run_id:
            await self._session.book.end_run(self._session.session_id, self._run_id, status)

    async def _log(self, sub_task: SubTask) -> OpenLog:
        """Its log, open; a step that was cut off is done again and may find it closed."""
        if sub_task.ticket in self._open:
            return self._open[sub_task.ticket]
        if not self._run_id:
            self._run_id = self._new_run()
        book, session_id = self._session.book, self._session.session_id
        if sub_task.ticket in parts_of(self._session, self._task.task_id):
            log = await book.reopen(session_id, sub_task.ticket, self._run_id, RunTrigger.EXECUTOR)
        else:
            log = await self._new_log(sub_task)
        self._open[sub_task.ticket] = log
        return log

    async def _new_log(self, sub_task: SubTask) -> OpenLog:
        book, session_id = self._session.book, self._session.session_id
        first = TaskStarted(
            action="start",
            target_file=", ".join(sub_task.expected_files) or UNSET,
            way="company",
        )
        return await book.open(
            session_id,
            sub_task.ticket,
            book.records(session_id).thread_of(ThreadType.BACKGROUND),
            self._run_id,
            sub_task.title,
            self._session.root,
            parent=self._task.task_id,
            thread_type=ThreadType.BACKGROUND,
            trigger=RunTrigger.EXECUTOR,
            first=first,
        )


async def close_cut_off(session: OpenSession, task_id: str, reason: str) -> None:
    """Close what a dead owner left open of a task's parts."""
    book, session_id = session.book, session.session_id
    for part in [e for e in book.entries(session_id) if e.parent_task_id == task_id]:
        noted = UnfinishedTask(
            session_id=session_id,
            task_id=part.external_task_id,
            thread_id=part.thread_id,
            run_id=part.run_id,
            prompt="",
        )
        log = await book.adopt(noted, session.root)
        if log is not None:
            await log.close(TaskStatus.ERROR, reason, runner_decision="reject")
