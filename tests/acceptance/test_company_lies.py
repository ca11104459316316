"""Workers of a company that claim more than they did, or other things than were asked."""

from collections.abc import Iterable

import pytest

from pm_orchestrator.testing.benches.calc_parts import ONE, adds
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.programs.called_program import Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_company import allow_one_attempt

pytestmark = [pytest.mark.timeout(90), pytest.mark.unmeasured]

EMPTY_TEST = (
    "rm tests/test_core.py\ncat > tests/test_double.py <<'PY'\nimport unittest\n\n\n"
    "class DoubleTest(unittest.TestCase):\n    def test_double(self):\n        pass\nPY"
)
LIES: dict[str, tuple[str, str]] = {
    "an empty test in place of the old one": (ONE, f"{adds('double', 2)}\n{EMPTY_TEST}"),
    "an assertion replaced by pass": (
        ONE,
        f"{adds('double', 2)}\nsed -i 's/self.assertEqual.*/pass/' tests/test_core.py",
    ),
    "forty-one files where five are allowed": (
        "Add notes on every release to the project",
        "mkdir -p notes; for i in $(seq 41); do echo $i > notes/$i.md; done",
    ),
}
UNMET: dict[str, tuple[str, str]] = {
    "the file is still there": ("Delete calc/core.py", "echo gone > notes.txt"),
    "the file is untouched": (
        "Update README.md with a section on installation",
        "mkdir -p docs; echo '# Installation' > docs/install.md",
    ),
}


def refused(ran: Ran) -> None:
    assert ran.code == 2, ran.out + ran.err
    assert ran.json["status"] == "INCOMPLETE"
    assert ran.json["reason"]["key"]
    assert "Traceback" not in ran.err


def first(names: Iterable[str]) -> list[object]:
    """One with every `make test`, the others with the long tests."""
    one, *others = names
    return [one, *(pytest.param(name, marks=pytest.mark.long) for name in others)]


@pytest.mark.parametrize("name", first(LIES))
def test_a_lie_is_incomplete(bench: CompanyBench, name: str) -> None:
    instruction, body = LIES[name]
    bench.company.does(body)
    allow_one_attempt(bench.root)
    before = bench.worktree()
    refused(bench.run(instruction))
    assert bench.worktree() == before


@pytest.mark.parametrize("name", first(UNMET))
def test_another_thing_than_what_was_asked_is_incomplete(bench: CompanyBench, name: str) -> None:
    instruction, body = UNMET[name]
    bench.company.does(body)
    allow_one_attempt(bench.root)
    refused(bench.run(instruction))


@pytest.mark.parametrize("name", UNMET)
def test_it_is_incomplete_alone_as_well(
    bench: CompanyBench, claude: ClaudeScript, name: str
) -> None:
    instruction, body = UNMET[name]
    refused(bench.run(instruction, "--solo", env=claude.does(body)))


def test_a_question_is_not_answered_by_code(bench: CompanyBench) -> None:
    bench.company.does("echo 'LIMIT = 3' > calc/limits.py", says="core.py adds two numbers.")
    ran = bench.run("What does calc/core.py do?")
    assert ran.code in {0, 2}, ran.out + ran.err
    if ran.code == 0:
        assert (ran.json["branch"], ran.json["changes"]) == (None, [])
        answers = list((bench.root / ".claude").rglob("*_answer.md"))
        assert [a.read_text("utf-8").strip() for a in answers] == ["core.py adds two numbers."]
        # The code nobody asked for is on no branch that looks like a result.
        assert not any(name.endswith("-integration") for name in bench.branches)


def test_a_question_is_answered(bench: CompanyBench) -> None:
    bench.company.does("true", says="core.py adds two numbers.", commits=False)
    ran = bench.run("What does calc/core.py do?")
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["status"] == "COMPLETE"
    (answer,) = (bench.root / ".claude").rglob("*_answer.md")
    assert answer.read_text("utf-8").strip() == "core.py adds two numbers."


@pytest.mark.parametrize(
    ("broken", "code"), [(False, 0), pytest.param(True, 2, marks=pytest.mark.long)]
)
def test_the_runner_runs_the_tests_itself(bench: CompanyBench, broken: bool, code: int) -> None:
    if broken:
        bench.repository.write("calc/core.py", "def add(a, b):\n    return a - b\n")
        bench.repository.commit("Break it")
    ran = bench.run("Run the tests")
    assert ran.code == code, ran.out + ran.err
    assert ran.json["status"] == ("COMPLETE" if code == 0 else "INCOMPLETE")
    assert bench.company.asked() == 0


@pytest.mark.long
def test_one_piece_of_work_needs_no_manager(bench: CompanyBench) -> None:
    bench.company.does(adds("double", 2))
    ran = bench.run(ONE)
    assert ran.code == 0, ran.out + ran.err
    assert (bench.company.asked("manager"), bench.company.asked("worker")) == (0, 3)
