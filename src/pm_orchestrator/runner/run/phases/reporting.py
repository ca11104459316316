"""REPORT: the work goes where the user finds it, and what was proved is written down."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pm_orchestrator.domain.company.assignment import AttemptResult
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.judging.outcome import Facts
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.runner.instructions.clarification import answers_in
from pm_orchestrator.runner.places.place import Delivered
from pm_orchestrator.runner.records.execution_record import ask_if_open
from pm_orchestrator.runner.records.task_report import PART_STATUS
from pm_orchestrator.runner.run.examined import Examined, kept_attempts
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.run_report import (
    evidence_summary,
    part_closing,
    settling,
    work_result,
)
from pm_orchestrator.runner.run.steps import DeliverInput, ReportInput, RunEnd, WorkDone

if TYPE_CHECKING:
    from pm_orchestrator.runner.run.phases.backlog import Backlog

RESULT = "result"
PutForward = Callable[[RunResult], Awaitable[None]]
"""Puts a finished run before a person, for review."""


class Reporting:
    """The bodies of the last phase."""

    def __init__(
        self,
        parts: RunParts,
        put_forward: PutForward | None = None,
        backlog: "Backlog | None" = None,
    ) -> None:
        self._parts = parts
        self._put_forward = put_forward
        self._backlog = backlog

    async def deliver(self, given: DeliverInput) -> Delivered:
        """Bring the tree to where the user finds it; only what is COMPLETE goes any further."""
        complete = given.verdict.status is TaskStatus.COMPLETE
        return await self._parts.place.deliver(given.integration.tree, complete=complete)

    async def report(self, given: ReportInput) -> RunEnd:
        """Write the result, and put a finished one before a person."""
        parts = self._parts
        examined = {w.sub_task.ticket: self._attempts(w) for w in given.work}
        facts = parts.kept.read(Facts, given.verdict.facts)
        if len(given.work) == 1:
            last = next((e[-1] for e in examined.values() if e), None)
            if last is not None:
                answers = answers_in(parts.log.log.events)
                ask_if_open(last.result, given.verdict.status, facts, answers)
        result = self._result(given, facts, examined)
        if self._put_forward is not None and result.review_id is not None:
            await self._put_forward(result)
        await self._settle_tickets(given)
        await self._close_parts(given, examined, result)
        return RunEnd(status=result.status, result=await parts.kept.keep(RESULT, result))

    def _attempts(self, work: WorkDone) -> list[Examined]:
        """What was claimed and found, attempt by attempt, as far as it was examined."""
        last = max(work.attempts, default=0)
        found = kept_attempts(self._parts.kept, work.sub_task.ticket, last)
        if not found and work.examined is not None:
            # Delivered by an earlier run of the task.
            found.append(self._parts.kept.read(Examined, work.examined.facts))
        return [self._impersonal(seen) for seen in found]

    def _impersonal(self, seen: Examined) -> Examined:
        """As a report may repeat it; the answer itself is kept with the addresses in it."""
        claim = seen.result.claim
        words = self._parts.masker.for_log_events().mask(claim.summary).text
        return replace(seen, result=replace(seen.result, claim=replace(claim, summary=words)))

    def _result(
        self, given: ReportInput, facts: Facts, examined: dict[str, list[Examined]]
    ) -> RunResult:
        parts, order, verdict = self._parts, self._parts.order, given.verdict
        attempts = [e for found in examined.values() for e in found]
        complete = verdict.status is TaskStatus.COMPLETE
        delivered = given.delivered
        only = attempts[-1] if attempts and len(given.work) == 1 else None
        return RunResult(
            session_id=order.session_id,
            task_id=order.task_id,
            run_id=order.run_id,
            ticket_id=order.ticket,
            status=verdict.status,
            reason=verdict.reason,
            instruction=parts.masker.mask(order.instruction).text,
            changes=facts.changes,
            unlisted_changes=facts.unlisted_changes,
            summary=evidence_summary(
                facts, verdict.status, verdict.reason, iso(parts.clock.now()), verdict.notes
            ),
            claim=None if only is None else only.result.claim,
            gates=facts.gates,
            findings=(*given.findings, *(f for e in attempts for f in e.findings)),
            answer=None if only is None else only.answer,
            branch=delivered.branch,
            commit=facts.commit if delivered.branch is not None else None,
            left_out=given.integration.left_out,
            work=tuple(
                work_result(order.run_id, w, examined[w.sub_task.ticket], given.integration)
                for w in given.work
            )
            if parts.place.splits
            else (),
            review_id=(
                f"review-{order.run_id}" if complete and delivered.branch is not None else None
            ),
            unenforced_limits=_unenforced(e.result for e in attempts),
            kept_refs=delivered.kept_refs,
            left_to_do=delivered.left_to_do,
            notes=(*order.notes, *verdict.notes),
            violations=facts.violations,
            **settling(facts),
        )

    async def _settle_tickets(self, given: ReportInput) -> None:
        if self._backlog is None:
            return
        for work in given.work:
            merged = work.sub_task.ticket in given.integration.merged
            proved = work.examined is not None and work.examined.status is TaskStatus.COMPLETE
            # What is in the result but not proved waits for a person.
            state = "todo" if not merged else "done" if proved else "review"
            await self._backlog.put(work.sub_task, state)

    async def _close_parts(
        self, given: ReportInput, examined: dict[str, list[Examined]], result: RunResult
    ) -> None:
        """The log of each part says what was found of it, as the task's own does of the whole."""
        logs = None if self._backlog is None else self._backlog.logs
        if logs is None:
            return
        now = iso(self._parts.clock.now())
        for work, said in zip(given.work, result.work, strict=True):
            ticket = work.sub_task.ticket
            last = next(reversed(examined[ticket]), None)
            done = ("attempt", "examine")
            steps = [f"{ticket}/{step}/{number}" for number in work.attempts for step in done]
            status = PART_STATUS[said.status]
            why = " ".join(said.errors) or None
            await logs.ended(
                work.sub_task,
                status,
                why or "it was not delivered",
                (*steps, f"{ticket}/merge", f"{ticket}/check"),
                **({} if last is None else part_closing(last, status, why, now)),
            )


def _unenforced(results: Iterable[AttemptResult]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for r in results for name in r.unenforced_limits))
