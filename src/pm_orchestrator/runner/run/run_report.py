"""What a result says about the work, made from recorded facts alone. Pure."""

from collections.abc import Iterator
from typing import TypedDict

from msgspec.structs import replace

from pm_orchestrator.domain.history.report import (
    Refusal,
    RunResult,
    Spent,
    WorkResult,
    quality_gates,
    work_status,
)
from pm_orchestrator.domain.judging.outcome import Facts, Reason
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary, VerifiedFile
from pm_orchestrator.domain.tasks.status import ACCEPTED, TaskStatus
from pm_orchestrator.evidence.records.open_log import Closing
from pm_orchestrator.gates.judge.completion import (
    accepted_by_person,
    not_proved,
    open_to_acceptance,
)
from pm_orchestrator.runner.records.left_work import artifact_list
from pm_orchestrator.runner.records.task_moments import moments
from pm_orchestrator.runner.run.examined import Examined
from pm_orchestrator.runner.run.steps import Integration, WorkDone


def work_result(
    run_id: str, work: WorkDone, attempts: list[Examined], integration: Integration
) -> WorkResult:
    """What became of one sub-task, claims beside facts: only what is in the result succeeded."""
    ticket = work.sub_task.ticket
    left_out = integration.left_out.get(ticket)
    last = attempts[-1] if attempts else None
    facts = None if last is None else last.outcome.facts
    gates = quality_gates(None if facts is None else facts.gates)
    status = TaskStatus.ERROR if work.failure is not None else TaskStatus.INCOMPLETE
    if last is not None and left_out is None:
        status = last.outcome.status
    return WorkResult(
        run_id=run_id,
        ticket_id=ticket,
        agent_id="" if last is None else last.result.worker,
        title=work.sub_task.title,
        status=work_status(status, gates),
        start_time=attempts[0].started_at if attempts else "",
        end_time="" if last is None else last.ended_at,
        artifacts=() if facts is None else facts.changes,
        git_branch=work.branch,
        commits=() if last is None else last.commits,
        quality_gates=gates,
        errors=_errors(left_out, last),
        refusals=tuple(
            Refusal(attempt=e.result.attempt, claim=e.result.claim, reason=e.outcome.because())
            for e in attempts
            if e.outcome.status is not TaskStatus.COMPLETE
        ),
        conversation_turns=sum(e.result.claim.turns for e in attempts),
        tokens_used=sum(e.result.claim.tokens for e in attempts),
    )


def _errors(left_out: Reason | None, last: Examined | None) -> tuple[str, ...]:
    if left_out is not None:
        return (left_out.say(),)
    if last is not None and last.outcome.status is not TaskStatus.COMPLETE:
        return (last.outcome.reason(),)
    return ()


def evidence_summary(
    facts: Facts,
    status: TaskStatus,
    reason: Reason,
    seen_at: str,
    notes: tuple[Reason, ...] = (),
) -> EvidenceSummary:
    """What the Runner looked for and what it found."""
    missing = set(facts.missing_files)
    changed = {c.path: c.kind != "deleted" for c in facts.changes}
    verified = tuple(
        VerifiedFile(path=path, exists=exists, detected_at=seen_at, detection_method="diff")
        for path, exists in changed.items()
    ) + tuple(
        VerifiedFile(
            path=path, exists=False, detected_at=seen_at, detection_method="executor_claim"
        )
        for path in facts.missing_files
        if path not in changed
    )
    return EvidenceSummary(
        files_expected=facts.expected_files,
        files_verified=tuple(f for f in facts.expected_files if f not in missing),
        files_missing=facts.missing_files,
        # A person's word is no verification.
        verification_passed=status is TaskStatus.COMPLETE and not accepted_by_person(facts),
        verification_reason=" ".join(r.say() for r in (reason, *notes)),
        verified_files=verified,
    )


def part_closing(found: Examined, status: TaskStatus, why: str | None, now: str) -> Closing:
    """What the log of a part ends with."""
    facts, outcome = found.outcome.facts, found.outcome
    reason = outcome.because()
    summary = evidence_summary(facts, status, reason, now)
    if why is not None:
        summary = replace(summary, verification_reason=why)
    ran = facts.gates.results if facts.gates is not None else ()
    return Closing(
        evidence_refs=tuple(r.evidence_id for r in ran if r.evidence_id is not None),
        artifacts=artifact_list(facts.changes, facts.expected_files),
        verified_files=summary.verified_files,
        evidence_summary=summary,
        runner_decision="accept" if status is TaskStatus.COMPLETE else "reject",
        executor_summary=found.result.claim.summary,
        moments=moments(
            status, facts.changes, summary, facts.gates, unlisted=facts.unlisted_changes
        ),
    )


class PersonsSay(TypedDict):
    """What a person may do about a verdict, and what they did."""

    not_proved: tuple[Reason, ...]
    acceptable: tuple[str, ...]
    accepted: tuple[str, ...]


def settling(facts: Facts) -> PersonsSay:
    """The same for everybody who tells the end of a task."""
    return PersonsSay(
        not_proved=not_proved(facts),
        acceptable=open_to_acceptance(facts),
        accepted=accepted_by_person(facts),
    )


def _shares(result: RunResult) -> Iterator[tuple[str, Spent]]:
    """What was spent in all, and each agent's part of it."""
    if result.spent.tokens:
        yield "all agents", result.spent
    yield from result.spent.agents.items()


def summary_page(result: RunResult) -> str:
    """`summary.md`: the result for people."""
    word = ACCEPTED if result.is_accepted else result.status
    lines = [f"# {result.run_id}: {word}", "", result.instruction, ""]
    lines += [result.reason.say(), ""]
    lines += [f"- not proved: {reason.say()}" for reason in result.not_proved]
    lines += [f"- branch `{result.branch}` at `{result.commit}`"] if result.branch else []
    for work in result.work:
        lines.append(f"- {work.ticket_id} {work.title}: {work.status}")
        lines += [
            f'  - attempt {r.attempt} claimed "{r.claim.summary}"; refused: {r.reason.say()}'
            for r in work.refusals
        ]
    lines += [f"- not done: {t}: {why.say()}" for t, why in result.left_out.items()]
    lines += [f"- kept aside: `{ref}`" for ref in result.kept_refs]
    lines += [f"- left to do: {what.say()}" for what in result.left_to_do]
    lines += [f"- note: {note.say()}" for note in result.notes]
    lines += [f"- spent by {name}: {share.tokens:,} tokens" for name, share in _shares(result)]
    return "\n".join(lines) + "\n"
