"""Helpers that somebody stops or kills, and orphans that nobody is left to end but us."""

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Command
from pm_orchestrator.testing.programs.traces import living, unique_sleep

ZYGOTE = "$(cut -d' ' -f4 /proc/$PPID/stat)"


@pytest.fixture
def commands() -> LocalCommands:
    return LocalCommands(kill_grace_s=0.2)


def shell(script: str, timeout_s: float = 20.0) -> Command:
    env = {"PATH": "/usr/bin:/bin"}
    return Command(argv=("sh", "-c", script), cwd=Path("/"), env=env, timeout_s=timeout_s)


async def test_a_stopped_zygote_goes_on(commands: LocalCommands) -> None:
    zygote = int((await commands.run(shell(f"echo {ZYGOTE}"))).stdout)
    os.kill(zygote, signal.SIGSTOP)
    begun = time.monotonic()
    assert (await commands.trusted().run(shell("echo fine"))).stdout == b"fine\n"
    # And once more while it is waited for.
    result = await commands.run(shell(f"kill -STOP {ZYGOTE}; echo fine"))
    assert result.stdout == b"fine\n"
    assert time.monotonic() - begun < 10


async def test_a_killed_zygote_is_replaced(commands: LocalCommands) -> None:
    result = await commands.run(shell(f"kill -KILL {ZYGOTE}; echo fine"))
    assert (result.exit_code, result.stdout) == (0, b"fine\n")
    assert (await commands.run(shell("echo again"))).stdout == b"again\n"


async def test_a_stopped_zygote_does_not_keep_us_from_leaving() -> None:
    commands = LocalCommands()
    zygote = int((await commands.run(shell(f"echo {ZYGOTE}"))).stdout)
    os.kill(zygote, signal.SIGSTOP)
    begun = time.monotonic()
    del commands
    assert time.monotonic() - begun < 5
    assert not psutil.pid_exists(zygote)


async def test_orphans_of_killed_helpers_are_ended_by_us(commands: LocalCommands) -> None:
    mark = unique_sleep()
    script = f"setsid sleep {mark} & z={ZYGOTE}; kill -KILL $z $PPID; exec sleep {mark}"
    with pytest.raises(PmError) as lost:
        await commands.run(shell(script))
    assert lost.value.code == "E903"
    assert living(mark) == []
