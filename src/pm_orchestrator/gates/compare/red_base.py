"""A red gate beside the same gate before the task: is anything worse, is the task done?

A project may be red for reasons that are nobody's task. Then the work is judged by what
it adds: no new failure, and the failures that the task names gone. Where the outputs do
not say which failures there are, a person has to look.
"""

from collections import Counter

from pm_orchestrator.domain.judging.gate import MOST_FAILED_TESTS, GateResult, GateVerdict
from pm_orchestrator.domain.judging.quality import BaseComparison
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.failures import Failures, failures_in
from pm_orchestrator.gates.compare.purpose import Purpose
from pm_orchestrator.gates.compare.task_names import (
    asks_to_repair,
    means_all_tests,
    names_path,
    names_word,
    quotes,
    speaks_of_red,
)
from pm_orchestrator.gates.compare.test_ids import own_name

PARTS = LatePattern(r"::|[\s()\[\]>]+|\.(?=\w+\b)")


def compare_with_base(
    base: GateResult,
    now: GateResult,
    instruction: str,
    *,
    project: str = "",
    base_project: str = "",
) -> BaseComparison:
    """What a red `now` means after `base`, the same gate on the tree from before."""
    found = _failures(now, project)
    if base.verdict is GateVerdict.PASS:
        # Nothing failed before, so whatever fails now is new, named or not.
        return BaseComparison(
            kind=now.kind, new_failures=tuple(found.names) or ("all of it",), told_apart=True
        )
    before = _failures(base, base_project)
    told_apart = base.verdict is GateVerdict.FAIL and before.whole and found.whole
    new = tuple((found.names - before.names).keys()) if told_apart else ()
    named = tuple(n for n in before.names if is_named(n, instruction))
    if not named and not before.names - found.names and speaks_of_red(instruction):
        # Which of them is meant nobody can tell; but of a repair one at least is gone.
        named = tuple(before.names)
    unfixed = tuple(n for n in named if n in found.names)
    return BaseComparison(
        kind=now.kind,
        new_failures=new,
        unfixed=unfixed,
        left=tuple(n for n in found.names if n not in (*new, *unfixed)),
        told_apart=told_apart,
    )


def _failures(result: GateResult, project: str) -> Failures:
    """By the runners' own report where there is one, by the output otherwise."""
    if not result.failed_tests:
        return failures_in(result.output, project)
    names = Counter(dict.fromkeys(result.failed_tests, 1))
    return Failures(names, len(result.failed_tests) < MOST_FAILED_TESTS)


def is_named(failure: str, instruction: str) -> bool:
    """Whether the task asks for this failure to be repaired."""
    if means_all_tests(instruction):
        return True
    if not asks_to_repair(instruction):
        # A test of the very thing that is to be otherwise has to become green with it.
        purpose = Purpose(instruction)
        return not purpose.only_adds and not purpose.removes and purpose.names_test(failure)
    if quotes(instruction, own_name(failure)):
        return True
    path = failure.split("::", 1)[0].split(":", 1)[0]
    if "." in path and names_path(instruction, path):
        return True
    words = [part for part in PARTS.split(failure) if len(part) > 3]
    return any(names_word(instruction, word) for word in words if "test" in word.lower())
