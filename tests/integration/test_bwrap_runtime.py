"""bubblewrap in particular: who the commands are, what is said when it does not start."""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import psutil
import pytest

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.sandbox import Sandbox, SandboxSpec
from pm_orchestrator.testing.contracts.sandbox_contract import WRITABLE_PROC
from pm_orchestrator.testing.programs.traces import unique_sleep, wait_until_gone, wait_until_living

PATH = "/usr/bin:/bin"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")

OWNER = """
import asyncio, sys
from pathlib import Path
from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.ports.sandbox import SandboxSpec

async def main():
    runtime = BwrapRuntime(LocalCommands(), search_path="/usr/bin:/bin")
    sandbox = await runtime.open(SandboxSpec(name="owner"))
    await sandbox.run(("sh", "-c", f"setsid sleep {sys.argv[1][1:]} & wait"))

asyncio.run(main())
"""

Opener = Callable[[SandboxSpec], Awaitable[Sandbox]]


def runtime(search_path: str = PATH, start_deadline_s: float = 15.0) -> BwrapRuntime:
    return BwrapRuntime(
        LocalCommands(kill_grace_s=0.2),
        search_path=search_path,
        kill_grace_s=0.2,
        start_deadline_s=start_deadline_s,
    )


@pytest.fixture
async def opened() -> AsyncIterator[Opener]:
    sandboxes: list[Sandbox] = []

    async def open_one(spec: SandboxSpec) -> Sandbox:
        sandboxes.append(await runtime().open(spec))
        return sandboxes[-1]

    yield open_one
    for sandbox in sandboxes:
        await sandbox.close()


@pytest.fixture
def project() -> Iterator[Path]:
    """A directory that other users may pass through; pytest's own are private."""
    with tempfile.TemporaryDirectory(prefix="pm-project-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def tool_in(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("owner", [0, 1000, 4242])
@needs_root
async def test_a_bound_workspace_is_written_as_its_owner(
    opened: Opener, project: Path, owner: int
) -> None:
    os.chown(project, owner, owner)
    sandbox = await opened(SandboxSpec(name="bound", bind_workspace=project))
    await sandbox.write_file("by/file", b"1")
    await sandbox.run(("sh", "-c", "echo 2 > by/command"))
    assert (project / "by/file").read_bytes() == b"1"
    assert {(project / "by" / name).stat().st_uid for name in ("file", "command")} == {owner}
    groups = "memory in total" not in sandbox.unenforced
    assert ("processes" in sandbox.unenforced) == (owner == 0 and not groups)


@needs_root
async def test_where_the_owner_is_root_the_kernel_is_still_out_of_reach(
    opened: Opener, project: Path
) -> None:
    sandbox = await opened(SandboxSpec(name="root", bind_workspace=project))
    writable = await sandbox.run(("python3", "-c", WRITABLE_PROC), timeout_s=30)
    assert (writable.exit_code, writable.stdout) == (0, b"")
    status = await sandbox.run(("grep", "^Cap", "/proc/self/status"))
    assert {line.split()[1] for line in status.stdout.splitlines()} == {b"0" * 16}
    shadow = await sandbox.run(("cat", "/etc/shadow", "/etc/gshadow"))
    assert shadow.stdout == b""


async def test_the_owner_of_an_own_workspace_is_not_root(opened: Opener) -> None:
    sandbox = await opened(SandboxSpec(name="empty"))
    outer = (await sandbox.run(("cat", "/proc/self/uid_map"))).stdout
    host_view = await sandbox.run(("id", "-un"))
    assert host_view.stdout == b"worker\n"
    assert outer.split() != [b"0", b"0", b"4294967295"]
    assert set(sandbox.unenforced) <= {"cpu", "memory in total"}


async def test_the_number_of_processes_is_limited(opened: Opener) -> None:
    sandbox = await opened(SandboxSpec(name="few", max_processes=20))
    script = "i=0; while [ $i -lt 100 ]; do sleep 5 & i=$((i+1)); done; echo all"
    result = await sandbox.run(("sh", "-c", script), timeout_s=10)
    assert b"all" not in result.stdout
    assert b"fork" in result.stderr
    assert (await sandbox.run(("echo", "still"))).stdout == b"still\n"


async def test_the_memory_of_a_process_is_limited(opened: Opener) -> None:
    sandbox = await opened(SandboxSpec(name="small", memory_bytes=256 * 1024**2))

    async def taken(megabytes: int) -> bytes:
        script = f"print(len(bytearray({megabytes} * 1024**2)) >> 20)"
        return (await sandbox.run(("python3", "-c", script))).stdout.strip()

    assert await taken(100) == b"100"
    # A little more, for a moment, is nobody's loss.
    assert await taken(600) == b""


async def test_a_readable_directory_is_visible_and_read_only(project: Path) -> None:
    (project / "cli").write_text("text", "utf-8")
    readable = BwrapRuntime(LocalCommands(), search_path=PATH, readable=(project,))
    sandbox = await readable.open(SandboxSpec(name="readable"))
    try:
        assert (await sandbox.run(("cat", f"{project}/cli"))).stdout == b"text"
        assert (await sandbox.run(("touch", f"{project}/x"))).exit_code != 0
    finally:
        await sandbox.close()


async def test_without_bubblewrap_the_cure_is_named(tmp_path: Path) -> None:
    for name in ("sh", "setpriv"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    problem = await runtime(str(tmp_path)).problem()
    assert problem is not None
    assert "apt-get install bubblewrap" in problem


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo no user namespaces >&2; exit 1", "no user namespaces"),
        ("exec sleep 60", "no answer within 0.3 s"),
        ("cat >/dev/null & head -c 100000 /dev/zero", "unknown frame kind 0"),
        (r"""printf '\0\0\0\15\1\0\0\0\0{"version":9}'; exec sleep 60""", "does not speak version"),
    ],
)
async def test_what_does_not_start_is_explained(tmp_path: Path, script: str, said: str) -> None:
    tool_in(tmp_path, "bwrap", script)
    # Stays root, who alone may enter pytest's directories: drops its own options only.
    tool_in(tmp_path, "setpriv", 'until [ "${1%/bwrap}" != "$1" ]; do shift; done; exec "$@"')
    begun = time.monotonic()
    with pytest.raises(PmError, match="E701") as refused:
        await runtime(f"{tmp_path}:{PATH}", start_deadline_s=0.3).open(SandboxSpec(name="broken"))
    assert said in str(refused.value.params["reason"])
    assert time.monotonic() - begun < 5


async def test_a_workspace_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PmError, match="E701"):
        await runtime().open(SandboxSpec(name="x", bind_workspace=tmp_path / "missing"))


async def test_a_sandbox_that_is_killed_from_outside_is_gone(opened: Opener) -> None:
    mark = unique_sleep()
    sandbox = await opened(SandboxSpec(name="victim"))
    running = asyncio.create_task(sandbox.run(("sleep", mark)))
    (sleeper,) = await asyncio.to_thread(wait_until_living, mark)
    server = psutil.Process(sleeper).parents()[2]
    server.kill()
    with pytest.raises(PmError, match="E702"):
        await running
    with pytest.raises(PmError, match="E702"):
        await sandbox.write_file("x", b"")
    assert await asyncio.to_thread(wait_until_gone, mark) == []


def test_the_death_of_the_host_leaves_nothing() -> None:
    mark = unique_sleep()
    mounts = Path("/proc/self/mountinfo").read_text("utf-8")
    owner = subprocess.Popen([sys.executable, "-c", OWNER, f"x{mark}"])
    try:
        assert wait_until_living(mark, 15)
        below = psutil.Process(owner.pid).children(recursive=True)
        assert len(below) >= 6
        owner.kill()
        owner.wait(5)
    finally:
        owner.kill()
        owner.wait()
    _, alive = psutil.wait_procs(below, 5)
    assert alive == []
    assert Path("/proc/self/mountinfo").read_text("utf-8") == mounts


async def test_the_first_answer_comes_fast(opened: Opener) -> None:
    await opened(SandboxSpec(name="warm"))
    best = 10.0
    for _ in range(5):
        begun = time.monotonic()
        sandbox = await opened(SandboxSpec(name="fast"))
        await sandbox.list_directory(".")
        best = min(best, time.monotonic() - begun)
    # 40 ms on a quiet machine; the margin is for a busy one.
    assert best < 0.4
