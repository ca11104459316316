"""Honest work of a company is not refused for what others left behind."""

import json
import os
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.calc_parts import ONE, adds
from pm_orchestrator.testing.benches.company_bench import CompanyBench

pytestmark = pytest.mark.timeout(90)

BROKEN_TEST = (
    "import unittest\n\n\nclass BrokenTest(unittest.TestCase):\n"
    "    def test_broken(self):\n        self.fail('since last year')\n"
)
NO_RUNNER = "test:\n\t@no-such-test-runner --all\n"
# What unittest says and does from Python 3.12 on where there is no test.
NONE_YET = (
    "test:\n\t@ls tests/test_*.py >/dev/null 2>&1 || "
    "{ printf '\\nRan 0 tests in 0.000s\\n\\nNO TESTS RAN\\n'; exit 5; }\n"
    "\t@python3 -B -m unittest discover -s tests -t . 2>&1\n"
)


@pytest.mark.long
def test_a_base_that_is_red_already(bench: CompanyBench) -> None:
    bench.repository.write("tests/test_broken.py", BROKEN_TEST)
    bench.repository.commit("Leave it broken")
    bench.company.does(adds("double", 2))
    ran = bench.run(ONE)
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["status"] == "COMPLETE"
    # The plan, and one attempt of three turns.
    assert bench.company.asked() <= 4


def test_gates_that_cannot_run_stop_code_before_a_model_is_asked(bench: CompanyBench) -> None:
    bench.repository.write("Makefile", NO_RUNNER)
    bench.repository.commit("Use another runner")
    bench.company.does(adds("double", 2))
    ran = bench("run", ONE)
    assert ran.code == 1, ran.out + ran.err
    assert ran.err.startswith("ERROR E")
    assert "HINT" in ran.err
    assert bench.company.asked() == 0


@pytest.mark.long
def test_a_linter_that_nobody_has_installed_stops_nobody(
    bench: CompanyBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = [p for p in os.environ["PATH"].split(os.pathsep) if not (Path(p) / "ruff").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(here))
    bench.repository.write("pyproject.toml", "[tool.ruff]\nline-length = 90\n")
    bench.repository.commit("Set up a linter")
    bench.company.does(adds("double", 2))
    ran = bench.run(ONE)
    assert ran.code == 0, ran.out + ran.err
    assert "gate_not_installed" in {note["key"] for note in ran.json["notes"]}


def test_gates_that_cannot_run_do_not_stop_a_document(bench: CompanyBench) -> None:
    bench.repository.write("Makefile", NO_RUNNER)
    bench.repository.commit("Use another runner")
    bench.company.does("echo '## Installation' >> README.md")
    ran = bench.run("Update README.md with a section on installation")
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.long
def test_the_first_test_of_a_project(bench: CompanyBench) -> None:
    bench.repository.write("Makefile", NONE_YET)
    (bench.root / "tests" / "test_core.py").unlink()
    bench.repository.commit("Start without tests")
    bench.company.does(adds("double", 2))
    ran = bench.run(ONE)
    assert ran.code == 0, ran.out + ran.err
    assert bench.company.asked("worker") == 3


@pytest.mark.long
def test_an_old_record_that_was_damaged(bench: CompanyBench) -> None:
    bench.company.does("echo '## Installation' >> README.md")
    first = bench.run("Update README.md with a section on installation")
    assert first.code == 0, first.out + first.err
    damaged = min((bench.root / ".claude" / "evidence").glob("ev-*.json"))
    damaged.write_bytes(damaged.read_bytes() + b" ")

    bench.company.does(adds("double", 2))
    ran = bench.run(ONE)
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["status"] == "COMPLETE"
    assert damaged.stem in json.dumps(ran.json["notes"]) + ran.err
