"""Tests count by what their runner reports of each, not by the exit code of the gate alone."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.adapters.reporters import interpreters, test_reporter
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = pytest.mark.timeout(90)

Work = Callable[..., Ran]
ADD_MUL = "printf 'def mul(a, b):\\n    return a * b\\n' >> calc.py"
SPOIL = "printf 'def add(a, b):\\n    return 7\\n' > calc.py"
FILES = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "test_calc.py": (
        "import unittest\nimport calc\n\n"
        "class CalcTest(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n"
    ),
    ".gitignore": "__pycache__/\n",
}


@pytest.fixture(params=["pytest -q", "unittest"])
def runner(request: pytest.FixtureRequest) -> str:
    """A test runner, with the interpreter that has it first on the path."""
    return f"python3 -m {request.param}"


@pytest.fixture
def work(program: Program, project: Path, tmp_path: Path) -> Work:
    def run(recipe: str, body: str, files: dict[str, str] | None = None) -> Ran:
        makefile = {"Makefile": f"test:\n\t{recipe}\n"}
        for name, text in {**FILES, **makefile, **(files or {})}.items():
            (project / name).write_text(text, encoding="utf-8")
        env = ClaudeScript(tmp_path / "bin").does(body)
        folders = [env["PATH"].split(os.pathsep)[0], str(Path(sys.executable).parent)]
        env["PATH"] = os.pathsep.join([*folders, os.environ["PATH"]])
        arguments = ("--solo", "--json", "--project", str(project))
        return program("run", "Add a function mul to calc.py", *arguments, env=env)

    return run


def test_both_ends_call_the_reporter_by_one_name() -> None:
    assert interpreters.NAME == test_reporter.NAME


def test_honest_work_is_complete(work: Work, runner: str) -> None:
    ran = work(runner, ADD_MUL)
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.parametrize(
    "recipe",
    [
        "-{} >/dev/null 2>&1",
        pytest.param("{} >/dev/null 2>&1 || true", marks=pytest.mark.long),
        pytest.param("{} 2>&1 | cat >/dev/null", marks=pytest.mark.long),
    ],
)
def test_a_failed_test_counts_whatever_the_exit_code(work: Work, runner: str, recipe: str) -> None:
    # The gate was so before the task; only its runner knows that something fails.
    ran = work(recipe.format(runner), f"{SPOIL}; {ADD_MUL}")
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err
    assert "test_add" in ran.out


def test_a_run_that_is_ended_before_its_end_proves_nothing(work: Work, runner: str) -> None:
    leaves = FILES["test_calc.py"] + "\n    def test_zz(self):\n        import os; os._exit(0)\n"
    ran = work(runner, ADD_MUL, {"test_calc.py": leaves})
    assert (ran.code, ran.json["reason"]["key"]) == (2, "gate_ended_early"), ran.out + ran.err


@pytest.mark.long
def test_a_conftest_cannot_make_it_green(work: Work) -> None:
    zero = "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
    ran = work("python3 -m pytest -q", f"{SPOIL}; {ADD_MUL}", {"conftest.py": zero})
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err


@pytest.mark.long
def test_runs_inside_a_test_are_its_own_business(work: Work, runner: str) -> None:
    # New with the task, so that no failure of the base can excuse what is counted wrongly.
    inner = (
        "import unittest\nclass InnerTest(unittest.TestCase):\n"
        "    def test_a_suite_that_fails(self):\n"
        "        class Inner(unittest.TestCase):\n"
        "            def test_it(self):\n                self.fail()\n"
        "        found = unittest.TestResult()\n"
        "        unittest.defaultTestLoader.loadTestsFromTestCase(Inner).run(found)\n"
        "        self.assertEqual(len(found.failures), 1)\n"
        "\n    def test_a_process_that_fails(self):\n"
        "        import pathlib, subprocess, sys, tempfile\n"
        "        with tempfile.TemporaryDirectory() as place:\n"
        "            text = 'import unittest\\nclass T(unittest.TestCase):\\n"
        "  def test_x(self): self.fail()\\n'\n"
        "            pathlib.Path(place, 'test_inner.py').write_text(text)\n"
        "            for name in ('pytest', 'unittest'):\n"
        "                ended = subprocess.run([sys.executable, '-m', name], cwd=place)\n"
        "                self.assertEqual(ended.returncode, 1)\n"
    )
    ran = work(runner, f"{ADD_MUL}; cat > test_runs.py <<'END'\n{inner}\nEND")
    assert ran.code == 0, ran.out + ran.err


def test_a_runner_that_only_tells_about_itself_has_not_begun(work: Work) -> None:
    asks = "@python3 -m pytest --help >/dev/null; python3 -m pytest --markers >/dev/null"
    ran = work(f"{asks}; python3 -m pytest -q", ADD_MUL)
    assert ran.code == 0, ran.out + ran.err


def test_another_runner_counts_beside_one_that_skips_all(work: Work) -> None:
    skips = "import unittest\nraise unittest.SkipTest('not here')\n"
    recipe = "python3 -m unittest discover && echo '# pass 3'"
    ran = work(recipe, ADD_MUL, {"test_calc.py": skips})
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.parametrize("plant", ["ln -s /etc/passwd", "ln -s /nowhere", "mkfifo", "mkdir"])
def test_what_is_planted_among_the_reports_harms_nobody(work: Work, plant: str) -> None:
    finds = "for d in $${TMPDIR:-/tmp}/pm-view-*/report; do " + plant + " $$d/0.jsonl; done"
    ran = work(f"@python3 -m unittest && ({finds})", ADD_MUL)
    assert ran.code == 0, ran.out + ran.err


def test_skipped_and_expected_failures_do_not_count(work: Work) -> None:
    more = FILES["test_calc.py"] + (
        "\n    @unittest.skip('later')\n    def test_later(self):\n        self.fail()\n"
        "\n    @unittest.expectedFailure\n    def test_known(self):\n        self.fail()\n"
        "\n    def test_parts(self):\n        for n in (1, 2):\n"
        "            with self.subTest(n=n):\n                self.assertTrue(n)\n"
    )
    ran = work("python3 -m unittest", ADD_MUL, {"test_calc.py": more})
    assert ran.code == 0, ran.out + ran.err


def test_nothing_of_the_reporter_is_left(work: Work, project: Path, runner: str) -> None:
    ran = work(f"{runner} && ls -A > listing", ADD_MUL)
    assert ran.code == 0, ran.out + ran.err
    assert not [path for path in project.rglob("*") if interpreters.NAME in path.name]
    packages = Path(sys.executable).parent.parent.glob("lib/python3*/site-packages")
    assert not [path for folder in packages for path in folder.glob(f"{interpreters.NAME}*")]


def test_a_project_that_allows_no_warnings_is_served_as_well(work: Work) -> None:
    strict = {"pytest.ini": "[pytest]\nfilterwarnings = error\naddopts = -W error\n"}
    ran = work("python3 -m pytest -q", ADD_MUL, strict)
    assert ran.code == 0, ran.out + ran.err
