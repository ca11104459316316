"""`accept`: a person settles what keeps a finished task from COMPLETE."""

from msgspec.structs import replace

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.reports import result_of, save_report, save_result
from pm_orchestrator.bootstrap.sessions import directory_to_itself, ledger_of, owned, sessions_of
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.session import RunTrigger
from pm_orchestrator.domain.history.task_log import instruction_of
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.evidence.records.task_facts import FactsBook, TaskFacts
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.records.ways import way_of
from pm_orchestrator.runner.run.run_report import evidence_summary
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.acceptance import (
    PERSON,
    granted,
    refuse_unless_incomplete,
    with_acceptance,
)


async def accept_task(
    app: Application,
    any_task_id: str,
    *,
    gate: str | None = None,
    session: OpenSession | None = None,
) -> RunResult:
    """Accept what can be accepted of a task, or `gate` of it, and give the verdict again.

    An executor cannot do this for its own work: while one runs, the directory is taken.

    Raises:
        PmError: E210 when there is nothing to accept, E3xx when the records of the task
            are not intact, E402 while an executor works in the project.
    """
    where = session or sessions_of(app).session_of(any_task_id)
    async with directory_to_itself(app, session), owned(app, where) as mine:
        log = mine.book.read(mine.session_id, any_task_id)
        way = way_of(log, app.paths.root)
        refuse_unless_incomplete(log)
        _refuse_broken_records(app)
        facts_book = FactsBook(app.files, app.paths.claude, app.masker)
        found = facts_book.read(mine.session_id, log.task_id, log.run_id)
        names = granted(log.task_id, found.facts, gate)
        facts = with_acceptance(found.facts, names)
        run_id = app.paths.new_run().run_id
        said = f"accept {', '.join(names)}"
        task = mine.same_task(log, run_id, "", RunTrigger.USER_RESPONSE, said)

        async def work(_: OpenLog) -> RunResult:
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
            before = result_of(app, log.run_id)
            result = RunResult(
                session_id=mine.session_id,
                task_id=log.task_id,
                run_id=run_id,
                ticket_id="" if before is None else before.ticket_id,
                status=outcome.status,
                reason=outcome.because(),
                instruction=instruction_of(log),
                changes=facts.changes,
                unlisted_changes=facts.unlisted_changes,
                summary=evidence_summary(
                    facts, outcome.status, outcome.because(), iso(app.clock.now())
                ),
                evidence_ids=(*log.evidence_refs, evidence.evidence_id),
                claim=found.claim,
                gates=facts.gates,
                work=() if before is None else before.work,
            )
            if way != "company":
                return result
            return await _handed_over(app, log.run_id, result)

        ledger = ledger_of(app, in_directory=way == "solo")
        end = await mine.carry_out(task, ledger, work)
        report = await save_report(app, mine, task, None, end)
        end = replace(end, report=report)
        await save_result(app, RunDirectory(app.paths.runs / run_id), end)
        return end


def _refuse_broken_records(app: Application) -> None:
    """Nothing is accepted on the strength of records that do not hold."""
    report = check(app.paths.claude, app.head_file)
    if not report.intact:
        problem = report.problems[0]
        raise PmError("evidence_invalid", evidence=problem.path, reason=problem.sentence)


async def _handed_over(app: Application, made_in: str, result: RunResult) -> RunResult:
    """A company's work goes where it would have gone had it been proved."""
    from pm_orchestrator.bootstrap.company_orders import CompanyOrders
    from pm_orchestrator.bootstrap.delivery import deliver_again

    await CompanyOrders(app).share(made_in, result.run_id)
    return await deliver_again(app, result.run_id, result)
