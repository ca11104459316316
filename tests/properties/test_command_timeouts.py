"""E-12 with real processes: commands that end in time and commands that do not."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.ports.process import Command
from pm_orchestrator.testing.programs.traces import living, unique_sleep

pytestmark = pytest.mark.black_box

KILL_GRACE_S = 0.05
SLACK_S = 3.0

# Each way of taking too long; `{mark}` makes the sleeper recognisable.
ENDLESS = (
    "exec sleep {mark}",
    "sleep {mark}",
    "trap '' TERM; sleep {mark}",
    "setsid sleep {mark} & wait",
    "env -i /usr/bin/setsid sleep {mark} & sleep {mark}",
    "(setsid sleep {mark} &); while :; do sleep 0.01; done",
)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(
    scope="module", params=["supervised", pytest.param("trusted", marks=pytest.mark.long)]
)
def commands(request: pytest.FixtureRequest) -> LocalCommands:
    supervising = LocalCommands(kill_grace_s=KILL_GRACE_S)
    return supervising if request.param == "supervised" else supervising.trusted()


def command(script: str, timeout_s: float) -> Command:
    return Command(
        argv=("sh", "-c", script),
        cwd=Path("/"),
        env={"PATH": "/usr/bin:/bin"},
        timeout_s=timeout_s,
    )


@given(script=st.sampled_from(ENDLESS), timeout_ms=st.integers(0, 60))
def test_a_command_over_its_timeout_is_terminated(
    loop: asyncio.Runner, commands: LocalCommands, script: str, timeout_ms: int
) -> None:
    """E-12 Command Timeout Enforcement: over its timeout it is ended, tree and all, and says so."""
    mark = unique_sleep()
    begun = time.monotonic()
    result = loop.run(commands.run(command(script.format(mark=mark), timeout_ms / 1000)))
    took = time.monotonic() - begun
    assert result.timed_out
    assert result.exit_code is None
    assert living(mark) == []
    assert timeout_ms / 1000 <= took < timeout_ms / 1000 + KILL_GRACE_S + SLACK_S


@given(
    code=st.integers(0, 255),
    text=st.text("abcdefgh \n", max_size=40),
    timeout_s=st.floats(10, 1e6),
)
def test_a_command_within_its_timeout_is_left_alone(
    loop: asyncio.Runner, commands: LocalCommands, code: int, text: str, timeout_s: float
) -> None:
    """E-12 Command Timeout Enforcement: within its timeout it ends as it wants to."""
    result = loop.run(commands.run(command(f"printf '%s' '{text}'; exit {code}", timeout_s)))
    assert (result.timed_out, result.exit_code, result.stdout) == (False, code, text.encode())
