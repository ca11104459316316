"""What a person may accept, and under which name.

Every objection can be accepted that has work or an answer behind it: a person may know
better, and what they take upon themselves is never shown as proved. The name follows from
the objection itself, so that one more kind of objection needs no entry here.
"""

from collections.abc import Callable, Iterable, Iterator

from pm_orchestrator.domain.judging.gate import GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import Facts
from pm_orchestrator.domain.judging.quality import BaseComparison

NAMED_AT_MOST = 10
ASKED, PARTS, TIME = "asked", "parts", "time"
DILUTION, LIMITS, TREE, SECRETS = "dilution", "limits", "tree", "secrets"
ANSWER = "answer"

Objection = tuple[str, dict[str, str]]
"""A reason's key and its parameters."""

NOTHING = frozenset({"nothing_delivered", "nothing_changed", "answer_empty"})
"""Objections that there is no work at all."""
NAMES = {
    "part_incomplete": PARTS,
    "budget_ran_out": TIME,
    "gates_not_judged": TREE,
    "gates_on_other_commit": TREE,
    "gates_changed_tree": TREE,
    "gates_altered": DILUTION,
    "checks_diluted": DILUTION,
    "product_made_for_tests": DILUTION,
    "limits_overrun": LIMITS,
    "secrets_delivered": SECRETS,
    "answer_unsettled": ANSWER,
}


def name_of(objection: Objection) -> str:
    """The name to accept it by: a gate's own, one of `NAMES`, or that of whatever was asked for."""
    key, params = objection
    return params.get("gate") or NAMES.get(key, ASKED)


def doubts(facts: Facts) -> Iterator[Objection]:
    """What the Runner cannot prove either way: it knows of no harm, only that it does not know.

    A part of a larger task that has nothing worse against it may still be merged.
    """
    if is_unsettled(facts):
        yield "answer_unsettled", {"bytes": str(facts.answer_size)}
    if facts.altered_gates:
        yield "gates_altered", {"files": names(facts.altered_gates)}
    made_for_tests = [f for f in facts.dilution or () if f.is_of_product]
    weaker = [f for f in facts.dilution or () if not f.is_of_product]
    if weaker:
        yield "checks_diluted", {"findings": names(finding.say() for finding in weaker)}
    if made_for_tests:
        yield "product_made_for_tests", {"findings": names(f.say() for f in made_for_tests)}
    if facts.violations:
        shown = (f"{v.limit_type} {v.actual_value} > {v.limit_value}" for v in facts.violations)
        yield "limits_overrun", {"limits": names(shown)}
    if facts.secrets:
        yield "secrets_delivered", {"places": names(facts.secrets)}
    if facts.gate_changes:
        yield "gates_changed_tree", {"files": names(facts.gate_changes)}
    if facts.changes or facts.answer_size is None:
        yield from _of_gates(facts)


def is_unsettled(facts: Facts) -> bool:
    """Whether only words came of it, and nobody can tell whether more was wanted."""
    worked = facts.changes or facts.effects
    return facts.unsure and not worked and (facts.answer_size or 0) > 0


def _of_gates(facts: Facts) -> Iterator[Objection]:
    for result in facts.gates.results if facts.gates is not None else ():
        named = {"gate": result.kind}
        if result.verdict is GateVerdict.COULD_NOT_RUN:
            yield result.reason_key or "gate_could_not_run", named
        elif result.verdict is GateVerdict.FAIL:
            beside = comparison_of(facts, result)
            if beside is not None and not beside.told_apart and not beside.unfixed:
                yield "failures_indistinct", named


def failed_gates(facts: Facts) -> Iterator[Objection]:
    """Red gates that say what is wrong: something new is broken, or the task is not done."""
    for result in facts.gates.results if facts.gates is not None else ():
        if result.verdict is not GateVerdict.FAIL:
            continue
        beside = comparison_of(facts, result)
        if beside is None:
            yield "gate_failed", {"gate": result.kind}
        elif beside.new_failures:
            yield (
                "gate_new_failures",
                {"gate": result.kind, "failures": names(beside.new_failures)},
            )
        elif beside.unfixed:
            yield "named_failures_left", {"gate": result.kind, "failures": names(beside.unfixed)}


def comparison_of(facts: Facts, result: GateResult) -> BaseComparison | None:
    """The same gate before the task, where it was asked."""
    return next((c for c in facts.comparisons if c.kind == result.kind), None)


def settled_by_rule(facts: Facts) -> tuple[str, ...]:
    """What would have spoken against the work, were it not as it was before."""
    red = (
        {r.kind for r in facts.gates.results if r.verdict is GateVerdict.FAIL}
        if facts.gates
        else ()
    )
    return tuple(
        f"{c.kind} fails only as before the task ({names(c.left)})"
        for c in facts.comparisons
        if c.settled and c.kind in red
    )


def accepting(facts: Facts) -> Callable[[Objection], bool]:
    """Tells of an objection whether a person has accepted it; of one with nothing behind it, no."""
    return lambda found: name_of(found) in facts.accepted and behind(facts, found)


def behind(facts: Facts, objection: Objection) -> bool:
    """Whether there is work or an answer that a person could take in spite of it."""
    return objection[0] not in NOTHING or facts.words > 0


def names(found: Iterable[str]) -> str:
    """A list for a sentence, cut where it grows long."""
    every = list(found)
    more = f" … (+{len(every) - NAMED_AT_MOST})" if len(every) > NAMED_AT_MOST else ""
    return ", ".join(every[:NAMED_AT_MOST]) + more
