"""E-10 and E-11 with real sandboxes: any number of them share nothing and leave nothing."""

import asyncio
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings, strategies as st

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.sandbox import Sandbox, SandboxSpec
from pm_orchestrator.testing.programs.traces import unique_sleep, wait_until_gone

pytestmark = pytest.mark.black_box

CLEANUP_S = 60.0
"""The default limit of the specification; ours is far below."""


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def runtime() -> BwrapRuntime:
    return BwrapRuntime(LocalCommands(0.1), search_path="/usr/bin:/bin", kill_grace_s=0.1)


@pytest.fixture(scope="module")
def pair(loop: asyncio.Runner, runtime: BwrapRuntime) -> Iterator[tuple[Sandbox, Sandbox]]:
    opened = tuple(loop.run(runtime.open(SandboxSpec(name=name))) for name in ("one", "two"))
    yield opened[0], opened[1]
    for sandbox in opened:
        loop.run(sandbox.close())


@given(
    place=st.sampled_from(["/workspace", "/tmp", "/home/worker", "/dev/shm"]),
    name=st.text("abcdef0123456789", min_size=1, max_size=12),
    text=st.text("ghijkl", min_size=4, max_size=12),
)
def test_sandboxes_share_no_files(
    loop: asyncio.Runner, pair: tuple[Sandbox, Sandbox], place: str, name: str, text: str
) -> None:
    """E-10 Worker Container Isolation: no file of one is seen or changed by the other."""
    one, two = pair
    path = f"{place}/{name}"

    async def look() -> None:
        await one.run(("sh", "-c", f"echo {text} > {path}"))
        other = await two.run(("sh", "-c", f"cat {path}; echo other > {path}"))
        assert text.encode() not in other.stdout
        mine = await one.run(("sh", "-c", f"cat {path}; rm {path}"))
        assert mine.stdout == f"{text}\n".encode()

    loop.run(look())


LISTENER = """
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
open(sys.argv[2], "w").close()
time.sleep(20)
"""


@pytest.mark.parametrize("port", [1024, 8080, 65535])
def test_sandboxes_share_no_network(
    loop: asyncio.Runner, pair: tuple[Sandbox, Sandbox], port: int
) -> None:
    """E-10 Worker Container Isolation: each has a loopback of its own."""

    async def connect(sandbox: Sandbox) -> int | None:
        program = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        return (await sandbox.run(("python3", "-S", "-c", program))).exit_code

    async def look() -> None:
        one, two = pair
        path = f"/tmp/{port}"
        serving = asyncio.create_task(one.run(("python3", "-c", LISTENER, str(port), path)))
        await one.run(("sh", "-c", f"until [ -e {path} ]; do sleep 0.01; done"), timeout_s=15)
        assert (await connect(one), await connect(two)) == (0, 1)
        serving.cancel()
        await asyncio.wait({serving})

    loop.run(look())


# Each of them is a real sandbox.
@settings(max_examples=40)
@given(
    ending=st.sampled_from(["success", "failure", "timeout", "running", "cancelled"]),
    leftovers=st.integers(0, 3),
    delay_ms=st.integers(0, 15),
)
def test_a_closed_sandbox_is_destroyed(
    loop: asyncio.Runner, runtime: BwrapRuntime, ending: str, leftovers: int, delay_ms: int
) -> None:
    """E-11 Worker Container Cleanup: however the task ended, nothing of its sandbox is left."""
    mark = unique_sleep()
    background = f"env -i /usr/bin/setsid sleep {mark} & " * leftovers
    last = {"success": "true", "failure": "exit 1"}.get(ending, f"sleep {mark}")

    async def live_and_die() -> float:
        sandbox = await runtime.open(SandboxSpec(name="cleanup", disk_bytes=1024**2))
        limit = 0.02 if ending == "timeout" else 20.0
        task = asyncio.create_task(sandbox.run(("sh", "-c", background + last), timeout_s=limit))
        if ending == "timeout":
            assert (await task).timed_out
        else:
            await asyncio.sleep(delay_ms / 1000)
        if ending == "cancelled":
            task.cancel()
        begun = time.monotonic()
        await sandbox.close()
        try:
            await task
        except (asyncio.CancelledError, PmError):
            pass  # the command went down with its sandbox
        return time.monotonic() - begun

    assert loop.run(live_and_die()) < CLEANUP_S / 10
    assert wait_until_gone(mark) == []
