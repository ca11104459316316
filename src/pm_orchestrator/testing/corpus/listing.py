"""Cases as pytest sees them: a few run each time, the others are long; each leaves its verdict."""

from collections.abc import Callable, Iterable, Mapping

import msgspec
import pytest

from pm_orchestrator.testing.corpus.case import Case, Place
from pm_orchestrator.testing.corpus.tally import Tried, table
from pm_orchestrator.testing.corpus.trial import Verdict

PROPERTY = "corpus"
RecordProperty = Callable[[str, object], None]


def listed(folders: Mapping[str, Iterable[Case]], place: Place | None) -> list[object]:
    """Parameters of a test, one for each case that is tried in this place, or for all of them."""
    return [
        pytest.param(case, id=f"{folder}: {case.name}", marks=_marks(case, place))
        for folder, cases in folders.items()
        for case in cases
        if place is None or place in case.places
    ]


def _marks(case: Case, place: Place | None) -> list[pytest.MarkDecorator]:
    return [] if case.quick and place == case.places[0] else [pytest.mark.long]


def holds(case: Case, place: Place, verdict: Verdict, record_property: RecordProperty) -> None:
    """Write the verdict down for the table, and fail where it is not the truth."""
    wrong = verdict.wrong(case)
    tried = Tried(
        name=case.name,
        rule=case.rule,
        kind=case.kind,
        place=place,
        status=verdict.status,
        wrong=wrong,
    )
    # Text, which a worker of xdist can hand over.
    record_property(PROPERTY, msgspec.json.encode(tried).decode())
    assert wrong is None, f"{wrong}\n{case.instruction}\n{case.body}\n{verdict.said}"


def summary(reports: Iterable[object]) -> list[str]:
    """The table of all verdicts that tests have written down; empty where there is none."""
    found = [
        msgspec.json.decode(value, type=Tried)
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for name, value in report.user_properties
        if name == PROPERTY and isinstance(value, str)
    ]
    return list(table(found))
