"""The light door beyond the contract of both (`test_process_door`, `test_process_kills`)."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Command, CommandResult
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.programs.traces import (
    living,
    unique_sleep,
    wait_until_gone,
    wait_until_living,
)

PATH = "/usr/bin:/bin"

# A git of ours, as the product starts it, that waits for a helper which never answers.
OWNER = """
import asyncio, sys
from pathlib import Path
from pm_orchestrator.adapters.git.command import Git, isolated_environment
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock

async def sink(line):
    pass

async def main(project, seconds):
    helper = seconds.removeprefix("for ")
    git = Git(LocalCommands().trusted(), SystemClock(), sink, isolated_environment("/usr/bin:/bin"))
    alias = {"alias.wait": f"!sleep {helper} & sleep {helper}"}
    await git.run(Path(project), "wait", settings=alias)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture
def supervising() -> LocalCommands:
    return LocalCommands(kill_grace_s=0.2)


@pytest.fixture
def commands(supervising: LocalCommands) -> LocalCommands:
    return supervising.trusted()


def shell(script: str, timeout_s: float = 20.0) -> Command:
    return Command(
        argv=("sh", "-c", script), cwd=Path("/"), env={"PATH": PATH}, timeout_s=timeout_s
    )


async def parent_of(commands: LocalCommands) -> int:
    return int((await commands.run(shell("echo $PPID"))).stdout)


async def test_no_process_stands_between_the_zygote_and_the_program(
    supervising: LocalCommands, commands: LocalCommands
) -> None:
    zygote = await parent_of(commands)
    assert psutil.Process(zygote).ppid() == os.getpid()
    # Both doors are of one zygote: a second one would cost more than the supervisors.
    above_supervisor = await supervising.run(shell("cut -d' ' -f4 /proc/$PPID/stat"))
    assert int(above_supervisor.stdout) == zygote


async def test_there_is_no_terminal_to_ask(commands: LocalCommands) -> None:
    result = await commands.run(shell("read -r x; echo $?; exec 2>&1; : < /dev/tty"))
    assert result.stdout.startswith(b"1\n")
    assert b"/dev/tty" in result.stdout
    assert result.exit_code != 0


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.long)]
)
def test_a_killed_owner_leaves_no_git_behind(tmp_path: Path, how: signal.Signals) -> None:
    project = GitProject(tmp_path / "project")
    mark = unique_sleep()
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(project.path), f"for {mark}"])
    try:
        wait_until_living(mark)
        below = psutil.Process(owner.pid).children(recursive=True)
        assert [process for process in below if process.name() == "git"]
        owner.send_signal(how)
        owner.wait(5)
    finally:
        owner.kill()
        owner.wait()
    assert wait_until_gone(mark) == []
    _, alive = psutil.wait_procs(below, timeout=5)
    assert alive == []


async def test_a_killed_zygote_leaves_no_program_behind(commands: LocalCommands) -> None:
    zygote = await parent_of(commands)
    mark = unique_sleep()
    task = asyncio.create_task(commands.run(shell(f"sleep {mark} & sleep {mark}")))
    await asyncio.to_thread(wait_until_living, mark)
    os.kill(zygote, signal.SIGKILL)
    with pytest.raises(PmError, match="E903"):
        await task
    assert await asyncio.to_thread(wait_until_gone, mark) == []


async def test_what_left_one_session_is_ended_and_no_other(commands: LocalCommands) -> None:
    """A leaver is found when its program ends; a neighbour still at work is none."""
    mark = unique_sleep()
    neighbour = asyncio.create_task(commands.run(shell("(sleep 0.6; echo child) & wait; echo me")))
    await asyncio.sleep(0.1)
    leaver = await commands.run(shell(f"(setsid sleep {mark} >/dev/null 2>&1 &); sleep 0.1"))
    assert (leaver.exit_code, living(mark)) == (0, [])
    assert (await neighbour).stdout == b"child\nme\n"


async def test_both_doors_at_once_keep_apart(
    supervising: LocalCommands, commands: LocalCommands
) -> None:
    async def numbered(number: int) -> CommandResult:
        door = commands if number % 2 else supervising
        # Every third is killed, every sixth takes its supervisor with it.
        script = f"sleep 0.2; echo {number}" if number % 3 else "kill -KILL $PPID; sleep 60"
        if number % 3 == 0 and number % 2:
            script = "sleep 60"
        return await door.run(shell(script, 20 if number % 3 else 0.1))

    results = await asyncio.gather(*(numbered(number) for number in range(18)))
    for number, result in enumerate(results):
        expected = (0, f"{number}\n".encode()) if number % 3 else (None, b"")
        assert (result.exit_code, result.stdout) == expected


async def test_an_order_longer_than_a_socket_holds_arrives(commands: LocalCommands) -> None:
    many = tuple("x" * 1_000 for _ in range(800))
    command = Command(argv=("printf", "%s", *many), cwd=Path("/"), env={"PATH": PATH})
    assert len((await commands.run(command)).stdout) == 800_000


async def test_a_busy_loop_delays_no_deadline(commands: LocalCommands) -> None:
    await commands.run(shell("true"))
    mark = unique_sleep()
    task = asyncio.create_task(commands.run(shell(f"exec sleep {mark}", timeout_s=0.3)))
    await asyncio.sleep(0.05)
    time.sleep(1.5)  # noqa: ASYNC251 - that is the point
    assert living(mark) == []
    assert (await task).timed_out


async def test_git_ended_at_its_deadline_leaves_no_lock(tmp_path: Path) -> None:
    """It gets a SIGTERM first, and takes its lock files away."""
    project = GitProject(tmp_path / "project")
    project.commit("start", **{"code.py": "print(1)\n"})
    fifo = tmp_path / "never"
    os.mkfifo(fifo)
    held = os.open(fifo, os.O_RDWR)
    try:
        waits = Command(
            argv=("sh", "-c", f"exec git update-index --add --stdin < {fifo}"),
            cwd=project.path,
            env={"PATH": PATH},
            timeout_s=0.5,
        )
        result = await LocalCommands().trusted().run(waits)
    finally:
        os.close(held)
    assert (result.timed_out, result.ended_with) == (True, "SIGTERM")
    assert not (project.path / ".git/index.lock").exists()
