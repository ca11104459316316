"""EXECUTION: hand an attempt to a worker over the bus, then find out what is true."""

import msgspec

from pm_orchestrator.dispatch.pool import WorkerPool
from pm_orchestrator.domain.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.outcome import ExecutorClaim, Facts, rightly_gone
from pm_orchestrator.gates.completion import decide
from pm_orchestrator.gates.detection import altered_gates, applicable
from pm_orchestrator.gates.executor_output import review_claim
from pm_orchestrator.runner.clean_checkout import CleanCheckout
from pm_orchestrator.runner.run_parts import RunParts
from pm_orchestrator.runner.steps import Examination, ExamineInput


class Execution:
    """The bodies of one attempt: dispatch and examination."""

    def __init__(self, parts: RunParts, pool: WorkerPool, checkout: CleanCheckout) -> None:
        self._parts = parts
        self._pool = pool
        self._checkout = checkout

    async def attempt(self, assignment: Assignment) -> AttemptResult:
        """Wait for a free worker and for what it has to say."""
        ticket = assignment.sub_task.ticket
        await self._parts.events.publish(
            "worker", ticket, state="queued", attempt=assignment.attempt
        )
        reply = await self._pool.assign(
            {"work": msgspec.to_builtins(assignment)}, key=f"{ticket}/{assignment.attempt}"
        )
        if reply.type == "task_complete":
            return msgspec.convert(reply.payload["result"], AttemptResult, strict=True)
        # A worker that broke down has delivered nothing. The others go on.
        reason = str(reply.payload.get("what", "the worker broke down"))
        await self._parts.events.publish("worker", ticket, state="failed", text=reason)
        await self._parts.logs.line("errors.log", f"{ticket} {reason}")
        return AttemptResult(
            ticket=ticket,
            attempt=assignment.attempt,
            worker=reply.sender,
            claim=ExecutorClaim(kind="failed", summary=reason),
            commit=None,
            rescue_ref=None,
            conversation="",
        )

    async def examine(self, given: ExamineInput) -> Examination:
        """Look at what was delivered. The claim says where to look, never what is there."""
        started = iso(self._parts.clock.now())
        ticket = given.assignment.sub_task.ticket
        facts = await self._facts(given)
        outcome = decide(facts)
        review = review_claim(given.result.claim)
        commit = facts.commit
        await self._parts.events.publish(
            "examined",
            ticket,
            attempt=given.assignment.attempt,
            status=outcome.status,
            reason=outcome.reason(),
            claim=given.result.claim.summary,
        )
        return Examination(
            outcome=outcome,
            commits=await self._parts.repository.commits(given.base, commit) if commit else (),
            speculative=not review.accepted,
            started_at=started,
            ended_at=iso(self._parts.clock.now()),
        )

    async def _facts(self, given: ExamineInput) -> Facts:
        sub_task = given.assignment.sub_task
        expected = sub_task.expected_files
        delivered = given.result.commit or _earlier(given.assignment, given.base)
        if delivered is None or not await self._parts.repository.descends(delivered, given.base):
            missing = tuple(dict.fromkeys((*expected, *given.result.claim.claimed_files)))
            return Facts(
                commit=None, changes=(), expected_files=expected, missing_files=missing, gates=None
            )
        changes = await self._parts.repository.changes(given.base, delivered)
        gone = rightly_gone(changes, expected)
        wanted = dict.fromkeys((*expected, *given.result.claim.claimed_files))
        missing = [
            path
            for path in wanted
            if path not in gone and await self._parts.repository.read(delivered, path) is None
        ]
        report = None
        if changes and not missing:
            gates = applicable(given.gates, changes)
            await self._parts.events.publish("gate", sub_task.ticket, state="running")
            report = await self._checkout.check(delivered, gates, label=sub_task.ticket)
        return Facts(
            commit=delivered,
            changes=changes,
            expected_files=expected,
            missing_files=tuple(missing),
            gates=report,
            altered_gates=altered_gates(given.gates, changes, expected),
        )


def _earlier(assignment: Assignment, base: str) -> str | None:
    """What a previous attempt delivered, when this one added nothing."""
    return assignment.start if assignment.start != base else None
