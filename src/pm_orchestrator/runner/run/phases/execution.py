"""EXECUTION and QA of one sub-task: have it done, then find out what is true."""

from typing import TYPE_CHECKING

from pm_orchestrator.domain.company.assignment import NOBODY, Assignment, AttemptResult
from pm_orchestrator.domain.history.log_contents import ExecutorOutput, contents
from pm_orchestrator.domain.history.run_events import ExaminedDetail, ExaminedEvent, GateEvent
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.gate import GateReport, GateVerdict
from pm_orchestrator.domain.judging.outcome import Facts
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.records.answer_book import KeptAnswer
from pm_orchestrator.gates.judge.asked_gates import run_page
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.gates.judge.executor_output import review_claim
from pm_orchestrator.gates.judge.hard_limits import MeasuredUse, used_together
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.places.place import Seen
from pm_orchestrator.runner.records.execution_record import said_by
from pm_orchestrator.runner.run.examined import Examined, examination, kept_as, kept_attempts
from pm_orchestrator.runner.run.facts import (
    KnownElsewhere,
    Quality,
    Wanted,
    facts_of,
    wanted_of_part,
    wanted_of_task,
)
from pm_orchestrator.runner.run.phases.observing import observe
from pm_orchestrator.runner.run.phases.oddities import (
    edited_tests,
    log_findings,
    noted_findings,
    unasked,
)
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import Analysis, Examination, ExamineInput

if TYPE_CHECKING:
    from pm_orchestrator.runner.run.phases.backlog import Backlog

MOST_COMMITS = 100


class Execution:
    """The bodies of one attempt: having it done, and examining it."""

    def __init__(self, parts: RunParts, backlog: "Backlog | None" = None) -> None:
        self._parts = parts
        self._backlog = backlog

    async def attempt(self, assignment: Assignment) -> AttemptResult:
        """Have it done; what comes back is a claim."""
        if self._backlog is not None:
            await self._backlog.put(assignment.sub_task, "doing")
        return await self._parts.place.attempt(assignment)

    async def examine(self, given: ExamineInput) -> Examination:
        """Look at what was delivered. The claim says where to look, never what is there."""
        parts, result = self._parts, given.result
        started = iso(parts.clock.now())
        ticket, attempt = given.assignment.sub_task.ticket, given.assignment.attempt
        facts, findings, answer = await self._facts(given)
        outcome = decide(facts)
        name = await parts.kept.keep(
            kept_as(ticket, attempt),
            Examined(
                result=result,
                outcome=outcome,
                commits=(await parts.place.commits(facts.commit))[:MOST_COMMITS],
                speculative=not review_claim(result.claim).accepted,
                started_at=started,
                ended_at=iso(parts.clock.now()),
                findings=findings,
                answer=None if answer is None else str(answer.path),
            ),
        )
        if outcome.status is TaskStatus.COMPLETE:
            parts.accepted.append(ticket)
        if parts.place.splits:
            found = ExaminedDetail(
                attempt=attempt,
                status=outcome.status,
                reason=outcome.reason(),
                claim=result.claim.summary,
            )
            await parts.events.publish(ExaminedEvent(subject=ticket, detail=found))
        return examination(outcome, name, result)

    async def _facts(
        self, given: ExamineInput
    ) -> tuple[Facts, tuple[OddFinding, ...], KeptAnswer | None]:
        parts, analysis, result = self._parts, given.analysis, given.result
        requirement = parts.requirement(analysis)
        wanted = (
            wanted_of_task(requirement)
            if given.whole
            else wanted_of_part(requirement, given.assignment.sub_task)
        )
        claimed = tuple(parts.place.named(path) for path in result.claim.claimed_files)
        # What an attempt added nothing to is still what the one before delivered.
        tree = result.commit or given.assignment.start
        if given.assignment.answers and parts.place.splits:
            tree = None
        asked = dict.fromkeys((*wanted.expected_files, *claimed))
        asked |= dict.fromkeys((*wanted.files_to_go, *wanted.files_to_change))
        seen = await parts.place.look(tree, tuple(asked), wanted.modes)
        if seen.changes and parts.place.splits:
            ticket = given.assignment.sub_task.ticket
            await parts.events.publish(GateEvent(subject=ticket))
        used = used_together((*self._earlier(given), _usage(result)))
        quality = await parts.judge().examine(
            wanted, seen, analysis.gates, used, self._on_base(analysis)
        )
        findings = await self._findings(wanted, seen, quality)
        observed = await observe(parts.place, wanted, seen, analysis.refs)
        worked = bool(seen.changes or observed.met)
        answer = None
        # Words are no change, but where there is nothing else a person may take them for one.
        if requirement.wants_answer or (given.whole and not worked):
            answer = await self._answer(requirement, result, quality.report)
        besides = KnownElsewhere(
            claimed=claimed,
            budget_seconds=(parts.settings.task_limits.seconds if result.out_of_budget else None),
            answer_size=0 if answer is None else answer.size,
            effects=observed.met,
            unmet=observed.unmet,
            blank=observed.blank,
            shortfalls=observed.shortfalls,
        )
        facts = facts_of(wanted, seen, quality, analysis.gates, besides)
        return facts, findings, answer

    def _earlier(self, given: ExamineInput) -> tuple[MeasuredUse, ...]:
        """What the attempts before this one used, in whichever run of the task."""
        parts, result = self._parts, given.result
        if not parts.place.splits:
            ended = [_logged(output) for output in contents(parts.log.log.events, ExecutorOutput)]
            # Whoever has just ended is in the log already.
            return tuple(ended if result.worker == NOBODY else ended[:-1])
        return tuple(
            _usage(found.result)
            for found in kept_attempts(parts.kept, result.ticket, result.attempt - 1)
        )

    def _on_base(self, analysis: Analysis) -> GateReport | None:
        if analysis.on_base is None:
            return None
        return self._parts.kept.read(GateReport, analysis.on_base)

    async def _findings(
        self, wanted: Wanted, seen: Seen, quality: Quality
    ) -> tuple[OddFinding, ...]:
        """What was odd; proof of nothing."""
        # Where nothing was delivered and no gate ran, the look before was only just now.
        gated = any(r.verdict is not GateVerdict.ABSENT for r in quality.report.results)
        late = await self._parts.place.written_since(seen) if gated or seen.changes else ()
        edited = edited_tests(seen.changes, quality.dilution or ()) if seen.changes else ()
        odd = (*unasked(seen.findings, wanted), *late, *edited)
        if odd:
            await self._parts.note("odd_findings", noted_findings(odd))
            await log_findings(self._parts.log, odd)
        return odd

    async def _answer(
        self, requirement: Requirement, result: AttemptResult, report: GateReport
    ) -> KeptAnswer | None:
        if result.worker == NOBODY:
            said = run_page(report, requirement.asked_gates)
        else:
            said = said_by(result)
        kept = await self._parts.answers.keep(self._parts.order, said, result.attempt)
        if kept is not None:
            await self._parts.note("answer", f"{kept.size} bytes", kept.artifact)
        return kept


def _logged(output: ExecutorOutput) -> MeasuredUse:
    return MeasuredUse(
        tokens=output.tokens_used or None,
        characters=output.characters or None,
        turns=output.turns or None,
        seconds=output.seconds or None,
    )


def _usage(result: AttemptResult) -> MeasuredUse:
    claim = result.claim
    return MeasuredUse(
        tokens=claim.tokens or None,
        characters=result.characters,
        turns=claim.turns or None,
        seconds=result.seconds,
        stopped=result.out_of_budget,
    )
