"""A small package for companies to work on, and pieces of work that are done rightly.

Every piece of work can be done twice with the same result, as it may be when a run that was
cut off goes on.
"""

from collections.abc import Mapping
from pathlib import Path

from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.scripted.scripted_company import Part

CORE = '"""Sums."""\n\n\ndef add(a, b):\n    return a + b\n'
CORE_TEST = (
    "import unittest\n\nfrom calc import core\n\n\nclass CoreTest(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(core.add(1, 2), 3)\n"
)
FILES = {
    "calc/__init__.py": "",
    "calc/core.py": CORE,
    "tests/__init__.py": "",
    "tests/test_core.py": CORE_TEST,
    "Makefile": "test:\n\t@python3 -B -m unittest discover -s tests -t . 2>&1\n",
    "README.md": "# Calc\n",
    ".gitignore": "__pycache__/\n",
}

ONE = "Create calc/double.py with a function double and a test in tests/test_double.py"
TWO = (
    "Do two things that have nothing to do with each other:\n"
    "1. Create calc/double.py with a function double and a test in tests/test_double.py\n"
    "2. Create calc/triple.py with a function triple and a test in tests/test_triple.py"
)


def calc_project(root: Path, files: Mapping[str, str] | None = None) -> None:
    """Fill an initialised project with a small package, one test and a Makefile, committed."""
    project = GitProject.at(root)
    for name, text in {**FILES, **(files or {})}.items():
        project.write(name, text)
    project.commit("More")


def adds(name: str, factor: int) -> str:
    """A script that writes calc/<name>.py and its test."""
    return (
        f"cat > calc/{name}.py <<'PY'\ndef {name}(n):\n    return {factor} * n\nPY\n"
        f"cat > tests/test_{name}.py <<'PY'\nimport unittest\n\nfrom calc.{name} import {name}\n"
        f"\n\nclass {name.title()}Test(unittest.TestCase):\n    def test_{name}(self):\n"
        f"        self.assertEqual({name}(3), {3 * factor})\nPY\n"
    )


def part(name: str, factor: int) -> Part:
    """A sub-task that is done rightly."""
    files = (f"calc/{name}.py", f"tests/test_{name}.py")
    return Part(title=f"The {name} part", body=adds(name, factor), files=files)


DOUBLE = part("double", 2)
TRIPLE = part("triple", 3)
