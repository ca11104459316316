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
from pm_orchestrator.testing.traces import unique_sleep, wait_until_gone

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
    port=st.integers(1024, 65535),
)
def test_sandboxes_share_no_files_and_no_network(
    loop: asyncio.Runner,
    pair: tuple[Sandbox, Sandbox],
    place: str,
    name: str,
    port: int,
) -> None:
    """E-10 Worker Container Isolation: no file, port or process of one is seen by the other."""
    one, two = pair

    async def look() -> None:
        listener = (
            "import os, socket, sys, time; s = socket.create_server(('127.0.0.1', int(sys.argv[1])));"
            "open(sys.argv[2], 'w').close(); time.sleep(20)"
        )
        path = f"{place}/{name}"
        serving = asyncio.create_task(one.run(("python3", "-S", "-c", listener, str(port), path)))
        try:
            seen = ("sh", "-c", f"until [ -e {path} ]; do sleep 0.01; done; cat /proc/net/tcp")
            inside = await one.run(seen, timeout_s=15)
            assert f"0100007F:{port:04X}".encode() in inside.stdout
            looking = f"ls -d {path}; cat /proc/net/tcp; cat /proc/*/cmdline | tr '\\0' ' '"
            outside = await two.run(("sh", "-c", looking))
            assert name.encode() + b"\n" not in outside.stdout
            assert f"{port:04X} 00000000".encode() not in outside.stdout
            assert b"create_server" not in outside.stdout
        finally:
            serving.cancel()
            await asyncio.wait({serving})
            await one.run(("rm", "-f", path))

    loop.run(look())


@settings(max_examples=100)
@given(
    ending=st.sampled_from(["success", "failure", "timeout", "running", "cancelled"]),
    leftovers=st.integers(0, 3),
)
def test_a_closed_sandbox_is_destroyed(
    loop: asyncio.Runner, runtime: BwrapRuntime, ending: str, leftovers: int
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
            await asyncio.sleep(0.01)
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
