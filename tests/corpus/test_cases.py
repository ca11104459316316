"""Every case of the corpus before the real program.

`open` may be read by those who build the judge; `aside` and `fresh` were written without a look at
it, and are run when they are done.
"""

from pathlib import Path

import pytest

from pm_orchestrator.testing.corpus.by_hand import see
from pm_orchestrator.testing.corpus.case import Case, load_cases
from pm_orchestrator.testing.corpus.listing import RecordProperty, holds, listed
from pm_orchestrator.testing.corpus.projects import ProjectMaker
from pm_orchestrator.testing.corpus.trial import Court
from pm_orchestrator.testing.scripted.scripted_company import ScriptedCompany

pytestmark = pytest.mark.timeout(120)

HERE = Path(__file__).parent
CASES = {folder: load_cases(HERE / folder) for folder in ("open", "aside", "fresh")}


@pytest.mark.parametrize("case", listed(CASES, "solo"))
def test_alone(court: Court, case: Case, record_property: RecordProperty) -> None:
    holds(case, "solo", court.alone(case), record_property)


@pytest.mark.parametrize("case", listed(CASES, "company"))
def test_in_a_company(
    court: Court, company: ScriptedCompany, case: Case, record_property: RecordProperty
) -> None:
    holds(case, "company", court.in_company(case, company), record_property)


@pytest.mark.long
@pytest.mark.parametrize("case", listed(CASES, None))
def test_the_checks_end_by_hand_as_the_case_says(
    project_maker: ProjectMaker, tmp_path: Path, case: Case
) -> None:
    seen = see(case, project_maker, tmp_path / "project")
    assert seen.before == case.before, seen.said
    assert case.colour_after in {None, seen.after}, seen.said
