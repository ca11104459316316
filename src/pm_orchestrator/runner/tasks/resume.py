"""`resume`: take up a run that was cut off, or finish handing over one that was not."""

from msgspec.structs import replace
from typing_extensions import Unpack

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogStatus
from pm_orchestrator.domain.history.task_story import pending_question
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.runner.project.crew import TaskOptions
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import owned, recovered
from pm_orchestrator.runner.project.results import kept_result, result_of, save_result
from pm_orchestrator.runner.sessions.continuation import is_invalid
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.hand_over import deliver_again
from pm_orchestrator.runner.tasks.run_task import resume_cut_off


async def resume_run(
    project: Project,
    run_id: str,
    *,
    session: OpenSession | None = None,
    **options: Unpack[TaskOptions],
) -> RunResult:
    """Go on with a run from where it was cut off, whatever cut it off.

    Raises:
        PmError: E210 for an unknown run, or one in which nothing is left to do; E207 for one
            that waits for an answer or counts for nothing; otherwise as `run_task`.
    """
    await recovered(project, session)
    where = session or _session_of(project, run_id)
    async with owned(project, where) as mine:
        log = _log_of(mine, run_id)
        if pending_question(log) is not None:
            raise PmError("waits_for_answer", session=mine.session_id, task=log.task_id)
        if is_invalid(log):
            raise PmError("invalid_stays", task=log.task_id)
        result = result_of(project, run_id)
        if result is None and log.status is TaskLogStatus.COMPLETE:
            # Cut off after the verdict and before the result was put into its place.
            result = kept_result(project, run_id)
        if result is not None and result.left_to_do:
            return await _hand_over(project, mine, log, result)
        if log.status is TaskLogStatus.COMPLETE:
            raise PmError("nothing_to_resume", run=run_id, reason="it is complete")
        if result is not None:
            reason = (
                f"it came to its end; `accept {log.task_id}` settles it, or approve and continue"
            )
            raise PmError("nothing_to_resume", run=run_id, reason=reason)
        return await resume_cut_off(project, log, mine, **options)


async def _hand_over(
    project: Project, session: OpenSession, log: TaskLog, result: RunResult
) -> RunResult:
    """Do what is left to do of a run whose verdict stands."""
    again = await deliver_again(project, result.run_id, result)
    raw = "left to do: " + ("; ".join(what.say() for what in again.left_to_do) or "nothing")
    evidence = await project.recorder.record(
        Operation(type="deliver", raw=raw, session_id=session.session_id, task_id=log.task_id)
    )
    end = replace(again, evidence_ids=(*again.evidence_ids, evidence.evidence_id))
    await save_result(project, project.paths.run(result.run_id), end)
    return end


def _session_of(project: Project, run_id: str) -> str:
    for session_id in reversed(project.book.session_ids()):
        if run_id in project.book.records(session_id).runs():
            return session_id
    raise PmError("run_unknown", run=run_id)


def _log_of(session: OpenSession, run_id: str) -> TaskLog:
    """The log of the task that the run is the latest of."""
    entries = session.book.entries(session.session_id)
    task = next((e.task_id for e in entries if e.run_id == run_id), None)
    if task is None:
        raise PmError("nothing_to_resume", run=run_id, reason="its task has gone on in a later run")
    return session.book.read(session.session_id, task)
