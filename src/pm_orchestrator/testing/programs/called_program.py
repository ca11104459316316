"""Calling the program as a user does: a process of its own, in a given environment."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pm_orchestrator.testing.programs.preloaded_calls import call_preloaded, can_be_preloaded

PATIENCE_S = 50.0


def clean_environment(home: Path, temporary: Path) -> dict[str, str]:
    """What a user's shell gives, and nothing of this process's own settings."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }


class Ran:
    """One finished call."""

    def __init__(self, done: "subprocess.CompletedProcess[str]") -> None:
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Program:
    """`pm-orchestrator` with a working directory and an environment."""

    def __init__(
        self, cwd: Path, environment: Mapping[str, str], patience_s: float = PATIENCE_S
    ) -> None:
        self._cwd = cwd
        self.environment = environment
        self._patience_s = patience_s

    def __call__(
        self, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Ran:
        given = {**self.environment, **(env or {})}
        if can_be_preloaded(given, stdin):
            return Ran(
                call_preloaded(
                    arguments,
                    stdin=stdin,
                    cwd=self._cwd,
                    environment=given,
                    patience_s=self._patience_s,
                )
            )
        return Ran(
            subprocess.run(
                [sys.executable, "-m", "pm_orchestrator", *arguments],
                input=stdin,
                cwd=self._cwd,
                env=given,
                capture_output=True,
                text=True,
                timeout=self._patience_s,
                check=False,
            )
        )
