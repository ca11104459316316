"""Agents for acceptance tests: a `claude` on PATH with an honest or a false end, and a project."""

import json
import os
import subprocess
from pathlib import Path

FILES = {
    "calc.py": '"""Sums."""\n\n\ndef add(a, b):\n    return a + b\n',
    "tests/__init__.py": "",
    "tests/test_calc.py": (
        "import unittest\n\nimport calc\n\n\nclass CalcTest(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n"
    ),
    "Makefile": "test:\n\t@python3 -B -m unittest discover -s tests -t . 2>&1\n",
    "old.txt": "old\n",
    ".gitignore": "__pycache__/\nbuild/\n",
}
# What it is asked about itself is no work.
INTRODUCED = (
    'case "$1" in --version) echo "2.1.325 (Claude Code)"; exit 0;; '
    "auth) echo '{\"loggedIn\": true}'; exit 0;; esac"
)


class ClaudeScript:
    """Puts a scripted `claude` into a directory and gives the environment that finds it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def does(
        self,
        body: str,
        *,
        says: str = "Done.",
        ends_with: str | None = None,
        exit_code: int = 0,
    ) -> dict[str, str]:
        """A claude that runs `body` as a shell script and then says its result."""
        result = {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": says,
            "num_turns": 1,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }
        end = json.dumps(result) if ends_with is None else ends_with
        script = self._folder / "claude"
        script.write_text(
            f"#!/bin/sh\n{INTRODUCED}\n{body}\n"
            f"cat <<'END_OF_RESULT'\n{end}\nEND_OF_RESULT\nexit {exit_code}\n",
            encoding="utf-8",
        )
        script.chmod(0o755)
        return {"PATH": f"{self._folder}{os.pathsep}{os.environ['PATH']}"}


def python_project(root: Path) -> None:
    """Fill a project with a little Python, one test and a Makefile, all committed."""
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    commit_all(root)


def commit_all(root: Path) -> None:
    """Commit everything there is."""
    identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"]
    for arguments in (["add", "-A"], [*identity, "commit", "-qm", "More"]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
