"""`resume`: take up a run that was cut off, or finish handing over one that was not."""

from msgspec.structs import replace
from typing_extensions import Unpack

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.crew import TaskOptions
from pm_orchestrator.bootstrap.reports import kept_result, result_of, save_result
from pm_orchestrator.bootstrap.sessions import owned, recovered
from pm_orchestrator.bootstrap.tasks import resume_cut_off
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogStatus, pending_question
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.sessions.open_session import OpenSession


async def resume_run(
    app: Application,
    run_id: str,
    *,
    session: OpenSession | None = None,
    **options: Unpack[TaskOptions],
) -> RunResult:
    """Go on with a run from where it was cut off, whatever cut it off.

    Raises:
        PmError: E210 for an unknown run, or one in which nothing is left to do; E207 for one
            that waits for an answer; otherwise as `run_task`.
    """
    await recovered(app, session)
    where = session or _session_of(app, run_id)
    async with owned(app, where) as mine:
        log = _log_of(mine, run_id)
        if pending_question(log) is not None:
            raise PmError("waits_for_answer", session=mine.session_id, task=log.task_id)
        result = result_of(app, run_id)
        if result is None and log.status is TaskLogStatus.COMPLETE:
            # Cut off after the verdict and before the result was put into its place.
            result = kept_result(app, run_id)
        if result is not None and result.left_to_do:
            return await _hand_over(app, mine, log, result)
        if log.status is TaskLogStatus.COMPLETE:
            raise PmError("nothing_to_resume", run=run_id, reason="it is complete")
        if result is not None:
            reason = (
                f"it came to its end; `accept {log.task_id}` settles it, or approve and continue"
            )
            raise PmError("nothing_to_resume", run=run_id, reason=reason)
        return await resume_cut_off(app, log, mine, **options)


async def _hand_over(
    app: Application, session: OpenSession, log: TaskLog, result: RunResult
) -> RunResult:
    """Do what is left to do of a run whose verdict stands."""
    from pm_orchestrator.bootstrap.delivery import deliver_again

    again = await deliver_again(app, result.run_id, result)
    raw = "left to do: " + ("; ".join(what.say() for what in again.left_to_do) or "nothing")
    evidence = await app.recorder.record(
        Operation(type="deliver", raw=raw, session_id=session.session_id, task_id=log.task_id)
    )
    end = replace(again, evidence_ids=(*again.evidence_ids, evidence.evidence_id))
    await save_result(app, RunDirectory(app.paths.runs / result.run_id), end)
    return end


def _session_of(app: Application, run_id: str) -> str:
    for session_id in reversed(app.book.session_ids()):
        if run_id in app.book.records(session_id).runs():
            return session_id
    raise PmError("run_unknown", run=run_id)


def _log_of(session: OpenSession, run_id: str) -> TaskLog:
    """The log of the task that the run is the latest of."""
    entries = session.book.entries(session.session_id)
    task = next((e.task_id for e in entries if e.run_id == run_id), None)
    if task is None:
        raise PmError("nothing_to_resume", run=run_id, reason="its task has gone on in a later run")
    return session.book.read(session.session_id, task)
