"""What every sandbox runtime must do, checked with a real sandbox.

A runtime's conformance test subclasses `SandboxContract` and gives the `runtime`
fixture; nothing else. Checks that look from the host (nothing is left behind)
find processes by a mark, whatever technology runs them.
"""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.hands import Hands
from pm_orchestrator.ports.sandbox import (
    ForwardedPort,
    HostDirectory,
    HostFile,
    Sandbox,
    SandboxRuntime,
    SandboxSpec,
)
from pm_orchestrator.testing.contracts.hands_contract import HandsContract
from pm_orchestrator.testing.programs.traces import unique_sleep, wait_until_gone, wait_until_living

MIB = 1024**2
_HOME = str(Path.home())

# Opens for writing and writes nothing: a hole must be found without using it.
WRITABLE_PROC = """
import os
for base, folders, files in os.walk("/proc"):
    if base == "/proc":
        folders[:] = [name for name in folders if not name.isdigit()]
    for name in files:
        try:
            os.close(os.open(os.path.join(base, name), os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            continue
        print(os.path.join(base, name))
"""
_OPEN_CHANNEL = """
import os
for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    if pid == str(os.getpid()):
        continue
    for number in range(64):
        for flags in (os.O_RDONLY | os.O_NONBLOCK, os.O_WRONLY | os.O_NONBLOCK):
            try:
                os.close(os.open(f"/proc/{pid}/fd/{number}", flags))
            except OSError:
                continue
            print(pid, number)
"""
_EAT_ALONE = "kept = []\nwhile True: kept.append(b'x' * (8 << 20))"
_EAT = """
import os
readers = []
for _ in range(6):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        kept = b"x" * (80 * 1024**2)
        os.write(writer, b"1")
        os.read(os.pipe()[0], 1)
    os.close(writer)
    readers.append(reader)
ate = [os.read(reader, 1) for reader in readers]
os.killpg(0, 9) if b"" in ate else os._exit(0)
"""
_CONNECT = """
import socket, sys
for family, host in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
    try:
        end = socket.socket(family)
        end.settimeout(2)
        end.connect((host, 9))
    except OSError:
        continue
    print("connected to", host)
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
    print("reached the host")
except OSError:
    pass
print([name for _, name in socket.if_nameindex()])
"""

_CALL = """
import socket, sys
from concurrent.futures import ThreadPoolExecutor
def call(number):
    said = bytes([number]) * 1_000_000
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20) as connection:
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile("rb") as answer:
            return answer.read() == b"heard " + said
with ThreadPoolExecutor(4) as pool:
    answers = list(pool.map(call, range(4)))
print(*answers, sep="\\n")
sys.exit(not all(answers))
"""


def _touched(*roots: Path) -> dict[Path, int]:
    return {path: path.lstat().st_mtime_ns for root in roots for path in root.rglob("*")}


class SandboxContract(HandsContract):
    """Subclass it and override `runtime`."""

    @pytest.fixture
    def runtime(self) -> SandboxRuntime:
        raise NotImplementedError

    @pytest.fixture
    async def sandbox(self, runtime: SandboxRuntime) -> AsyncIterator[Sandbox]:
        opened = await runtime.open(SandboxSpec(name="contract", disk_bytes=64 * MIB))
        yield opened
        await opened.close()

    @pytest.fixture
    @override
    def hands(self, sandbox: Sandbox) -> Hands:
        return sandbox

    async def test_it_is_ready(self, runtime: SandboxRuntime) -> None:
        assert await runtime.problem() is None

    async def test_twenty_megabytes_go_in_and_out(self, sandbox: Sandbox) -> None:
        data = os.urandom(20 * MIB)
        await sandbox.write_file("big", data)
        assert await sandbox.read_file("big", limit=20 * MIB) == data

    @pytest.mark.parametrize(
        "path",
        [
            "../tmp/planted",
            "a/../../tmp/planted",
            "/etc/passwd",
            "/proc/1/environ",
            "outside/passwd",
            "up/tmp/planted",
            "direct",
        ],
    )
    async def test_paths_cannot_leave_the_workspace(self, sandbox: Sandbox, path: str) -> None:
        links = "ln -s /etc outside; ln -s .. up; ln -s /tmp/planted direct"
        await sandbox.run(("sh", "-c", f"echo secret > /tmp/planted; {links}"))
        with pytest.raises(PmError, match="E703"):
            await sandbox.read_file(path)
        with pytest.raises(PmError, match="E703"):
            await sandbox.write_file(path, b"x")
        with pytest.raises(PmError, match="E703"):
            await sandbox.list_directory(str(Path(path).parent) if "/" in path else path)
        assert (await sandbox.run(("cat", "/tmp/planted"))).stdout == b"secret\n"

    async def test_the_network_is_off(self, sandbox: Sandbox) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = str(listener.getsockname()[1])
            result = await sandbox.run(("python3", "-c", _CONNECT, port), timeout_s=20)
        assert result.stdout == b"['lo']\n"

    async def test_one_port_leads_to_the_one_address_it_is_for(
        self, runtime: SandboxRuntime
    ) -> None:
        async def repeat(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            said = await reader.read()
            writer.write(b"heard " + said)
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(repeat, "127.0.0.1", 0)
        port: int = server.sockets[0].getsockname()[1]
        spec = SandboxSpec(name="led", forwarded=ForwardedPort(port=4180, to=port))
        sandbox = await runtime.open(spec)
        try:
            called = await sandbox.run(("python3", "-c", _CALL, "4180"), timeout_s=60)
            others = await sandbox.run(("python3", "-c", _CONNECT, str(port)), timeout_s=20)
            server.close()
            refused = await sandbox.run(("python3", "-c", _CALL, "4180"), timeout_s=60)
            after = await sandbox.run(("echo", "still"))
        finally:
            await sandbox.close()
            server.close()
        # More than any credit, from several at once, and each its own.
        assert (called.stdout, called.exit_code) == (b"True\n" * 4, 0), called.stderr
        assert others.stdout == b"['lo']\n"
        assert refused.exit_code != 0
        assert after.stdout == b"still\n"

    async def test_who_hangs_up_inside_is_missed_outside(self, runtime: SandboxRuntime) -> None:
        gone = asyncio.Event()

        async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                while True:
                    writer.write(bytes(65536))
                    await writer.drain()
            except ConnectionError:
                gone.set()

        server = await asyncio.start_server(flood, "127.0.0.1", 0)
        port: int = server.sockets[0].getsockname()[1]
        spec = SandboxSpec(name="left", forwarded=ForwardedPort(port=4180, to=port))
        sandbox = await runtime.open(spec)
        try:
            calls = "import socket; socket.create_connection(('127.0.0.1', 4180)).recv(9)"
            await sandbox.run(("python3", "-c", calls), timeout_s=20)
            async with asyncio.timeout(20):
                await gone.wait()
        finally:
            await sandbox.close()
            server.close()

    async def test_the_network_is_on_where_that_is_asked_for(
        self, runtime: SandboxRuntime, tmp_path: Path
    ) -> None:
        spec = SandboxSpec(name="network", bind_workspace=tmp_path, network=True)
        sandbox = await runtime.open(spec)
        try:
            with socket.create_server(("127.0.0.1", 0)) as listener:
                port = str(listener.getsockname()[1])
                result = await sandbox.run(("python3", "-c", _CONNECT, port), timeout_s=20)
            # Names can be looked up, and it is still nobody who sees the host's keys.
            shown = await sandbox.run(("sh", "-c", "cat /etc/hosts; ls /etc/shadow /etc/ssl"))
        finally:
            await sandbox.close()
        assert b"reached the host" in result.stdout
        assert b"localhost" in shown.stdout
        assert b"private" not in shown.stdout
        assert b"/etc/shadow\n" not in shown.stdout

    async def test_the_host_is_not_visible(self, sandbox: Sandbox) -> None:
        places = ("/etc/shadow", "/root", "/var", "/sys", _HOME, f"/proc/{os.getpid()}")
        assert (await sandbox.run(("ls", "-d", *places))).stdout == b""

    async def test_the_environment_is_clean(
        self, runtime: SandboxRuntime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PM_SECRET", "leaked")
        sandbox = await runtime.open(SandboxSpec(name="clean"))
        try:
            result = await sandbox.run(("env",))
        finally:
            await sandbox.close()
        names = {line.split("=")[0] for line in result.stdout.decode().splitlines()}
        assert names == {"PATH", "HOME", "LANG", "TMPDIR"}

    async def test_the_system_is_read_only(self, sandbox: Sandbox) -> None:
        script = (
            "for d in / /usr /etc /dev /proc; do touch $d/x && echo $d; done; touch ~/x $TMPDIR/x"
        )
        result = await sandbox.run(("sh", "-c", script))
        assert (result.stdout, result.exit_code) == (b"", 0)

    async def test_no_setting_of_the_kernel_can_be_written(self, sandbox: Sandbox) -> None:
        result = await sandbox.run(("python3", "-c", WRITABLE_PROC), timeout_s=30)
        assert (result.exit_code, result.stdout) == (0, b"")

    async def test_the_channel_cannot_be_reached_by_a_command(self, sandbox: Sandbox) -> None:
        result = await sandbox.run(("python3", "-c", _OPEN_CHANNEL), timeout_s=30)
        assert (result.exit_code, result.stdout) == (0, b"")
        inherited = await sandbox.run(("sh", "-c", "ls /proc/$$/fd"))
        assert inherited.stdout.split() == [b"0", b"1", b"2"]

    async def test_the_tool_server_survives_the_signals_of_a_command(
        self, sandbox: Sandbox
    ) -> None:
        await sandbox.run(("sh", "-c", "for s in STOP INT TERM HUP KILL; do kill -$s 1; done"))
        assert (await sandbox.run(("echo", "alive"))).stdout == b"alive\n"

    async def test_the_workspace_has_a_size(self, sandbox: Sandbox) -> None:
        result = await sandbox.run(("sh", "-c", "head -c 100000000 /dev/zero > big"))
        assert result.exit_code != 0
        with pytest.raises(PmError, match="E703"):
            await sandbox.write_file("more", bytes(80 * MIB))
        # The unfinished copy is gone again.
        assert [entry.name for entry in await sandbox.list_directory("")] == ["big"]

    async def test_want_of_memory_is_told_apart_from_failure(self, runtime: SandboxRuntime) -> None:
        spec = SandboxSpec(name="full", memory_bytes=128 * MIB, disk_bytes=16 * MIB)
        sandbox = await runtime.open(spec)
        try:
            failed = await sandbox.run(("sh", "-c", "exit 137"))
            alone = await sandbox.run(("python3", "-c", _EAT_ALONE), timeout_s=60)
            # Each of them within what one process may have.
            starved = await sandbox.run(("python3", "-c", _EAT), timeout_s=60)
            after = await sandbox.run(("echo", "still"))
        finally:
            await sandbox.close()
        assert not failed.out_of_memory
        assert alone.out_of_memory is ("memory" not in sandbox.unenforced)
        assert starved.out_of_memory is ("memory" not in sandbox.unenforced)
        assert (starved.exit_code == 0) is ("memory" in sandbox.unenforced)
        # Who holds a limit is said, or that nobody does.
        assert {"memory", "processes"} <= {*sandbox.held_by, *sandbox.unenforced}
        assert after.stdout == b"still\n"

    async def test_a_file_of_the_host_is_copied_in(
        self, runtime: SandboxRuntime, tmp_path: Path
    ) -> None:
        (tmp_path / "core.so").write_bytes(b"built")
        files = (
            HostFile(source=tmp_path / "core.so", at="pkg/core.so"),
            HostFile(source=tmp_path / "gone.so", at="pkg/gone.so"),
        )
        sandbox = await runtime.open(SandboxSpec(name="files", files=files))
        try:
            script = "cat pkg/core.so; echo 1 > pkg/core.so; ls pkg; git init -q; git status -s"
            assert (await sandbox.run(("sh", "-c", script))).stdout == b"builtcore.so\n"
        finally:
            await sandbox.close()
        assert (tmp_path / "core.so").read_bytes() == b"built"

    async def test_git_works(self, sandbox: Sandbox) -> None:
        script = (
            "git init -q . && git add -A && git commit -qm x --allow-empty && git log --format=%s"
        )
        environment = ("env", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b")
        committer = ("GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
        result = await sandbox.run((*environment, *committer, "sh", "-c", script))
        assert (result.stdout, result.exit_code) == (b"x\n", 0)

    async def test_a_directory_of_the_host_is_used_and_stays_as_it_is(
        self, runtime: SandboxRuntime, tmp_path: Path
    ) -> None:
        (tmp_path / "mods/bin").mkdir(parents=True)
        (tmp_path / "mods/bin/tool").write_text("#!/bin/sh\necho tool\n", encoding="utf-8")
        (tmp_path / "mods/bin/tool").chmod(0o755)
        (tmp_path / "mods/.npmrc").write_text("token", encoding="utf-8")
        (tmp_path / "installed").mkdir()
        host = (tmp_path / "mods", tmp_path / "installed")
        before = _touched(*host)
        mods = HostDirectory(
            source=tmp_path / "mods", at="web/mods", hidden=(".npmrc",), writable=True
        )
        other = HostDirectory(source=tmp_path / "installed", at=str(tmp_path / "installed"))
        spec = SandboxSpec(
            name="host",
            directories=(mods, other),
            known_as=tmp_path / "project",
            programs=(f"{tmp_path}/project/web/mods/bin",),
            variables={"TOOL_HOME": "/somewhere"},
        )
        sandbox = await runtime.open(spec)
        try:
            tool = f"{tmp_path}/project/web/mods/bin/tool"
            assert (await sandbox.run((tool,))).stdout == b"tool\n"
            assert (await sandbox.run(("tool",))).stdout == b"tool\n"
            assert b"TOOL_HOME=/somewhere" in (await sandbox.run(("env",))).stdout
            script = (
                "rm web/mods/bin/tool; mkdir -p web/mods/.cache; cat web/mods/.npmrc;"
                f"echo 1 > web/mods/new; touch {tmp_path}/installed/x; git init -q; git status -s"
            )
            assert (await sandbox.run(("sh", "-c", script))).stdout == b""
        finally:
            await sandbox.close()
        assert _touched(*host) == before

    async def test_two_sandboxes_share_nothing(
        self, sandbox: Sandbox, runtime: SandboxRuntime
    ) -> None:
        other = await runtime.open(SandboxSpec(name="other"))
        try:
            await sandbox.write_file("mine", b"1")
            await sandbox.run(("sh", "-c", "touch /tmp/mine ~/mine"))
            script = "ls /workspace /tmp ~; ls -d /proc/[0-9]* | wc -l"
            # Tool server, zygote, supervisor, shell, ls and wc at most.
            *names, processes = (await other.run(("sh", "-c", script))).stdout.split()
        finally:
            await other.close()
        assert b"mine" not in names
        assert int(processes) <= 7

    async def test_closing_ends_everything_and_may_be_repeated(
        self, runtime: SandboxRuntime
    ) -> None:
        mark = unique_sleep()
        sandbox = await runtime.open(SandboxSpec(name="closing"))
        running = asyncio.create_task(sandbox.run(("sleep", mark)))
        await asyncio.to_thread(wait_until_living, mark)
        begun = time.monotonic()
        await sandbox.close()
        await sandbox.close()
        assert time.monotonic() - begun < 5
        with pytest.raises(PmError, match="E702"):
            await running
        with pytest.raises(PmError, match="E702"):
            await sandbox.run(("true",))
        with pytest.raises(PmError, match="E702"):
            await sandbox.read_file("x")
        assert await asyncio.to_thread(wait_until_gone, mark) == []
