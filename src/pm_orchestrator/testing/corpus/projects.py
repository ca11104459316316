"""The projects that cases are done in: real repositories, made from a template and a case."""

import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from pm_orchestrator.testing.corpus.case import Case

TEMPLATES = Path(__file__).with_name("projects.toml")
ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "LANG": "C.UTF-8",
}


class Template(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A small project, and how a person runs its checks."""

    checks: str
    """A shell command; empty where there is nothing to run."""
    files: dict[str, str]


@cache
def templates() -> Mapping[str, Template]:
    """All of them, by name."""
    return msgspec.convert(tomllib.loads(TEMPLATES.read_text("utf-8")), dict[str, Template])


class ProjectMaker:
    """Makes the project of a case as a copy of one that the program has initialised once."""

    def __init__(self, initialised: Path, path: str) -> None:
        self._initialised = initialised
        self._path = path

    def __call__(self, case: Case, root: Path) -> Path:
        """The project, committed and prepared."""
        shutil.copytree(self._initialised, root, symlinks=True)
        for name, text in {**templates()[case.project].files, **case.files}.items():
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        self.shell(case.setup, root)
        self.shell("git add -A && git commit -qm 'Add the project'", root)
        self.shell(case.prepared, root)
        return root

    def shell(self, script: str, root: Path) -> None:
        """Run a script that has to go well."""
        if script:
            done = self.ended(script, root)
            assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"

    def ended(self, script: str, root: Path) -> "subprocess.CompletedProcess[str]":
        """Run a script as a person would in a terminal of this project."""
        # Some cases write where they have no business to; nothing but this case's own is there.
        beside = str(root.parent)
        return subprocess.run(
            ["sh", "-c", script],
            cwd=root,
            env={**ENVIRONMENT, "PATH": self._path, "HOME": beside, "TMPDIR": beside},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=40,
            check=False,
            stdin=subprocess.DEVNULL,
        )


def start_repository(root: Path) -> None:
    """A repository with one commit and somebody who may commit."""
    root.mkdir(parents=True)
    (root / "notes.md").write_text("# Notes\n", encoding="utf-8")
    environment = {**ENVIRONMENT, "PATH": os.environ["PATH"], "HOME": str(root.parent)}
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["config", "user.name", "A Person"],
        ["config", "user.email", "person@example.org"],
        ["add", "-A"],
        ["commit", "-qm", "Start"],
    ):
        subprocess.run(["git", *arguments], cwd=root, check=True, env=environment)


def one_attempt(root: Path) -> None:
    """Let a company try once: a scripted worker would only do the same again."""
    place = root / ".claude" / "settings.json"
    settings = json.loads(place.read_text("utf-8"))
    settings["company"]["max_attempts"] = 1
    place.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
