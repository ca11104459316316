"""Agents made of two independent parts: what they really do, and what they say about it."""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.ports.executor import ExecutorResult, ExecutorTask
from pm_orchestrator.testing.scripted.fake_executors import FakeExecutor

WANTED = {"Create guide.md": "guide.md", "Update notes.md": "notes.md"}
CODE_TASK = "Add a function double to calc.py with a test in tests/test_double.py"
QUESTION_TASK = "Explain what calc.py does"
TASKS = (*WANTED, CODE_TASK, QUESTION_TASK)

CALC = "def add(a, b):\n    return a + b\n"
DOUBLE = "\n\ndef double(n):\n    return 2 * n\n"
TEST = (
    "import unittest\n\nimport calc\n\n\nclass {name}Test(unittest.TestCase):\n"
    "    def test_{name}(self):\n        self.assertEqual(calc.{call}, {result})\n"
)
TEST_CALC = TEST.format(name="add", call="add(1, 2)", result="3")
TEST_DOUBLE = TEST.format(name="double", call="double(2)", result="4")
PROJECT: Mapping[str, str] = {
    "calc.py": CALC,
    "tests/__init__.py": "",
    "tests/test_calc.py": TEST_CALC,
    "Makefile": "test:\n\t@python3 -ISB run_tests.py 2>&1\n",
    "run_tests.py": (
        "import sys, unittest\n\nsys.path.insert(0, '.')\n"
        "unittest.main(module=None, argv=['x', 'discover', '-s', 'tests', '-t', '.'])\n"
    ),
    "notes.md": "# Notes\n",
    "old.txt": "old\n",
    ".gitignore": "build/\n",
}

Deed = Callable[[Path], object]


def _clear(path: Path) -> None:
    """Whatever an earlier deed has put there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _directory(name: str) -> Deed:
    def deed(root: Path) -> None:
        _clear(root / name)
        (root / name).mkdir()

    return deed


def _if_there(name: str, act: Callable[[Path], object]) -> Deed:
    def deed(root: Path) -> None:
        if (root / name).exists():
            act(root / name)

    return deed


def _write(name: str, text: str) -> Deed:
    def deed(root: Path) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _clear(path)
        path.write_text(text, encoding="utf-8")

    return deed


def _link(name: str, target: str) -> Deed:
    def deed(root: Path) -> None:
        _clear(root / name)
        (root / name).symlink_to(target)

    return deed


def _many_files(root: Path) -> None:
    for number in range(21):
        _write(f"more/{number}.md", f"{number}\n")(root)


def _append_to_log(root: Path) -> None:
    for path in root.glob(".claude/logs/sessions/*/tasks/*.json"):
        path.write_bytes(path.read_bytes() + b" \n")


def _loosen_policy(root: Path) -> None:
    path = root / ".claude" / "settings.json"
    written = path.read_text("utf-8")
    loosened = written.replace('"deadlock_timeout_seconds": 60', '"deadlock_timeout_seconds": 600')
    assert loosened != written
    path.write_text(loosened, "utf-8")


DEEDS: Mapping[str, Deed] = {
    "write guide": _write("guide.md", "# Guide\n"),
    "empty guide": _write("guide.md", ""),
    "link guide to nowhere": _link("guide.md", "nowhere.md"),
    "link guide out of the project": _link("guide.md", "../elsewhere.md"),
    "directory in place of guide": _directory("guide.md"),
    "write notes": _write("notes.md", "# Notes\n\nMore.\n"),
    "empty notes": _write("notes.md", ""),
    "same notes again": _write("notes.md", PROJECT["notes.md"]),
    "touch notes": _if_there("notes.md", os.utime),
    "chmod notes": _if_there("notes.md", lambda path: path.chmod(0o600)),
    "delete notes": lambda root: (root / "notes.md").unlink(missing_ok=True),
    "add double": _write("calc.py", CALC + DOUBLE),
    "add wrong double": _write("calc.py", CALC + DOUBLE.replace("2 *", "3 *")),
    "break add": _write("calc.py", CALC.replace("+", "-")),
    "test double": _write("tests/test_double.py", TEST_DOUBLE),
    "delete tests": lambda root: (root / "tests/test_calc.py").unlink(missing_ok=True),
    "skip tests": _write(
        "tests/test_calc.py", TEST_CALC.replace("    def", '    @unittest.skip("later")\n    def')
    ),
    "empty tests": _write("tests/test_calc.py", ""),
    "edit gate": _write("Makefile", "test:\n\t@echo Ran 3 tests; echo OK\n"),
    "delete old": lambda root: (root / "old.txt").unlink(missing_ok=True),
    "rename old": lambda root: (
        (root / "old.txt").exists() and (root / "old.txt").rename(root / "moved.txt")
    ),
    "write ignored file": _write("build/out.md", "made\n"),
    "write outside": _write("../elsewhere.md", "made\n"),
    "too many files": _many_files,
    "forge evidence": _write(".claude/evidence/ev-forged.json", '{"evidence_id": "ev-forged"}\n'),
    "alter task log": _append_to_log,
    "loosen policy": _loosen_policy,
}


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """What really happens."""

    task: str
    deeds: tuple[str, ...]
    answer: str = ""
    """Where an answer is asked for: its text, which is the work and not a claim about it."""
    put_out: int = 0
    """Characters on its output."""
    budget: int | None = None
    """Tokens it may use."""


class TruthfulHands(FakeExecutor):
    """Does the deeds of a truth once, and gives back what it was told to say."""

    def __init__(self, truth: Truth, said: ExecutorResult) -> None:
        super().__init__()
        self._truth = truth
        self._said = said
        self.meddled = False
        """Whether the Runner's own records were different after the deeds."""

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        root = Path(task.hands.root)
        if len(self.tasks) == 1:
            before = records(root)
            for name in self._truth.deeds:
                DEEDS[name](root)
            self.meddled = records(root) != before
        return self._said


def plainest(truth: Truth) -> ExecutorResult:
    """The least that can be said about a truth."""
    summary = truth.answer if truth.task == QUESTION_TASK else "Done."
    claim = ExecutorClaim(kind="finished", summary=summary)
    return ExecutorResult(claim=claim, exit_code=0, transcript="x" * truth.put_out)


def records(root: Path) -> dict[str, bytes]:
    """Everything below `.claude`, by name."""
    found = (path for path in (root / ".claude").rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}
