"""The runs of one gate on several trees, and what is known of the checks that were changed."""

from collections.abc import Mapping

import msgspec

from pm_orchestrator.domain.judging.gate import GateVerdict


class CrossRun(msgspec.Struct, frozen=True, kw_only=True):
    """How a gate ended on one tree."""

    verdict: GateVerdict
    passed: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    by_test: bool = False
    """Whether it was reported test by test."""
    count: int | None = None
    """How many tests there were, where only the number is known."""

    @property
    def executed(self) -> frozenset[str]:
        return self.passed | self.failed

    @property
    def green(self) -> bool:
        return self.verdict is GateVerdict.PASS

    @property
    def number(self) -> int | None:
        return len(self.executed) if self.by_test else self.count


class Crossing(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of one gate; None for one that was not wanted or could not be made."""

    delivered: CrossRun
    old_checks: CrossRun | None
    """The checks from before on the delivered product."""
    called_anew: bool = False
    """Whether they call what the task renames by its new name: then nothing excuses them."""
    base: CrossRun | None = None
    """The tree from before."""
    on_old_product: CrossRun | None = None
    """The delivered checks on the product from before."""
    on_nothing: CrossRun | None = None
    """The delivered checks on no product, and with a test that is false."""
    old_on_nothing: CrossRun | None = None
    """The checks from before on no product."""
    on_anything: CrossRun | None = None
    """The delivered checks on a product that takes and gives anything."""
    as_delivered: CrossRun | None = None
    """The delivered tree with what git ignores as it was before."""
    on_errors: CrossRun | None = None
    """The delivered checks on a product that fails in every way at once."""
    canary: str = ""
    """The name of the test that is false; empty where there is none."""


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the changed checks."""

    before: Mapping[str, str]
    """Test files as they were."""
    added: str
    """Lines that are new in them."""
    product: bool
    """Whether any product was changed as well."""
    after: Mapping[str, str] = {}
    """The same files as they are, those that are new among them."""
    tests: bool = True
    """Whether tests are among them, and not settings alone."""
    only_gone: bool = False
    """Whether nothing was done to checks but to take them away."""

    @property
    def known(self) -> str:
        return "\n".join((*self.before, *self.before.values()))
