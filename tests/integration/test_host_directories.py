"""Directories of the host in bubblewrap, by whom and wherever they are gathered."""

import inspect
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.processes import directory_view
from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Channel, Command
from pm_orchestrator.ports.sandbox import HostDirectory, SandboxSpec

PATH = "/usr/bin:/bin"


class Strict(LocalCommands):
    """A system on which only bubblewrap may make namespaces."""

    refused = 0

    @override
    async def open(self, command: Command) -> Channel:
        if command.gathered is not None:
            self.refused += 1
            raise PmError("program_not_started", program="sh", reason="Operation not permitted")
        return await super().open(command)


@pytest.fixture
def installed() -> Iterator[Path]:
    """A directory that other users may pass through; pytest's own are private."""
    with tempfile.TemporaryDirectory(prefix="pm-installed-") as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "deep/er").mkdir(parents=True)
        (Path(folder) / "deep/er/file").write_text("as it is", encoding="utf-8")
        (Path(folder) / ".npmrc").write_text("token", encoding="utf-8")
        yield Path(folder)


def spec(installed: Path) -> SandboxSpec:
    seen = HostDirectory(source=installed, at="a b/mods", hidden=(".npmrc",), writable=True)
    return SandboxSpec(name="directories", directories=(seen,))


async def test_where_nothing_can_be_gathered_it_is_only_read(installed: Path) -> None:
    commands = Strict(kill_grace_s=0.2)
    runtime = BwrapRuntime(commands, search_path=PATH, kill_grace_s=0.2)
    for _ in range(2):
        sandbox = await runtime.open(spec(installed))
        try:
            assert await sandbox.read_file("a b/mods/deep/er/file") == b"as it is"
            script = "cd 'a b/mods'; echo 1 > deep/new || echo 2 > .npmrc || cat .npmrc"
            assert (await sandbox.run(("sh", "-c", script))).stdout == b""
        finally:
            await sandbox.close()
    assert not (installed / "deep/new").exists()
    assert (installed / ".npmrc").read_text(encoding="utf-8") == "token"
    # Once is enough to know.
    assert commands.refused == 1


async def test_a_system_without_a_place_to_gather_says_so(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pm_orchestrator.adapters.sandboxes.prepared.gathering.PLACES", ("/no",))
    runtime = BwrapRuntime(LocalCommands(), search_path=PATH)
    with pytest.raises(PmError, match="E701") as refused:
        await runtime.open(spec(installed))
    assert "mkdir /mnt" in str(refused.value.params["cure"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("overlays", [True, False])
def test_an_ordinary_user_gathers_too(installed: Path, *, overlays: bool) -> None:
    for path in (installed, *installed.rglob("*")):
        os.chown(path, 1000, 1000)
    without = "" if overlays else "UPPER = 'missing'\n_mkdir, os.mkdir = os.mkdir, lambda at: "
    without += "" if overlays else "None if at.endswith('missing') else _mkdir(at)\n"
    program = (
        inspect.getsource(directory_view)
        + without
        + (
            f"\ngather('/mnt', 1 << 20, None, [({str(installed)!r}, ['.npmrc'], True)])\n"
            "os.chdir('/mnt/0/seen')\n"
            "os.execvp('sh', ['sh', '-c', 'id -u; cat deep/er/file .npmrc; echo x > deep/new; "
            "head -c 2000000 /dev/zero > deep/big; ls deep; wc -c < deep/big'])"
        )
    )
    become = ("setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups")
    ran = subprocess.run(
        [*become, "/usr/bin/python3", "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.stdout.startswith("1000\nas it is"), ran.stderr
    assert "token" not in ran.stdout
    assert ("new" in ran.stdout) is overlays
    # What does not fit into the room is not written.
    assert not overlays or int(ran.stdout.split()[-1]) <= 1 << 20
    assert sorted(path.name for path in installed.rglob("*")) == [".npmrc", "deep", "er", "file"]
