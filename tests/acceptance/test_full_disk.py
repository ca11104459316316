"""A disk without room, or cleaned in the middle of a task: told, closed, and nobody's lie."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

FILL = "echo hi > hello.md; cat /dev/zero > junk 2> /dev/null; true"
TAKE_ROOM = "rm .pm-orchestrator/runtime/state/*.room"
OWN_MOUNTS = ("unshare", *(() if os.geteuid() == 0 else ("--map-root-user",)), "--mount")
SCRIPT = """
set -e
mount -t tmpfs -o size="$SIZE" tmpfs "$PROJECT"
cp -r "$MADE"/. "$PROJECT"
set +e
"$PYTHON" -m pm_orchestrator run "Create hello.md" --solo --project "$PROJECT"
code=$?
rm -f "$PROJECT/junk"
mkdir "$LEFT" && cp -r "$PROJECT/.claude" "$LEFT"
"$PYTHON" -m pm_orchestrator start --project "$PROJECT" > /dev/null
"$PYTHON" -m pm_orchestrator evidence verify --project "$PROJECT" >&2 || code=99
cp -r "$PROJECT/.claude" "$LEFT/later"
exit $code
"""


def can_mount() -> bool:
    return shutil.which("unshare") is not None and not subprocess.call([*OWN_MOUNTS, "true"])


needs_mount = pytest.mark.skipif(not can_mount(), reason="nobody here may mount a disk")


class SmallDisk:
    """Runs one task in a project that is alone on a small disk."""

    def __init__(self, program: Program, project: Path, left: Path) -> None:
        self._program = program
        self._project = project
        self._left = left

    def run(self, claude: ClaudeScript, body: str, size: str) -> Ran:
        place = self._left.with_name("disk")
        place.mkdir()
        given = {"SIZE": size, "PROJECT": place, "MADE": self._project, "LEFT": self._left}
        environment = {
            **self._program.environment,
            **claude.does(body),
            **{name: str(value) for name, value in given.items()},
            "PYTHON": sys.executable,
        }
        command = [*OWN_MOUNTS, "sh", "-c", SCRIPT]
        return Ran(
            subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, timeout=30
            )
        )

    def log(self, when: str) -> dict[str, str]:
        (path,) = (self._left / when / "logs" / "sessions").glob("*/tasks/task-001.json")
        return json.loads(path.read_text("utf-8"))


@needs_mount
@pytest.mark.parametrize(("first", "at_once"), [("true", True), (TAKE_ROOM, False)])
def test_a_task_that_fills_the_disk_is_told_and_closed(
    program: Program,
    project: Path,
    claude: ClaudeScript,
    tmp_path: Path,
    first: str,
    at_once: bool,
) -> None:
    disk = SmallDisk(program, project, tmp_path / "left")
    ran = disk.run(claude, f"{first}; {FILL}", "12m")
    assert ran.code == 1, ran.out + ran.err
    assert "[RESULT]  ERROR" in ran.out
    assert "No space left on device; the work is neither proved nor refused" in ran.out
    assert "[HINT]    free disk space" in ran.out
    # Where not even the room kept for it was left, the next start closes it.
    assert disk.log(".claude")["status"] == ("error" if at_once else "running")
    closed = disk.log("later")
    assert closed["status"] == "error"
    assert ("No space left" in closed["error_reason"]) == at_once


@needs_mount
def test_a_task_is_not_begun_without_room_for_its_records(
    program: Program, project: Path, claude: ClaudeScript, tmp_path: Path
) -> None:
    disk = SmallDisk(program, project, tmp_path / "left")
    ran = disk.run(claude, "true", "900k")
    assert ran.code == 1, ran.out + ran.err
    assert "ERROR E902: " in ran.err
    assert "Execution" not in ran.out


@pytest.mark.parametrize("gone", [".pm-orchestrator/runtime/runs", ".pm-orchestrator"])
def test_a_removed_run_directory_is_made_again(
    program: Program, project: Path, claude: ClaudeScript, gone: str
) -> None:
    env = claude.does(f"rm -r {gone}; echo hi > hello.md")
    ran = program("run", "Create hello.md", "--solo", "--json", "--project", str(project), env=env)
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err
    (report,) = (project / ".pm-orchestrator" / "runtime" / "runs").glob("*/report.json")
    assert json.loads(report.read_text("utf-8"))["overall_status"] == "COMPLETE"
