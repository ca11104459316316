"""What the Runner found out about quality besides a gate's own verdict.

A red gate is compared with the same gate on the tree from before the task; tests and
the settings of gates are compared with what they were. Both are facts, not verdicts.
"""

from typing import Literal

from pm_orchestrator.domain.judging.gate import GateKind
from pm_orchestrator.domain.record import Record

DilutionKind = Literal[
    "test_deleted",
    "test_skipped",
    "test_emptied",
    "threshold_lowered",
    "product_sees_tests",
    "product_reads_tests",
    "product_hides_failures",
    "product_holds_answers",
    "product_equals_all",
    "test_contradicts",
    "gate_changed",
    "old_test_fails",
    "tests_green_before",
    "tests_not_reported",
    "false_test_passes",
    "test_holds_anyway",
    "only_ignored_changed",
    "not_cross_run",
]
"""The last seven are seen only by running checks on trees that nobody delivered."""


class Dilution(Record, frozen=True, kw_only=True):
    """One way in which the checks are weaker than before the task."""

    kind: DilutionKind
    path: str
    detail: str
    """The test, the threshold or the part of the file that is meant."""

    @property
    def is_of_product(self) -> bool:
        """Whether the checks are as they were, and the product is made to please them."""
        return self.kind.startswith("product_")

    def say(self) -> str:
        """In one line, as it is named in a reason."""
        return f"{self.kind} {self.path}: {self.detail}"


class BaseComparison(Record, frozen=True, kw_only=True):
    """A red gate beside the same gate on the tree from before the task."""

    kind: GateKind
    new_failures: tuple[str, ...] = ()
    """Failures that the base does not have."""
    unfixed: tuple[str, ...] = ()
    """Failures of the base that the task names and that are still there."""
    left: tuple[str, ...] = ()
    """Failures of the base that are nobody's task here."""
    told_apart: bool = True
    """False when the outputs do not say which failures there are."""

    @property
    def settled(self) -> bool:
        """Whether the red gate does not speak against the work."""
        return self.told_apart and not self.new_failures and not self.unfixed
