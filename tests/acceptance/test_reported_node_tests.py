"""Tests of node count by what their runner reports of each, in whatever way it is started."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = pytest.mark.timeout(90)

Work = Callable[..., Ran]
ADD_MUL = "printf 'exports.mul = (a, b) => a * b;\\n' >> calc.js"
SPOIL = "printf 'exports.add = () => 7;\\n' > calc.js"
FILES = {
    "calc.js": "exports.add = (a, b) => a + b;\n",
    "test/calc.test.js": (
        "const { test } = require('node:test');\nconst calc = require('../calc');\n"
        "test('adds', () => require('assert').equal(calc.add(1, 2), 3));\n"
    ),
}


@pytest.fixture
def work(program: Program, project: Path, tmp_path: Path) -> Work:
    def run(script: str, body: str, files: dict[str, str] | None = None) -> Ran:
        package = {"package.json": f'{{"scripts": {{"test": "{script}"}}}}\n'}
        for name, text in {**FILES, **package, **(files or {})}.items():
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text(text, encoding="utf-8")
        env = ClaudeScript(tmp_path / "bin").does(body)
        folder = env["PATH"].split(os.pathsep)[0]
        env["PATH"] = os.pathsep.join([folder, os.environ["PATH"]])
        arguments = ("--solo", "--json", "--project", str(project))
        return program("run", "Add a function mul to calc.js", *arguments, env=env)

    return run


def test_honest_work_is_complete(work: Work) -> None:
    ran = work("node --test --test-reporter=dot", ADD_MUL)
    assert ran.code == 0, ran.out + ran.err


def test_a_failed_test_counts_whatever_the_exit_code(work: Work) -> None:
    ran = work("node --test > /dev/null || true", f"{SPOIL}; {ADD_MUL}")
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err
    assert "test/calc.test.js > adds" in ran.out


def test_a_run_that_is_ended_before_its_end_proves_nothing(work: Work) -> None:
    leaves = "require('node:test').test('leaves', () => process.exit(0));\n"
    files = {"test/calc.test.js": FILES["test/calc.test.js"] + leaves}
    ran = work("node --test", ADD_MUL, files)
    assert (ran.code, ran.json["reason"]["key"]) == (2, "gate_ended_early"), ran.out + ran.err
