"""Where no control group can be made, the limits of a sandbox hold all the same."""

import os
from collections.abc import AsyncIterator

import pytest

from pm_orchestrator.adapters.sandboxes import bwrap
from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.sandboxes.control_groups import ControlGroup, GroupLimits
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.ports.sandbox import Sandbox, SandboxSpec

MIB = 1024**2
ALONE = "kept = []\nwhile True: kept.append(b'x' * (8 << 20))"
TOGETHER = """
import os, signal, sys, time
for _ in range(6):
    if os.fork() == 0:
        kept = b"x" * (40 << 20)
        time.sleep(60)
left = [os.waitpid(-1, 0)[1]]
os.killpg(0, signal.SIGKILL)
"""


@pytest.fixture
async def sandbox(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sandbox]:
    def none(_name: str, _wanted: GroupLimits) -> ControlGroup:
        return ControlGroup({})

    monkeypatch.setattr(bwrap, "control_group", none)
    runtime = BwrapRuntime(LocalCommands(kill_grace_s=0.2), search_path="/usr/bin:/bin")
    spec = SandboxSpec(name="full", memory_bytes=128 * MIB, disk_bytes=64 * MIB, cpus=1)
    opened = await runtime.open(spec)
    yield opened
    await opened.close()


@pytest.mark.parametrize("script", [ALONE, TOGETHER], ids=["alone", "together"])
async def test_want_of_memory_is_told_apart_from_failure(sandbox: Sandbox, script: str) -> None:
    starved = await sandbox.run(("python3", "-c", script), timeout_s=60)
    assert starved.out_of_memory
    failed = await sandbox.run(("sh", "-c", "exit 137"))
    assert not failed.out_of_memory
    # Files in memory are bounded by what they may take on the disk.
    files = await sandbox.run(("sh", "-c", "head -c 60000000 /dev/zero > big && ls"))
    assert (files.exit_code, files.stdout) == (0, b"big\n")


async def test_it_is_said_what_holds_them(sandbox: Sandbox) -> None:
    processes = "watcher" if os.geteuid() == 0 and sandbox.held_by["processes"] == "watcher" else ""
    assert sandbox.held_by == {
        "memory": "watcher",
        "cpu": "affinity",
        "processes": processes or "rlimits",
    }
    assert sandbox.unenforced == ()
    assert (await sandbox.run(("nproc",))).stdout == b"1\n"
