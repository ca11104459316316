"""The verdict on a piece of work, and the only place that gives one.

It is a pure function of what the Runner established itself. What the executor
says about its work is not among the arguments, so no claim can raise a status.
Whatever is not known counts against completion.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import PurePosixPath

from pm_orchestrator.domain.catalogue.reasons import known_objection
from pm_orchestrator.domain.judging.outcome import Facts, FileChange, Reason, VerifiedOutcome
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.gates.judge.acceptable import (
    Objection,
    accepting,
    behind,
    doubts,
    failed_gates,
    is_unsettled,
    name_of,
    names,
    settled_by_rule,
)
from pm_orchestrator.gates.judge.asked_gates import asked_objections, asked_runs

# Files whose whole meaning is that they exist.
EMPTY_BY_NATURE = frozenset({"__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll"})


def decide(facts: Facts) -> VerifiedOutcome:
    """The status that `facts` prove, with the first reason against COMPLETE.

    What a person has accepted no longer speaks against it, and is not called proved.
    """
    if facts.missing_evidence:
        return VerifiedOutcome(
            status=TaskStatus.NO_EVIDENCE,
            reason_key="evidence_missing",
            reason_params={"operations": names(facts.missing_evidence)},
            facts=facts,
        )
    objection = next(_standing(facts), None)
    key, params = objection or _proof(facts)
    if objection is not None:
        known_objection(key)
    return VerifiedOutcome(
        status=TaskStatus.COMPLETE if objection is None else TaskStatus.INCOMPLETE,
        reason_key=key,
        reason_params=params,
        facts=facts,
    )


def open_to_acceptance(facts: Facts) -> tuple[str, ...]:
    """The names a person could accept now; none without evidence, or with nothing behind it."""
    standing = tuple(_standing(facts))
    if facts.missing_evidence or not all(behind(facts, found) for found in standing):
        return ()
    return tuple(dict.fromkeys(map(name_of, standing)))


def accepted_by_person(facts: Facts) -> tuple[str, ...]:
    """The names that a person's word stands for instead of a proof."""
    return tuple(dict.fromkeys(map(name_of, filter(accepting(facts), _every(facts)))))


def not_proved(facts: Facts) -> tuple[Reason, ...]:
    """All that speaks against the work, accepted or not."""
    found: list[Reason] = []
    for key, params in _every(facts):
        reason = Reason(key=key, params=params)
        if reason not in found:
            found.append(reason)
    return tuple(found)


def only_doubted(facts: Facts) -> bool:
    """Whether nothing is known to be wrong with the work, though it is not proved."""
    return not facts.missing_evidence and next(_objections(facts), None) is None


def _every(facts: Facts) -> Iterator[Objection]:
    """The most telling first: what is known to be wrong, then what is not known."""
    return chain(_objections(facts), doubts(facts))


def _standing(facts: Facts) -> Iterator[Objection]:
    accepted = accepting(facts)
    return (found for found in _every(facts) if not accepted(found))


def _proof(facts: Facts) -> Objection:
    if accepted := accepted_by_person(facts):
        return "accepted", {"names": names(accepted)}
    if facts.asked_gates and not facts.changes:
        return "asked_gates_passed", {"runs": asked_runs(facts)}
    if facts.answer_size is not None and not facts.changes and not facts.unsure:
        return "answer_stored", {"bytes": str(facts.answer_size)}
    count = str(len(facts.changes) + facts.unlisted_changes)
    if by := settled_by_rule(facts):
        return "all_settled", {"count": count, "settled": "; ".join(by)}
    if facts.effects:
        return "effects_proved", {"count": count, "effects": names(e.say() for e in facts.effects)}
    return "all_proved", {"count": count}


def _objections(facts: Facts) -> Iterator[Objection]:
    """What is known to be wrong, the most telling first."""
    if facts.left_out:
        ticket, why = next(iter(facts.left_out.items()))
        yield "part_incomplete", {"ticket": ticket, "why": why.say()}
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
    yield from _stated_objections(facts)
    if facts.changes or facts.answer_size is None:
        yield from _gate_objections(facts)


def _file_objections(facts: Facts) -> Iterator[Objection]:
    found = {
        "files_missing": facts.missing_files,
        "files_left_alone": facts.left_alone,
        "files_unchanged": facts.unchanged_files,
        "files_empty": _empty_files(facts),
        "only_words_changed": facts.only_words,
    }
    for key, files in found.items():
        if files:
            yield key, {"files": names(files)}


def _stated_objections(facts: Facts) -> Iterator[Objection]:
    """What was asked for in so many words."""
    for shortfall in facts.shortfalls:
        yield shortfall.key, shortfall.params
    if facts.unmet:
        yield "effects_missing", {"effects": names(effect.say() for effect in facts.unmet)}


def _gate_objections(facts: Facts) -> Iterator[Objection]:
    if facts.gates is None:
        yield "gates_not_judged", {}
    elif facts.commit is not None and facts.gates.commit != facts.commit:
        judged, delivered = facts.gates.commit[:12], facts.commit[:12]
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
