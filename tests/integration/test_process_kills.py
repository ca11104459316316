"""The door for child processes, with real children that do not want to die."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from pm_orchestrator.adapters.processes.local_channel import LocalChannel
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.ports.process import Command
from pm_orchestrator.testing.programs.traces import (
    living,
    unique_sleep,
    wait_until_gone,
    wait_until_living,
)

PATH = "/usr/bin:/bin"

# Forks, lets the parent exit, and starts again under a new number, for ever.
HOPPER = """
import os, sys
mark = sys.argv[1]
while True:
    if os.fork():
        os._exit(0)
    os.setsid()
"""
# A tree of four generations that leave their session and ignore SIGTERM.
STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
time.sleep(600)
"""
OWNER = """
import asyncio, sys
from pathlib import Path
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.ports.process import Command

async def main():
    commands = LocalCommands(kill_grace_s=0.2)
    def command(script):
        return Command(argv=("sh", "-c", script), cwd=Path("/"), env={"PATH": "/usr/bin:/bin"})
    await commands.open(command(sys.argv[1]))
    await commands.run(command(sys.argv[1]))

asyncio.run(main())
"""


@pytest.fixture(params=["supervised", "trusted"])
def commands(request: pytest.FixtureRequest) -> LocalCommands:
    """Both doors keep the same contract; `supervising` is for programs that attack their parent."""
    supervising = LocalCommands(kill_grace_s=0.2)
    return supervising if request.param == "supervised" else supervising.trusted()


@pytest.fixture
def supervising() -> LocalCommands:
    return LocalCommands(kill_grace_s=0.2)


def shell(script: str, timeout_s: float = 20.0) -> Command:
    return Command(
        argv=("sh", "-c", script), cwd=Path("/"), env={"PATH": PATH}, timeout_s=timeout_s
    )


def python(program: str, *arguments: str, timeout_s: float) -> Command:
    return Command(
        argv=(sys.executable, "-I", "-S", "-c", program, *arguments),
        cwd=Path("/"),
        env={},
        timeout_s=timeout_s,
    )


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("exec sleep {mark}", id="plain"),
        pytest.param("sleep {mark} & sleep {mark}", id="background", marks=pytest.mark.long),
        pytest.param("trap '' TERM; sleep {mark} & wait; sleep {mark}", id="ignores-sigterm"),
        pytest.param(
            "setsid sleep {mark} & exec sleep {mark}", id="own-session", marks=pytest.mark.long
        ),
        pytest.param(
            "env -i /usr/bin/setsid sleep {mark} & exec sleep {mark}", id="no-environment"
        ),
        pytest.param(
            "(setsid sh -c 'setsid sleep {mark} &' &); sleep {mark}",
            id="daemonised",
            marks=pytest.mark.long,
        ),
        pytest.param("(trap '' TERM HUP; setsid sleep {mark} &) ; sleep {mark}", id="deaf-daemon"),
        pytest.param("sleep {mark} & kill -STOP $!; kill -STOP $$", id="stopped"),
    ],
)
async def test_a_deadline_takes_the_whole_tree(commands: LocalCommands, script: str) -> None:
    """E-12: a command over its time is ended whole."""
    mark = unique_sleep()
    begun = time.monotonic()
    result = await commands.run(shell(script.format(mark=mark), timeout_s=0.3))
    assert living(mark) == []
    assert (result.exit_code, result.timed_out) == (None, True)
    assert time.monotonic() - begun < 3


async def test_sigterm_comes_first(commands: LocalCommands) -> None:
    result = await commands.run(shell("trap 'echo bye; exit 0' TERM; sleep 60 & wait", 0.3))
    assert (result.stdout, result.timed_out, result.exit_code) == (b"bye\n", True, None)


async def test_the_grace_period_is_kept(tmp_path: Path) -> None:
    patient = LocalCommands(kill_grace_s=1.0)
    script = "trap 'sleep 0.4; echo saved; exit 0' TERM; sleep 60 & wait"
    assert (await patient.run(shell(script, 0.2))).stdout == b"saved\n"


async def test_a_process_that_keeps_changing_its_number_is_caught(
    supervising: LocalCommands,
) -> None:
    mark = unique_sleep()
    result = await supervising.run(python(HOPPER, mark, timeout_s=0.3))
    assert living(mark) == []
    # Its first incarnation ends at once, so this is a sweep and no deadline.
    assert (result.exit_code, result.held) == (0, True)


async def test_generations_that_ignore_sigterm_are_killed(commands: LocalCommands) -> None:
    mark = unique_sleep()
    result = await commands.run(python(STUBBORN, mark, timeout_s=0.3))
    assert living(mark) == []
    assert result.timed_out


@pytest.mark.parametrize(
    ("script", "held"),
    [
        pytest.param("sleep {mark} & echo done", True, id="holds-the-pipe"),
        # Whoever is killed on the way to a session of its own has held nothing yet.
        pytest.param(
            "env -i /usr/bin/setsid sleep {mark} & echo done",
            None,
            id="from-afar",
            marks=pytest.mark.long,
        ),
        pytest.param("sleep {mark} >/dev/null 2>&1 & echo done", False, id="lets-it-go"),
        pytest.param("sleep 0.2 & echo done", False, id="ends-by-itself", marks=pytest.mark.long),
    ],
)
async def test_what_outlives_the_command_is_swept(
    commands: LocalCommands, script: str, held: bool | None
) -> None:
    mark = unique_sleep()
    begun = time.monotonic()
    result = await commands.run(shell(script.format(mark=mark)))
    assert living(mark) == []
    assert (result.exit_code, result.stdout) == (0, b"done\n")
    assert held is None or result.held is held
    assert time.monotonic() - begun < 3


async def test_cancelling_kills_before_it_leaves(commands: LocalCommands) -> None:
    mark = unique_sleep()
    task = asyncio.create_task(commands.run(shell(f"trap '' TERM; setsid sleep {mark} & wait")))
    await asyncio.to_thread(wait_until_living, mark)
    task.cancel()
    await asyncio.sleep(0.05)
    task.cancel()  # an impatient caller does not get away earlier
    with pytest.raises(asyncio.CancelledError):
        await task
    assert living(mark) == []


@pytest.mark.parametrize("turns", range(8))
async def test_cancelling_early_leaves_nothing(commands: LocalCommands, turns: int) -> None:
    mark = unique_sleep()
    for opening in (commands.run, commands.open):
        task = asyncio.create_task(opening(shell(f"exec sleep {mark}")))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        (end,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(end, LocalChannel):  # it was open before it could be cancelled
            await end.close(grace_s=0.1)
        else:
            assert isinstance(end, asyncio.CancelledError)
    assert await asyncio.to_thread(wait_until_gone, mark, 1.0) == []


async def test_a_command_that_kills_its_supervisor_does_not_escape(
    supervising: LocalCommands,
) -> None:
    mark = unique_sleep()
    result = await supervising.run(shell(f"setsid sleep {mark} & kill -KILL $PPID; sleep {mark}"))
    assert living(mark) == []
    assert result.exit_code is None
    assert (await supervising.run(shell("echo fine"))).stdout == b"fine\n"


@pytest.mark.long
async def test_a_command_that_stops_its_supervisor_is_ended_by_the_watchdog(
    supervising: LocalCommands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pm_orchestrator.adapters.processes.supervised.WATCHDOG_SLACK_S", 0.3)
    mark = unique_sleep()
    result = await supervising.run(shell(f"kill -STOP $PPID; setsid sleep {mark}", timeout_s=0.2))
    assert living(mark) == []
    assert result.exit_code is None


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.long)]
)
def test_the_death_of_the_owner_ends_its_children(how: signal.Signals) -> None:
    mark = unique_sleep()
    script = f"trap '' TERM; env -i /usr/bin/setsid sleep {mark} & sleep {mark}"
    owner = subprocess.Popen([sys.executable, "-c", OWNER, script])
    try:
        # Two of each of its two commands.
        assert len(wait_until_living(mark, 20, many=4)) >= 4
        below = psutil.Process(owner.pid).children(recursive=True)
        assert len(below) >= 4
        owner.send_signal(how)
        owner.wait(5)
    finally:
        owner.kill()
        owner.wait()
    assert wait_until_gone(mark) == []
    _, alive = psutil.wait_procs(below, timeout=5)
    assert alive == []


async def test_dropping_the_door_ends_the_zygote() -> None:
    commands = LocalCommands()
    first = await commands.run(shell("cut -d' ' -f4 /proc/$PPID/stat"))
    zygote = int(first.stdout)
    assert zygote in [child.pid for child in psutil.Process().children()]
    del commands
    assert not psutil.pid_exists(zygote)


async def test_a_ctrl_c_in_our_terminal_does_not_reach_the_zygote(
    supervising: LocalCommands,
) -> None:
    result = await supervising.run(shell("cut -d' ' -f4 /proc/$PPID/stat"))
    assert os.getsid(int(result.stdout)) != os.getsid(0)


async def test_a_channel_outlives_the_name_of_its_door() -> None:
    channel = await LocalCommands().open(shell("exec cat"))
    channel.write(b"still here")
    assert await channel.read_exactly(10) == b"still here"
    assert await channel.close() == 0
