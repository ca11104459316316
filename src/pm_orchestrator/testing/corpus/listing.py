"""Cases as pytest sees them: a few run each time, the others are long; each leaves its verdict."""

from collections.abc import Callable, Iterable

import msgspec
import pytest

from pm_orchestrator.testing.corpus.case import Case, Place
from pm_orchestrator.testing.corpus.not_held import IN_A_COMPANY, NOT_HELD
from pm_orchestrator.testing.corpus.tally import Tried, table
from pm_orchestrator.testing.corpus.trial import Verdict

PROPERTY = "corpus"
RecordProperty = Callable[[str, object], None]


def listed(cases: Iterable[Case], place: Place) -> list[object]:
    """Parameters of a test, one for each case that is tried in this place."""
    return [
        pytest.param(case, id=case.name, marks=_marks(case, place))
        for case in cases
        if place in case.places
    ]


def _marks(case: Case, place: Place) -> list[pytest.MarkDecorator]:
    marks = [] if _quick(case, place) else [pytest.mark.long]
    why = (NOT_HELD if place == "solo" else IN_A_COMPANY).get(case.name)
    return marks if why is None else [*marks, pytest.mark.xfail(strict=True, reason=why)]


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


def _quick(case: Case, place: Place) -> bool:
    return case.quick and place == case.places[0]
