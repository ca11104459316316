"""In a company's sandboxes, too, tests count by what their runner reports of each."""

import pytest

from pm_orchestrator.testing.benches.calc_parts import ONE, adds
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.scripted.scripted_company import allow_one_attempt

pytestmark = pytest.mark.timeout(90)

SPOIL = "printf 'def add(a, b):\\n    return 7\\n' > calc/core.py"
PYTHON = "python3 -B -m unittest discover -s tests -t ."
NODE = "node --test test/"
NODE_TEST = "require('node:test').test('adds', () => require('assert')(require('../sum') === 3));\n"
ADD_NODE = "echo 'module.exports = 4;' > other.js"


def calls(bench: CompanyBench, command: str) -> None:
    """Let the project call its tests so that nobody learns from the exit code how they end."""
    bench.repository.write(
        "Makefile", f".PHONY: test\ntest:\n\t@{command} >/dev/null 2>&1 || true\n"
    )
    bench.repository.write("sum.js", "module.exports = 1 + 2;\n")
    bench.repository.write("test/sum.test.js", NODE_TEST)
    bench.repository.commit("Call the tests quietly")
    allow_one_attempt(bench.root)


@pytest.mark.parametrize(
    ("command", "instruction", "work", "spoil", "test"),
    [
        (PYTHON, ONE, adds("double", 2), SPOIL, "test_add"),
        pytest.param(
            NODE,
            "Create other.js that exports 4",
            ADD_NODE,
            "echo 'module.exports = 5;' > sum.js",
            "sum.test.js > adds",
            marks=pytest.mark.long,
        ),
    ],
    ids=["unittest", "node"],
)
def test_a_failed_test_counts_whatever_the_exit_code(
    bench: CompanyBench, command: str, instruction: str, work: str, spoil: str, test: str
) -> None:
    calls(bench, command)
    bench.company.does(f"{work}\n{spoil}")
    ran = bench.run(instruction)
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err
    assert test in ran.out


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "instruction", "work"),
    [(PYTHON, ONE, adds("double", 2)), (NODE, "Create other.js that exports 4", ADD_NODE)],
    ids=["unittest", "node"],
)
def test_honest_work_is_complete(
    bench: CompanyBench, command: str, instruction: str, work: str
) -> None:
    calls(bench, command)
    bench.company.does(work)
    ran = bench.run(instruction)
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err
