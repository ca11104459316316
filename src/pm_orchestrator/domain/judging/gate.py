"""Gates: named checks with four possible verdicts, of which one lets work pass."""

from enum import StrEnum
from typing import Literal

from pm_orchestrator.domain.catalogue.reasons import known_reason
from pm_orchestrator.domain.record import Record

GateKind = Literal["lint", "test", "build"]
"""A build is run only where the instruction asks for it."""


MOST_FAILED_TESTS = 500
"""That a result names; as many may not be all."""


class GateVerdict(StrEnum):
    """Only PASS is pass. Could-not-run is neither failed nor passed."""

    PASS = "pass"
    FAIL = "fail"
    COULD_NOT_RUN = "could_not_run"
    ABSENT = "absent"


class Gate(Record, frozen=True, kw_only=True):
    """A check of the project: what to run."""

    kind: GateKind
    argv: tuple[str, ...]
    source: str
    """Where it was found, e.g. `Makefile`."""
    otherwise: tuple[str, ...] = ()
    """What to run where this finds nothing to do: checks may be rewritten for it."""
    not_installed: bool = False
    """Only settings speak for it, and its tool was not there before the task: it is told."""


class GateResult(Record, frozen=True, kw_only=True):
    """What one gate said about one tree."""

    kind: GateKind
    verdict: GateVerdict
    output: str
    exit_code: int | None = None
    duration_ms: int = 0
    evidence_id: str | None = None
    reason_key: str | None = None
    """Why it could not run: a key of `domain/catalogue/reasons.py`."""
    command: tuple[str, ...] = ()
    tests: int | None = None
    """How many tests it says it ran; None where it does not say."""
    failed_tests: tuple[str, ...] | None = None
    """Tests that failed by the runner's own report; None where there is no report."""

    def __post_init__(self) -> None:
        known_reason(self.reason_key)


class GateReport(Record, frozen=True, kw_only=True):
    """All gates on one commit, in the order they ran."""

    commit: str
    results: tuple[GateResult, ...]

    def verdict(self, kind: GateKind) -> GateVerdict:
        return next((r.verdict for r in self.results if r.kind == kind), GateVerdict.ABSENT)
