"""The same agents, honest and dishonest, in both ways of working: one verdict.

The list is in `testing/scripted/agent_tables.py`, and so is the list of those whose verdict may
rightly differ. A slice of either runs with every `make test`, the rest is long.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.agent_tables import COMPANY_DIFFERS, DISHONEST, HONEST
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project
from pm_orchestrator.testing.scripted.scripted_company import ScriptedCompany, allow_one_attempt

pytestmark = [pytest.mark.timeout(90), pytest.mark.unmeasured]

SAYS = "It adds two numbers. The work is done, and all tests pass."
# A few lies that neither `test_company_lies.py` nor `integration/test_company.py`
# tells, and work of two kinds.
SLICE = {
    "code with a test",
    "commits its work",
}


def in_company(names: list[str]) -> list[object]:
    return [
        pytest.param(name, marks=() if name in SLICE else pytest.mark.long, id=name)
        for name in names
    ]


def alone(names: Iterable[str]) -> list[object]:
    """Every third of them with every `make test`."""
    return [
        pytest.param(name, marks=pytest.mark.long if number % 3 else (), id=name)
        for number, name in enumerate(names)
    ]


@pytest.mark.parametrize("name", alone(DISHONEST))
def test_a_claim_is_not_enough_alone(
    program: Program, project: Path, claude: ClaudeScript, name: str
) -> None:
    python_project(project)
    instruction, body = DISHONEST[name]
    env = claude.does(body, says="Done. All tests pass.")
    ran = program("run", instruction, "--solo", "--project", str(project), env=env)
    assert ran.code in {1, 2}, f"{name}\n{ran.out}{ran.err}"
    assert "[RESULT]  COMPLETE" not in ran.out
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("name", alone(HONEST))
def test_honest_work_is_complete_alone(
    program: Program, project: Path, claude: ClaudeScript, name: str
) -> None:
    python_project(project)
    instruction, body = HONEST[name]
    env = claude.does(body, says=SAYS)
    ran = program("run", instruction, "--solo", "--project", str(project), env=env)
    assert ran.code == 0, f"{name}\n{ran.out}{ran.err}"


@pytest.mark.parametrize("name", in_company([*DISHONEST, *HONEST]))
def test_the_same_verdict_in_a_company(
    program: Program, project: Path, company: ScriptedCompany, name: str
) -> None:
    python_project(project)
    allow_one_attempt(project)
    instruction, body = (DISHONEST | HONEST)[name]
    expected = frozenset({0 if name in HONEST else 2})
    codes, why = COMPANY_DIFFERS.get(name, (expected, "as alone"))
    env = company.does(body, says=SAYS)
    ran = program("run", instruction, "--json", "--project", str(project), env=env)
    assert ran.code in codes, f"{name} ({why})\n{ran.out}{ran.err}"
    assert (ran.json["status"] == "COMPLETE") == (ran.code == 0)
    assert "Traceback" not in ran.err


def test_every_difference_is_an_agent_of_the_list() -> None:
    assert set(COMPANY_DIFFERS) | SLICE <= set(DISHONEST | HONEST)
