"""`accept`: a person settles what the Runner could not prove either way.

The facts stay as they were found; the acceptance is added to them, and the verdict is
given again by the same rules. So accepting takes away objections one by one, each by its
name, and everything that tells of the task says that a person did so.
"""

from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.session import RunTrigger
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogStatus
from pm_orchestrator.domain.history.task_story import instruction_of
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.judging.outcome import Facts, Reason
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.evidence.records.task_facts import FactsBook, TaskFacts
from pm_orchestrator.gates.judge.completion import decide, open_to_acceptance
from pm_orchestrator.ports.recorder import PERSON, Operation
from pm_orchestrator.runner.project.evidence_checks import damaged
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import (
    directory_to_itself,
    ledger_of,
    owned,
    task_meant,
)
from pm_orchestrator.runner.project.results import (
    report_of,
    result_of,
    save_report,
    save_result,
)
from pm_orchestrator.runner.records.task_run import way_of
from pm_orchestrator.runner.run.run_report import evidence_summary, settling
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.hand_over import deliver_again
from pm_orchestrator.runner.tasks.run_orders import RunOrders
from pm_orchestrator.runner.tasks.seen_again import seen_again


async def accept_task(
    project: Project,
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
    where, task_id = task_meant(project, any_task_id, session)
    async with directory_to_itself(project, session), owned(project, where) as mine:
        log = mine.book.read(mine.session_id, task_id)
        way = way_of(log, project.paths.root)
        refuse_unless_incomplete(log)
        older = _refuse_broken_records(project, log)
        facts_book = FactsBook(project.files, project.paths.claude, project.masker)
        ids = RunIds(session_id=mine.session_id, task_id=log.task_id, run_id=log.run_id)
        found = _facts_of(facts_book, ids, log)
        granted(log.task_id, found.facts, gate)
        seen, notes = found.facts, ()
        if way != "company":
            seen, notes = await seen_again(project, log, found.facts)
        notes = (*older, *notes)
        names = granted(log.task_id, seen, gate)
        facts = with_acceptance(seen, names)
        run_id = project.paths.new_run().run_id
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
            evidence = await project.recorder.record(
                Operation(
                    type="accept",
                    raw=f"{said}\n{outcome.status}: {outcome.reason()}",
                    session_id=mine.session_id,
                    task_id=log.task_id,
                    artifacts=(artifact,),
                    executor_id=PERSON,
                )
            )
            before = result_of(project, log.run_id)
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
                    facts, outcome.status, outcome.because(), iso(project.clock.now())
                ),
                evidence_ids=(*log.evidence_refs, evidence.evidence_id),
                claim=found.claim,
                gates=facts.gates,
                answer=None if before is None else before.answer,
                left_out={} if before is None else before.left_out,
                work=() if before is None else before.work,
                violations=facts.violations,
                notes=notes,
                **settling(facts),
            )
            if way != "company":
                return result
            return await _handed_over(project, log.run_id, result)

        ledger = ledger_of(project, in_directory=way == "solo")
        # Judged and reported it was before; what a person adds leaves it there.
        end = await mine.carry_out(task, ledger, work, phase=Phase.REPORT)
        # Nobody works here: what is there was done by whom the report before names.
        earlier = report_of(project, log.run_id)
        if earlier is not None:
            task = replace(task, executor=earlier.selected_provider or "")
        model = None if earlier is None else earlier.selected_model
        report = await save_report(project, mine, task, model, end)
        end = replace(end, report=report)
        await save_result(project, project.paths.run(run_id), end)
        return end


def _refuse_broken_records(project: Project, log: TaskLog) -> tuple[Reason, ...]:
    """Nothing is accepted on the strength of records that do not hold.

    Damage to other tasks decides nothing here, and is said.
    """
    report = check(project.paths.claude, project.head_file)
    page = Path(log.session_id, "tasks", f"{log.log_id}.json").parts
    own = {None, *log.evidence_refs}
    for problem in report.problems:
        if problem.evidence_id in own or Path(problem.path).parts[-3:] == page:
            raise PmError("evidence_invalid", evidence=problem.path, reason=problem.sentence)
    return damaged([problem.path for problem in report.problems])


def _facts_of(book: FactsBook, ids: RunIds, log: TaskLog) -> TaskFacts:
    try:
        return book.read(ids)
    except PmError as error:
        if error.slug != "artifacts_missing":
            raise
        reason = f"nothing was verified ({log.error_reason})"
        raise PmError("not_acceptable", task=log.task_id, reason=reason) from error


async def _handed_over(project: Project, made_in: str, result: RunResult) -> RunResult:
    """A company's work goes where it would have gone had it been proved."""
    await RunOrders(project).share(made_in, result.run_id)
    return await deliver_again(project, result.run_id, result)


def refuse_unless_incomplete(log: TaskLog) -> None:
    """Only a task that ended as incomplete has something to accept.

    Raises:
        PmError: E210 for any other.
    """
    if log.status is not TaskLogStatus.INCOMPLETE:
        raise PmError("not_acceptable", task=log.task_id, reason=f"it is {log.status}")


def granted(task_id: str, facts: Facts, gate: str | None) -> tuple[str, ...]:
    """The names that this acceptance covers: the one asked for, or all that are open.

    Raises:
        PmError: E210 when there is nothing of that name, or nothing at all, to accept.
    """
    waiting = open_to_acceptance(facts)
    if not waiting:
        raise PmError("not_acceptable", task=task_id, reason=decide(facts).reason().rstrip("."))
    if gate is None:
        return waiting
    if gate not in waiting:
        reason = f"{gate} is not among what can be accepted ({', '.join(waiting)})"
        raise PmError("not_acceptable", task=task_id, reason=reason)
    return (gate,)


def with_acceptance(facts: Facts, names: tuple[str, ...]) -> Facts:
    """The same facts, and what a person accepted."""
    return replace(facts, accepted=tuple(dict.fromkeys((*facts.accepted, *names))))
