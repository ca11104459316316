"""The verdict on a piece of work, and the only place that gives one.

It is a pure function of what the Runner established itself. What the executor
says about its work is not among the arguments, so no claim can raise a status.
Whatever is not known counts against completion.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import PurePosixPath

from msgspec.structs import replace

from pm_orchestrator.domain.judging.outcome import Facts, FileChange, Reason, VerifiedOutcome
from pm_orchestrator.domain.tasks.status import TaskStatus, aggregate
from pm_orchestrator.gates.judge.acceptable import (
    Objection,
    acceptable_objections,
    failed_gates,
    is_unsettled,
    names,
    open_to_acceptance,
    settled,
)
from pm_orchestrator.gates.judge.asked_gates import asked_objections, asked_runs

# Files whose whole meaning is that they exist.
EMPTY_BY_NATURE = frozenset({"__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll"})


def decide(facts: Facts) -> VerifiedOutcome:
    """The status that `facts` prove, with the first reason against COMPLETE."""
    if facts.missing_evidence:
        return VerifiedOutcome(
            status=TaskStatus.NO_EVIDENCE,
            reason_key="evidence_missing",
            reason_params={"operations": names(facts.missing_evidence)},
            facts=facts,
        )
    waiting = (o for name, o in acceptable_objections(facts) if name not in facts.accepted)
    objection = next(chain(_objections(facts), waiting), None)
    key, params = objection or _proof(facts)
    return VerifiedOutcome(
        status=TaskStatus.COMPLETE if objection is None else TaskStatus.INCOMPLETE,
        reason_key=key,
        reason_params=params,
        facts=facts,
    )


def acceptable(facts: Facts) -> bool:
    """Whether nothing speaks against the work but what a person may accept."""
    waiting = open_to_acceptance(facts)
    accepted = replace(facts, accepted=(*facts.accepted, *waiting))
    return bool(waiting) and decide(accepted).status is TaskStatus.COMPLETE


def combine(whole: VerifiedOutcome, parts: Mapping[str, Reason | None]) -> VerifiedOutcome:
    """The verdict on a run: the whole, held back by every part that is not in it.

    `parts` says for each ticket why it is not done, or None. A part can only lower
    the verdict: what the whole does not prove, no number of good parts proves.
    """
    open_parts = [(ticket, why) for ticket, why in parts.items() if why is not None]
    status = aggregate([whole.status, *(TaskStatus.INCOMPLETE for _ in open_parts)])
    if status is whole.status and (status is not TaskStatus.INCOMPLETE or not open_parts):
        return whole
    ticket, why = open_parts[0]
    return VerifiedOutcome(
        status=status,
        reason_key="part_incomplete",
        reason_params={"ticket": ticket, "why": why.say()},
        facts=whole.facts,
    )


def _proof(facts: Facts) -> Objection:
    if facts.asked_gates and not facts.changes:
        return "asked_gates_passed", {"runs": asked_runs(facts)}
    if facts.answer_size is not None and not facts.changes and not facts.unsure:
        return "answer_stored", {"bytes": str(facts.answer_size)}
    count = str(len(facts.changes) + facts.unlisted_changes)
    if by := settled(facts):
        return "all_settled", {"count": count, "settled": "; ".join(by)}
    if facts.effects:
        return "effects_proved", {"count": count, "effects": names(e.say() for e in facts.effects)}
    return "all_proved", {"count": count}


def _objections(facts: Facts) -> Iterator[Objection]:
    """What nobody can accept, the most telling first."""
    if facts.budget_seconds is not None:
        yield "budget_ran_out", {"seconds": str(facts.budget_seconds)}
    yield from asked_objections(facts)
    if is_unsettled(facts):
        # An answer may be all that was wanted; only a person can say.
        return
    if facts.answer_size is not None:
        if facts.answer_size <= 0:
            yield "answer_empty", {}
    elif facts.commit is None:
        yield "nothing_delivered", {}
    elif not facts.changes and not facts.effects:
        yield "nothing_changed", {}
    yield from _file_objections(facts)
    if facts.unmet:
        yield "effects_missing", {"effects": names(effect.say() for effect in facts.unmet)}
    if facts.changes or facts.answer_size is None:
        yield from _gate_objections(facts)


def _file_objections(facts: Facts) -> Iterator[Objection]:
    found = {
        "files_missing": facts.missing_files,
        "files_left_alone": facts.left_alone,
        "files_unchanged": facts.unchanged_files,
        "files_empty": _empty_files(facts),
    }
    for key, files in found.items():
        if files:
            yield key, {"files": names(files)}


def _gate_objections(facts: Facts) -> Iterator[Objection]:
    if facts.gates is None:
        yield "gates_not_judged", {}
    elif facts.gates.commit != facts.commit:
        judged, delivered = facts.gates.commit[:12], (facts.commit or "-")[:12]
        yield "gates_on_other_commit", {"judged": judged, "delivered": delivered}
    yield from failed_gates(facts)


def _empty_files(facts: Facts) -> list[str]:
    """Files without content: each that was asked for, and all where there is nothing else."""
    hollow = [change.path for change in facts.changes if _is_hollow(change, facts)]
    every = len(hollow) == len(facts.changes) + facts.unlisted_changes
    if every and not facts.effects and facts.answer_size is None:
        return hollow
    expected = set(facts.expected_files)
    return [path for path in hollow if path in expected]


def _is_hollow(change: FileChange, facts: Facts) -> bool:
    return (
        change.kind != "deleted"
        and (change.size == 0 or change.path in facts.blank_files)
        and change.path not in facts.may_be_empty
        and PurePosixPath(change.path).name not in EMPTY_BY_NATURE
    )
