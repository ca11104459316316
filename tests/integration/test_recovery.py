"""A Runner killed at any of its durable writes: the next start puts everything right."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.session import RunStatus
from pm_orchestrator.domain.task_log import TaskLogStatus
from pm_orchestrator.evidence.integrity import check
from pm_orchestrator.evidence.masking import Masker
from pm_orchestrator.evidence.open_log import TERMINAL
from pm_orchestrator.evidence.task_log import TaskLogBook
from pm_orchestrator.runner.recovery import REASON

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


class Site:
    """One project, and the program that may be killed in it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.counter = folder / "writes"
        self._bin = folder / "bin"
        self._home = folder / "home"
        for made in (self.root, self._bin, self._home):
            made.mkdir(parents=True)
        script = self._bin / "claude"
        script.write_text(CLAUDE, "utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        assert self.run(0, "before", "init") == 0

    def run(self, fatal: int, mode: str, *arguments: str) -> int:
        kept = {k: v for k, v in os.environ.items() if k.startswith("COV")}
        return subprocess.run(
            [
                *(sys.executable, str(KILLED), str(fatal), mode, str(self.counter)),
                *(*arguments, "--project", str(self.root)),
            ],
            env={
                **kept,
                "PATH": f"{self._bin}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(self._home),
                "LANG": "C.UTF-8",
            },
            capture_output=True,
            timeout=50,
            check=False,
        ).returncode

    def writes(self) -> int:
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
                    assert log.error_reason == REASON
            runs = book.records(session).runs().values()
            assert all(run.status is not RunStatus.RUNNING for run in runs)
        (head,) = (self._home / ".local" / "state" / "pm-orchestrator" / "heads").iterdir()
        assert check(claude, head).intact


def all_points(folder: Path) -> int:
    site = Site(folder)
    assert site.run(0, "before", "run", "Create FIRST.md", "--solo") == 0
    return site.writes()


def die_and_go_on(folder: Path, point: int, mode: str) -> None:
    site = Site(folder)
    assert site.run(point, mode, "run", "Create FIRST.md", "--solo") == SIGKILLED
    assert site.run(0, mode, "run", "Update SECOND.md", "--solo") == 0
    site.check_everything()
    shutil.rmtree(folder)


def kill_at(folder: Path, step: int, capsys: pytest.CaptureFixture[str]) -> None:
    points = all_points(folder / "whole")
    chosen = range(1, points + 1, step)
    for number, point in enumerate(chosen):
        modes = ("before", "torn") if step == 1 else (("before", "torn")[number % 2],)
        for mode in modes:
            die_and_go_on(folder / f"{point}-{mode}", point, mode)
    with capsys.disabled():
        sys.stdout.write(f"\n{points} durable writes; killed at {len(chosen)} of them\n")


@pytest.mark.timeout(240)
def test_a_runner_killed_at_some_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """R-26 TaskLog Lifecycle Recording: a killed Runner's task is closed by the next start."""
    kill_at(tmp_path, 5, capsys)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_runner_killed_at_every_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """R-26 TaskLog Lifecycle Recording: whichever durable write was the last one."""
    kill_at(tmp_path, 1, capsys)
