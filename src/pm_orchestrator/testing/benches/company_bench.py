"""A project with a scripted company at work in it, for tests that ask what a user is left with."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_company import ScriptedCompany

RUNNERS_OWN = (".git", ".claude", ".pm-orchestrator")


class Started:
    """A call of the program that runs beside the test."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.pid = process.pid
        self.out = self.err = ""

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program itself, as a terminal or a person would."""
        self._process.send_signal(number)

    def ends(self, seconds: float = 30.0) -> int:
        """Wait for its end; returns its exit code."""
        self.out, self.err = self._process.communicate(timeout=seconds)
        return self._process.returncode

    def descendants(self) -> list[int]:
        """The processes it has started and those they have started."""
        return _below(self._process.pid)


class CompanyBench:
    """The program, a project at `root` and the company that answers it."""

    def __init__(self, program: Program, root: Path, company: ScriptedCompany) -> None:
        self._program = program
        self.root = root
        self.company = company
        self.repository = GitProject.at(root)

    def __call__(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        """Call the program in this project."""
        given = {**self.company.environment, **(env or {})}
        return self._program(*arguments, "--project", str(self.root), env=given)

    def run(self, instruction: str, *options: str, env: Mapping[str, str] | None = None) -> Ran:
        """Have the company carry out an instruction; the result is JSON."""
        return self("run", instruction, "--json", *options, env=env)

    @contextmanager
    def started(self, *arguments: str, env: Mapping[str, str] | None = None) -> Generator[Started]:
        """Start the program beside the test; it is gone afterwards, whatever happens."""
        given = {**self._program.environment, **self.company.environment, **(env or {})}
        process = subprocess.Popen(
            [sys.executable, "-m", "pm_orchestrator", *arguments, "--project", str(self.root)],
            cwd=self.root,
            env=given,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            yield Started(process)
        finally:
            if process.poll() is None:
                _kill(process.pid)
            process.communicate()

    def refs(self, prefix: str) -> dict[str, str]:
        """Names and commits of the user's repository below `prefix`."""
        form = "--format=%(refname) %(objectname)"
        lines = self.repository.git("for-each-ref", form, prefix).splitlines()
        return dict(line.split(" ") for line in lines)

    @property
    def branches(self) -> dict[str, str]:
        """The branches of agents in the user's repository."""
        return self.refs("refs/heads/agent/")

    @property
    def rescued(self) -> dict[str, str]:
        """What was saved in the user's repository without a branch of its own."""
        return self.refs("refs/pm/rescue/")

    def kept(self, path: str) -> bool:
        """Whether some agent's branch or rescue ref in the user's repository has the file."""
        found = {**self.branches, **self.rescued}.values()
        return any(path in self.names(commit) for commit in found)

    def names(self, commit: str) -> list[str]:
        """The files of a commit."""
        listing = self.repository.git("ls-tree", "-r", "-z", "--name-only", commit)
        return [name for name in listing.split("\0") if name]

    def tree(self, commit: str) -> str:
        """The id of a commit's tree: the same id, the same content."""
        return self.repository.git("rev-parse", f"{commit}^{{tree}}")

    def worktree(self) -> dict[str, tuple[int, bytes]]:
        """The user's own files, byte by byte."""
        return {
            name.as_posix(): (path.stat().st_mode, path.read_bytes())
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and (name := path.relative_to(self.root)).parts[0] not in RUNNERS_OWN
        }

    def run_folders(self) -> list[Path]:
        """Where the runs keep their logs, the oldest first; the parts' own runs keep none."""
        folders = (self.root / ".pm-orchestrator/runtime/runs").glob("run_*")
        return sorted(folder for folder in folders if any(folder.iterdir()))

    def events(self, run: int = -1) -> list[dict[str, Any]]:
        """What a run has told so far; a line that is being written does not count yet."""
        place = self.run_folders()[run] / "events.jsonl" if self.run_folders() else None
        if place is None or not place.exists():
            return []
        text = place.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def accepted(self) -> int:
        """How many sub-tasks the Runner has found complete in the last run."""
        return sum(
            event["kind"] == "examined" and event["detail"]["status"] == "COMPLETE"
            for event in self.events()
        )


def wait_until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait for something another process does."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


def still_there(pids: list[int]) -> list[int]:
    """Those of the processes that live; a moment is given for the last of them to go."""
    end = time.monotonic() + 5
    while (living := [pid for pid in pids if _lives(pid)]) and time.monotonic() < end:
        time.sleep(0.05)
    return living


def _kill(pid: int) -> None:
    """End a process and what it has started, which it could not do any more."""
    for doomed in (pid, *_below(pid)):
        try:
            os.kill(doomed, signal.SIGKILL)
        except ProcessLookupError:
            # It went with its parent.
            continue


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return _state(pid) not in {"Z", ""}


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        # It went between two looks.
        return ""


def _below(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    children = [int(child) for child in text.split()]
    return children + [found for child in children for found in _below(child)]
