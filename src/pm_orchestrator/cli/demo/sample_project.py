"""The sample project: small, real, with a Makefile that lints and tests."""

from collections.abc import Mapping
from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Command, CommandRunner

INSTRUCTION = (
    "Add three text helpers to the toolbox: a slug maker, a word counter and a roman numeral "
    "converter, each in its own module with its own tests."
)

FILES: dict[str, str] = {
    ".gitignore": "__pycache__/\n",
    "README.md": "# Toolbox\n\nSmall text helpers. `make lint` and `make test` check them.\n",
    "Makefile": (
        ".PHONY: lint test\n\n"
        "lint:\n\t@python3 tools/lint.py toolbox tests\n\n"
        "test:\n\t@python3 -m unittest discover -s tests\n"
    ),
    "tools/lint.py": '''"""A small linter: it compiles every file and looks at every line."""

import ast
import sys
from pathlib import Path

MAX_LINE = 100


def problems(path: Path) -> list[str]:
    """Everything wrong with one file."""
    text = path.read_text(encoding="utf-8")
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        return [f"{path}:{error.lineno}: {error.msg}"]
    found = [] if ast.get_docstring(tree) else [f"{path}:1: no module docstring"]
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > MAX_LINE:
            found.append(f"{path}:{number}: line too long")
        if line != line.rstrip():
            found.append(f"{path}:{number}: trailing space")
    return found


if __name__ == "__main__":
    files = sorted(f for name in sys.argv[1:] for f in Path(name).rglob("*.py"))
    lines = [line for f in files for line in problems(f)]
    print("\\n".join(lines) or f"{len(files)} files are clean")
    sys.exit(1 if lines else 0)
''',
    "toolbox/__init__.py": '"""Small text helpers."""\n',
    "toolbox/greeting.py": '''"""Greetings."""


def greet(name: str) -> str:
    """A friendly line for `name`."""
    return f"Hello, {name.strip() or 'world'}!"
''',
    "tests/__init__.py": '"""Tests of the toolbox."""\n',
    "tests/test_greeting.py": '''"""Tests of greetings."""

import unittest

from toolbox.greeting import greet


class GreetingTest(unittest.TestCase):
    """How people are greeted."""

    def test_name(self) -> None:
        self.assertEqual(greet("Ada"), "Hello, Ada!")

    def test_nobody(self) -> None:
        self.assertEqual(greet("  "), "Hello, world!")
''',
}


class SampleProject:
    """A project directory with one commit, and a bare repository as its remote."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.remote = folder / "remote.git"

    async def create(self, commands: CommandRunner, environment: Mapping[str, str]) -> None:
        """Write the files, commit them and push them."""
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.remote.mkdir()
        identity = ("-c", "user.name=Demo", "-c", "user.email=demo@localhost")
        for place, arguments in (
            (self.remote, ("init", "--quiet", "--bare", "--initial-branch=main")),
            (self.root, ("init", "--quiet", "--initial-branch=main")),
            (self.root, ("add", "--all")),
            (self.root, (*identity, "commit", "--quiet", "-m", "Start the toolbox")),
            (self.root, ("remote", "add", "origin", str(self.remote))),
            (self.root, ("push", "--quiet", "origin", "main")),
        ):
            await _git(commands, environment, place, arguments)


async def _git(
    commands: CommandRunner, environment: Mapping[str, str], place: Path, arguments: tuple[str, ...]
) -> None:
    result = await commands.run(
        Command(argv=("git", *arguments), cwd=place, env=environment, timeout_s=60)
    )
    if result.exit_code != 0:
        reason = result.stderr.decode(errors="replace").strip()
        raise PmError("git_failed", operation=arguments[0], reason=reason)
