"""A Runner killed at any of its durable writes: the next start puts everything right.

Killed are a new task, a task that goes on after an answer, and an undo; the undo also at
every program it starts, because most of its work is git's.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.history.session import RunStatus
from pm_orchestrator.domain.history.task_log import CUT_OFF, TaskLogStatus
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.evidence.records.open_log import TERMINAL

KILLED = Path(__file__).with_name("killed_runner.py")
RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1}'
CLAUDE = f"""#!/bin/sh
echo work >> FIRST.md
echo work >> SECOND.md
cat <<'EOF'
{RESULT}
EOF
"""
SIGKILLED = -9
INCOMPLETE = 2


class Site:
    """One project, and the program that may be killed in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "site"
        self._prepared = folder / "prepared"
        self.root = self._folder / "project"
        self.counter = folder / "points"
        self._bin = folder / "bin"
        self._home = self._folder / "home"
        for made in (self.root, self._bin, self._home):
            made.mkdir(parents=True)
        script = self._bin / "claude"
        script.write_text(CLAUDE, "utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        assert self.run(0, "before", "init") == 0

    def keep(self) -> None:
        """What every case begins with; the paths must be the same, the records know them."""
        shutil.copytree(self._folder, self._prepared, symlinks=True)

    def begin_again(self) -> None:
        shutil.rmtree(self._folder)
        shutil.copytree(self._prepared, self._folder, symlinks=True)

    def task(self) -> str:
        """The id of the only task so far."""
        (task,) = self.task_ids()
        return task

    def task_ids(self) -> list[str]:
        logs = self.root.glob(".claude/logs/sessions/*/tasks/task-*.json")
        return [json.loads(log.read_text("utf-8"))["task_id"] for log in logs]

    def files(self) -> dict[str, str]:
        """The user's own files."""
        return {path.name: path.read_text("utf-8") for path in self.root.glob("*.md")}

    def run(self, fatal: int, mode: str, *arguments: str) -> int:
        ran = subprocess.run(
            [
                *(sys.executable, str(KILLED), str(fatal), mode, str(self.counter)),
                *(*arguments, "--project", str(self.root)),
            ],
            env={
                "PATH": f"{self._bin}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(self._home),
                "LANG": "C.UTF-8",
            },
            capture_output=True,
            timeout=50,
            check=False,
        )
        # Shown by pytest where the test fails.
        sys.stderr.write(ran.stderr.decode("utf-8", "replace"))
        return ran.returncode

    def points(self, mode: str, *arguments: str) -> int:
        """How often an undisturbed run could have died."""
        assert self.run(0, mode, *arguments) == 0
        return int(self.counter.read_text("utf-8"))

    def check_everything(self) -> None:
        """No task is open, every list agrees with every log, the evidence is intact."""
        claude = self.root / ".claude"
        state = json.loads((claude / "repl.json").read_text("utf-8"))
        assert state["current_task_id"] is None
        unfinished = self.root / ".pm-orchestrator" / "runtime" / "state" / "unfinished.json"
        assert json.loads(unfinished.read_text("utf-8")) == {"tasks": []}
        book = TaskLogBook(LocalFiles(SystemClock()), SystemClock(), claude, Masker())
        for session in book.session_ids():
            book.check(session)
            entries = book.entries(session)
            logs = list((claude / "logs" / "sessions" / session / "tasks").glob("task-*.json"))
            assert len(logs) == len(entries)
            for entry in entries:
                log = book.read(session, entry.task_id)
                assert log.status is entry.status
                assert entry.status in TERMINAL
                if log.status is TaskLogStatus.ERROR:
                    assert log.error_reason == CUT_OFF
            runs = book.records(session).runs().values()
            assert all(run.status is not RunStatus.RUNNING for run in runs)
        ours = self._home / ".local" / "state" / "pm-orchestrator"
        (head,) = (ours / "heads").glob("*.json")
        assert check(claude, head).intact
        # Its own writes, half done, are no alteration of what it wrote.
        assert not list((ours / "running").glob("*.json"))


class Killed:
    """One command, killed at its points one after the other."""

    def __init__(self, site: Site, *arguments: str) -> None:
        self._site = site
        self._arguments = arguments
        site.keep()

    def at(self, step: int, modes: tuple[str, ...], go_on: Callable[[], None]) -> str:
        """Kill at every `step`-th point of each mode; `go_on` shows that nothing was lost."""
        said: list[str] = []
        for offset, mode in enumerate(modes):
            self._site.begin_again()
            points = self._site.points(mode, *self._arguments)
            # With steps, each mode takes other points.
            chosen = range(1 + offset % step, points + 1, step)
            for point in chosen:
                self._site.begin_again()
                assert self._site.run(point, mode, *self._arguments) == SIGKILLED
                go_on()
                self._site.check_everything()
            said.append(f"{mode}: {len(chosen)} of {points} points")
        return f"\n{self._arguments[0]} killed, {', '.join(said)}\n"


def kill_a_task(folder: Path, step: int) -> str:
    site = Site(folder)

    def go_on() -> None:
        assert site.run(0, "before", "run", "Update SECOND.md", "--solo") == 0

    killed = Killed(site, "run", "Create FIRST.md", "--solo")
    return killed.at(step, ("before", "torn"), go_on)


def kill_an_answered_task(folder: Path, step: int) -> str:
    site = Site(folder)
    assert site.run(0, "before", "run", "create it", "--solo") == INCOMPLETE
    task = site.task()

    def go_on() -> None:
        assert site.run(0, "before", "run", "Update SECOND.md", "--solo") == 0
        assert site.task_ids().count(task) == 1

    return Killed(site, "reply", task, "FIRST.md").at(step, ("before", "torn"), go_on)


def kill_an_undo(folder: Path, step: int) -> str:
    site = Site(folder)
    (site.root / "SECOND.md").write_text("mine\n", "utf-8")
    before = site.files()
    assert site.run(0, "before", "run", "Create FIRST.md", "--solo") == 0
    task, after = site.task(), site.files()

    def go_on() -> None:
        found: list[dict[str, str]] = []
        for _ in range(2):
            assert site.run(0, "before", "undo", task) == 0
            found.append(site.files())
        # Whichever way the killed one went: both states are still there, and nothing between.
        assert found in ([before, after], [after, before])

    return Killed(site, "undo", task).at(step, ("before", "torn", "command"), go_on)


KILLS = {"run": (kill_a_task, 23), "reply": (kill_an_answered_task, 20), "undo": (kill_an_undo, 6)}


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "command",
    ["run", *(pytest.param(name, marks=pytest.mark.long) for name in KILLS if name != "run")],
)
def test_a_runner_killed_at_some_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """R-26 TaskLog Lifecycle Recording: a killed Runner's task is closed by the next start."""
    kill, step = KILLS[command]
    said = kill(tmp_path, step)
    with capsys.disabled():
        sys.stdout.write(said)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("command", KILLS)
def test_a_runner_killed_at_every_point(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """R-26 TaskLog Lifecycle Recording: whichever durable write was the last one."""
    said = KILLS[command][0](tmp_path, 1)
    with capsys.disabled():
        sys.stdout.write(said)
