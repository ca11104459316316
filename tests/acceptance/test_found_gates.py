"""A project's tests are found wherever they lie, and where there are none, that is said."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = pytest.mark.timeout(90)

Work = Callable[..., Ran]
CODE = {"calc.py": "def add(a, b):\n    return a + b\n", ".gitignore": "__pycache__/\n"}
TEST = "import calc\n\ndef test_add():\n    assert calc.add(1, 2) == 3\n"
SDIST = {
    **CODE,
    "tox.ini": "[testenv]\ncommands = pytest -v --doctest-modules --ignore benchmark {posargs}\n",
    "test/test_calc.py": TEST,
}
ADD_MUL = "printf 'def mul(a, b):\\n    return a * b\\n' >> calc.py"
SPOIL = "printf 'def add(a, b):\\n    return 7\\n' > calc.py"
RESTS = "No test gate was found: this rests on the files alone."


@pytest.fixture
def work(program: Program, project: Path, tmp_path: Path) -> Work:
    def run(
        files: Mapping[str, str],
        body: str,
        instruction: str = "Add a function mul to calc.py",
        *more: str,
    ) -> Ran:
        for name, text in files.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text, encoding="utf-8")
        env = ClaudeScript(tmp_path / "bin").does(body)
        folders = [env["PATH"].split(os.pathsep)[0], str(Path(sys.executable).parent)]
        env["PATH"] = os.pathsep.join([*folders, os.environ["PATH"]])
        where = ("--project", str(project))
        return program("run", instruction, "--solo", *(more or ("--json",)), *where, env=env)

    return run


def test_a_source_distribution_without_a_makefile(work: Work, project: Path) -> None:
    ran = work(SDIST, ADD_MUL)
    assert ran.code == 0, ran.out + ran.err
    (gate,) = [g for g in ran.json["gates"]["results"] if g["verdict"] != "absent"]
    assert (gate["command"][1:3], gate["tests"]) == (["-m", "pytest"], 1)
    assert ran.json["notes"] == []
    shutil.rmtree(project / "test")
    spoiled = work(SDIST, f"{SPOIL}; {ADD_MUL}")
    assert (spoiled.code, spoiled.json["reason"]["key"]) == (2, "gate_new_failures"), spoiled.out


def test_where_there_is_no_test_gate_that_is_said(work: Work, project: Path) -> None:
    ran = work(CODE, ADD_MUL)
    assert ran.code == 0, ran.out + ran.err
    assert [note["key"] for note in ran.json["notes"]] == ["no_test_gate"]
    assert RESTS in ran.json["report"]["evidence_summary"]["verification_reason"]
    shown = work(CODE, ADD_MUL, "Add a function div to calc.py", "--lang", "ja")
    assert "テストゲートが見つからない" in shown.out


@pytest.mark.parametrize(
    ("body", "instruction"),
    [
        ("echo more >> notes.md", "Add a line to notes.md"),
        ("true", "What does calc.py do?"),
    ],
)
def test_documents_and_answers_rest_on_nothing_else(
    work: Work, body: str, instruction: str
) -> None:
    ran = work(CODE, body, instruction)
    assert (ran.code, ran.json["notes"]) == (0, []), ran.out + ran.err


@pytest.mark.long
def test_a_text_that_code_reads_needs_the_gates(work: Work, project: Path) -> None:
    files = {
        **SDIST,
        "calc.py": CODE["calc.py"] + "WORDS = open('words.txt').read().split()\n",
        "words.txt": "one two\n",
        "test/test_calc.py": "import calc\n\ndef test_words():\n    assert 'two' in calc.WORDS\n",
    }
    ran = work(files, "echo one > words.txt", "Change words.txt")
    assert (ran.code, ran.json["reason"]["key"]) == (2, "gate_new_failures"), ran.out + ran.err
    plain = work({**files, "notes.md": "# Words\n"}, "echo x >> notes.md", "Change notes.md")
    assert plain.code == 0, plain.out + plain.err
    assert {g["verdict"] for g in plain.json["gates"]["results"]} == {"absent"}


RUFF = {
    **CODE,
    "pyproject.toml": "[tool.ruff]\n[tool.pytest.ini_options]\npythonpath = '.'\n",
    "tests/test_calc.py": TEST,
}
NO_RUFF = 'exec {python} "$@"\n'


@pytest.fixture
def without_linter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine with a Python that has pytest, and no ruff anywhere."""
    folder = tmp_path / "python-only"
    folder.mkdir()
    (folder / "python3").write_text(f"#!/bin/sh\n{NO_RUFF.format(python=sys.executable)}")
    (folder / "python3").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python3"))
    here = [p for p in os.environ["PATH"].split(os.pathsep) if not (Path(p) / "ruff").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(here))


@pytest.mark.usefixtures("without_linter")
def test_a_linter_that_nobody_has_installed_is_told_and_stands_in_no_way(work: Work) -> None:
    ran = work(RUFF, ADD_MUL)
    assert ran.code == 0, ran.out + ran.err
    lint, test = ran.json["gates"]["results"]
    assert (lint["verdict"], lint["reason_key"]) == ("absent", "gate_not_installed")
    assert (test["verdict"], test["tests"]) == ("pass", 1)
    assert [note["key"] for note in ran.json["notes"]] == ["gate_not_installed"]
    plain = work(RUFF, ADD_MUL, "Add a function mul2 to calc.py", "--lang=en")
    assert "ruff is set up for this project and not installed here" in plain.out


@pytest.mark.usefixtures("without_linter")
def test_a_linter_that_is_not_installed_proves_nothing_where_it_was_asked_for(work: Work) -> None:
    ran = work(RUFF, ADD_MUL, "Add a function mul to calc.py and run the linter")
    assert (ran.code, ran.json["reason"]["key"]) == (2, "gate_not_started"), ran.out


@pytest.mark.usefixtures("without_linter")
@pytest.mark.long
def test_a_linter_that_the_task_takes_away_is_missed(work: Work, project: Path) -> None:
    own = project / ".venv" / "bin" / "ruff"
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    own.chmod(0o755)
    ran = work({**RUFF, ".gitignore": ".venv/\n__pycache__/\n"}, f"{ADD_MUL}; rm .venv/bin/ruff")
    assert (ran.code, ran.json["reason"]["key"]) == (2, "gate_not_started"), ran.out
