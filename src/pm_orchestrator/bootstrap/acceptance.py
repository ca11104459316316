"""`accept`: a person settles what keeps a finished task from COMPLETE."""

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.reports import save_report
from pm_orchestrator.bootstrap.sessions import directory_to_itself, ledger_of, owned, sessions_of
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.session import RunTrigger
from pm_orchestrator.evidence.integrity import check
from pm_orchestrator.evidence.open_log import OpenLog
from pm_orchestrator.evidence.task_facts import FactsBook, TaskFacts
from pm_orchestrator.gates.completion import decide
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.runner.acceptance import (
    PERSON,
    granted,
    refuse_unless_incomplete,
    with_acceptance,
)
from pm_orchestrator.runner.open_session import OpenSession
from pm_orchestrator.runner.run_report import evidence_summary
from pm_orchestrator.runner.task_life import Finding, TaskEnd


async def accept_task(
    app: Application,
    any_task_id: str,
    *,
    gate: str | None = None,
    session: OpenSession | None = None,
) -> TaskEnd:
    """Accept what can be accepted of a task, or `gate` of it, and give the verdict again.

    An executor cannot do this for its own work: while one runs, the directory is taken.

    Raises:
        PmError: E210 when there is nothing to accept, E3xx when the records of the task
            are not intact, E402 while an executor works in the project.
    """
    where = session or sessions_of(app).session_of(any_task_id)
    async with directory_to_itself(app, session), owned(app, where) as mine:
        log = mine.book.read(mine.session_id, any_task_id)
        refuse_unless_incomplete(log)
        _refuse_broken_records(app)
        facts_book = FactsBook(app.files, app.paths.claude, app.masker)
        found = facts_book.read(mine.session_id, log.task_id, log.run_id)
        names = granted(log.task_id, found.facts, gate)
        facts = with_acceptance(found.facts, names)
        run_id = app.paths.new_run().run_id
        said = f"accept {', '.join(names)}"
        task = mine.same_task(log, run_id, "", RunTrigger.USER_RESPONSE, said)

        async def work(_: OpenLog) -> Finding:
            outcome = decide(facts)
            artifact = await facts_book.keep(
                TaskFacts(
                    session_id=mine.session_id,
                    task_id=log.task_id,
                    run_id=run_id,
                    facts=facts,
                    claim=found.claim,
                )
            )
            evidence = await app.recorder.record(
                Operation(
                    type="accept",
                    raw=f"{said}\n{outcome.status}: {outcome.reason()}",
                    session_id=mine.session_id,
                    task_id=log.task_id,
                    artifacts=(artifact,),
                    executor_id=PERSON,
                )
            )
            return Finding(
                status=outcome.status,
                reason=outcome.because(),
                changes=facts.changes,
                unlisted_changes=facts.unlisted_changes,
                summary=evidence_summary(outcome, iso(app.clock.now())),
                evidence_ids=(*log.evidence_refs, evidence.evidence_id),
                claim=found.claim,
                gates=facts.gates,
            )

        end = await mine.carry_out(task, ledger_of(app, in_directory=True), work)
        await save_report(app, mine, task, None)
        return end


def _refuse_broken_records(app: Application) -> None:
    """Nothing is accepted on the strength of records that do not hold."""
    report = check(app.paths.claude, app.head_file)
    if not report.intact:
        problem = report.problems[0]
        raise PmError("evidence_invalid", evidence=problem.path, reason=problem.sentence)
