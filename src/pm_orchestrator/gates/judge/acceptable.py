"""What a person may accept, and under which name.

A gate that could not run, failures that cannot be told apart from older ones, weaker
checks, an overrun limit, a key in a file, a tree that a gate itself changed: here the
Runner cannot prove harm, only that it does not know. A missing file, a new failure and
missing evidence are not among them; nobody's word puts those right.
"""

from collections.abc import Iterable, Iterator

from pm_orchestrator.domain.judging.gate import GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import Facts
from pm_orchestrator.domain.judging.quality import BaseComparison

NAMED_AT_MOST = 10
DILUTION, LIMITS, TREE, SECRETS = "dilution", "limits", "tree", "secrets"
ANSWER = "answer"

Objection = tuple[str, dict[str, str]]
"""A reason's key and its parameters."""


def acceptable_objections(facts: Facts) -> Iterator[tuple[str, Objection]]:
    """What speaks against COMPLETE until a person accepts it, with the name to accept it by."""
    if is_unsettled(facts):
        yield ANSWER, ("answer_unsettled", {"bytes": str(facts.answer_size)})
    if facts.altered_gates:
        yield DILUTION, ("gates_altered", {"files": names(facts.altered_gates)})
    if facts.dilution:
        findings = names(finding.say() for finding in facts.dilution)
        yield DILUTION, ("checks_diluted", {"findings": findings})
    if facts.violations:
        shown = (f"{v.limit_type} {v.actual_value} > {v.limit_value}" for v in facts.violations)
        yield LIMITS, ("limits_overrun", {"limits": names(shown)})
    if facts.secrets:
        yield SECRETS, ("secrets_delivered", {"places": names(facts.secrets)})
    if facts.gate_changes:
        yield TREE, ("gates_changed_tree", {"files": names(facts.gate_changes)})
    if facts.changes or facts.answer_size is None:
        yield from _of_gates(facts)


def is_unsettled(facts: Facts) -> bool:
    """Whether only words came of it, and nobody can tell whether more was wanted."""
    worked = facts.changes or facts.effects
    return facts.unsure and not worked and (facts.answer_size or 0) > 0


def _of_gates(facts: Facts) -> Iterator[tuple[str, Objection]]:
    for result in facts.gates.results if facts.gates is not None else ():
        named = {"gate": result.kind}
        if result.verdict is GateVerdict.COULD_NOT_RUN:
            yield result.kind, (result.reason_key or "gate_could_not_run", named)
        elif result.verdict is GateVerdict.FAIL:
            beside = comparison_of(facts, result)
            if beside is not None and not beside.told_apart and not beside.unfixed:
                yield result.kind, ("failures_indistinct", named)


def failed_gates(facts: Facts) -> Iterator[Objection]:
    """Red gates that nobody can accept: something new is broken, or the task is not done."""
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


def open_to_acceptance(facts: Facts) -> tuple[str, ...]:
    """The names a person could accept now; none where there is no proof of the work itself."""
    if facts.missing_evidence:
        return ()
    waiting = (name for name, _ in acceptable_objections(facts) if name not in facts.accepted)
    return tuple(dict.fromkeys(waiting))


def settled(facts: Facts) -> tuple[str, ...]:
    """What would have spoken against the work, were it not for a rule or a person."""
    red = (
        {r.kind for r in facts.gates.results if r.verdict is GateVerdict.FAIL}
        if facts.gates
        else ()
    )
    by_rule = [
        f"{c.kind} fails only as before the task ({names(c.left)})"
        for c in facts.comparisons
        if c.settled and c.kind in red
    ]
    needed = dict.fromkeys(name for name, _ in acceptable_objections(facts))
    return (
        *by_rule,
        *(f"{name} accepted by a person" for name in needed if name in facts.accepted),
    )


def names(found: Iterable[str]) -> str:
    """A list for a sentence, cut where it grows long."""
    every = list(found)
    more = f" … (+{len(every) - NAMED_AT_MOST})" if len(every) > NAMED_AT_MOST else ""
    return ", ".join(every[:NAMED_AT_MOST]) + more
