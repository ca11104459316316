"""Calling the program as a user does: a process of its own, in a given environment."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


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

    def __init__(self, cwd: Path, environment: Mapping[str, str]) -> None:
        self._cwd = cwd
        self.environment = environment

    def __call__(
        self, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Ran:
        return Ran(
            subprocess.run(
                [sys.executable, "-m", "pm_orchestrator", *arguments],
                input=stdin,
                cwd=self._cwd,
                env={**self.environment, **(env or {})},
                capture_output=True,
                text=True,
                timeout=50,
                check=False,
            )
        )
