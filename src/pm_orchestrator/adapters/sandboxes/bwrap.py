"""Sandboxes by bubblewrap: no daemon, no image, ready in tens of milliseconds."""

import asyncio
import os
import shutil
from itertools import count
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.processes.shipping import RECEIVER, shipped
from pm_orchestrator.adapters.processes.zygote_owner import ZYGOTE_MODULES
from pm_orchestrator.adapters.sandboxes import (
    frames,
    tool_commands,
    tool_server,
    tool_streams,
    tool_watch,
    workspace_files,
)
from pm_orchestrator.adapters.sandboxes.asked_runners import AskedRunners, asked_runners
from pm_orchestrator.adapters.sandboxes.bwrap_arguments import (
    HOME,
    WORKSPACE,
    Layout,
    Tools,
    bwrap_argv,
    environment_of,
)
from pm_orchestrator.adapters.sandboxes.channel import Multiplexer
from pm_orchestrator.adapters.sandboxes.channel_sandbox import ChannelSandbox, copy_in
from pm_orchestrator.adapters.sandboxes.control_groups import (
    GroupLimits,
    control_group,
)
from pm_orchestrator.adapters.sandboxes.forwarding import tool_forwarder
from pm_orchestrator.adapters.sandboxes.forwarding.forwarded_calls import ForwardedCalls
from pm_orchestrator.adapters.sandboxes.frames import ProtocolError
from pm_orchestrator.adapters.sandboxes.held_limits import hold_inside, holders, limits_inside
from pm_orchestrator.adapters.sandboxes.prepared.gathering import (
    as_gathered,
    gathered,
    not_of_the_project,
    package_folders_of,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.process import Channel, Command, CommandRunner
from pm_orchestrator.ports.sandbox import (
    ForwardedPort,
    RuntimeFactory,
    Sandbox,
    SandboxRuntime,
    SandboxSpec,
)

_SHIPPED = (
    *ZYGOTE_MODULES,
    frames,
    workspace_files,
    tool_streams,
    tool_watch,
    tool_commands,
    tool_forwarder,
    tool_server,
)
_PER_NAMESPACE = (5, 14)
"""The kernel since which process counts are kept per user namespace."""
_WORKER_ID = 1000
_PYTHON_PLACES = "/usr/bin:/usr/local/bin"


class BwrapRuntime(SandboxRuntime):
    """Makes sandboxes with `bwrap`; as root it becomes somebody else first."""

    def __init__(
        self,
        commands: CommandRunner,
        *,
        search_path: str,
        readable: tuple[Path, ...] = (),
        kill_grace_s: float = 3.0,
        start_deadline_s: float = 15.0,
    ) -> None:
        self._commands = commands
        self._search_path = search_path
        self._readable = readable
        self._kill_grace_s = kill_grace_s
        self._start_deadline_s = start_deadline_s
        self._gathers = True
        self._numbers = count(1)

    @property
    @override
    def name(self) -> str:
        return "bwrap"

    @override
    async def problem(self) -> str | None:
        try:
            sandbox = await self.open(SandboxSpec(name="probe", disk_bytes=1024**2))
        except PmError as error:
            return f"{error.what()} {error.hint()}"
        try:
            result = await sandbox.run(("true",), timeout_s=10)
        except PmError as error:
            return f"{error.what()} {error.hint()}"
        finally:
            await sandbox.close()
        return None if result.exit_code == 0 else "a trivial command failed inside the sandbox"

    @override
    async def open(self, spec: SandboxSpec) -> Sandbox:
        tools = self._tools()
        packages = package_folders_of(spec.directories, WORKSPACE)
        asked = asked_runners(HOME, packages) if spec.asks_runners else None
        layout = self._layout(spec, asked)
        number = next(self._numbers)
        group = await asyncio.to_thread(control_group, f"{number}", _all_of(spec))
        layout = replace(layout, doors=group.doors)
        counted = _kernel() >= _PER_NAMESPACE and layout.uid != 0
        # Each process alone, until it is known what holds all of them together.
        limits = {"RLIMIT_DATA": spec.memory_bytes}
        if counted:
            limits["RLIMIT_NPROC"] = spec.max_processes
        try:
            multiplexer = await self._started(
                await self._opened(tools, layout),
                spec.forwarded,
                {
                    "workspace": WORKSPACE,
                    "env": environment_of(spec),
                    "kill_grace_s": self._kill_grace_s,
                    "limits": limits,
                    "forwarded": None if spec.forwarded is None else spec.forwarded.port,
                    "files": {
                        **({} if asked is None else asked.files),
                        **not_of_the_project(spec.directories, spec.files),
                    },
                },
            )
        except BaseException:
            await group.remove()
            raise
        held = await asyncio.to_thread(group.holds)
        holding = holders(held, counted=counted, cpus=spec.cpus)
        sandbox = ChannelSandbox(
            multiplexer,
            unenforced=() if spec.bind_workspace is None else ("disk",),
            held_by=holding,
            kill_grace_s=self._kill_grace_s,
            asks_runners=spec.asks_runners,
            group=group,
        )
        try:
            await hold_inside(multiplexer, limits_inside(spec, holding, limits, number))
            await copy_in(sandbox, spec.files)
        except BaseException:
            await sandbox.close()
            raise
        return sandbox

    async def _opened(self, tools: Tools, layout: Layout) -> Channel:
        """The process; where it can have mounts of its own, with what it may write to."""
        env = {"PATH": self._search_path}
        if layout.directories and self._gathers:
            owner = layout.uid if os.geteuid() == 0 else None
            needed = (*layout.readable, *((layout.workspace,) if layout.workspace else ()))
            order = gathered(layout.directories, layout.disk_bytes, owner, needed)
            found = as_gathered(layout.directories, order.place)
            argv = bwrap_argv(tools, replace(layout, directories=found, gathered=True), RECEIVER)
            try:
                return await self._commands.open(
                    Command(argv=argv, cwd=Path("/"), env=env, gathered=order)
                )
            except PmError as error:
                if error.slug != "program_not_started":
                    raise
                # Some systems let only bubblewrap make namespaces; then nothing can be written.
                self._gathers = False
        argv = bwrap_argv(tools, layout, RECEIVER)
        return await self._commands.open(Command(argv=argv, cwd=Path("/"), env=env))

    async def _started(
        self, channel: Channel, forwarded: ForwardedPort | None, hello: dict[str, object]
    ) -> Multiplexer:
        multiplexer = Multiplexer(channel)
        if forwarded is not None:
            multiplexer.calls = ForwardedCalls(multiplexer, forwarded)
        try:
            async with asyncio.timeout(self._start_deadline_s):
                await multiplexer.start(shipped(_SHIPPED), hello)
        except TimeoutError:
            reason = f"no answer within {self._start_deadline_s:g} s"
        except asyncio.IncompleteReadError:
            reason = "it ended at once"
        except ProtocolError as error:
            reason = str(error)
        except asyncio.CancelledError:
            await channel.close(grace_s=0)
            raise
        else:
            return multiplexer
        await channel.close(grace_s=0)
        tail = channel.stderr_tail().strip()[-500:]
        raise self._not_started(
            f"{reason}; {tail}" if tail else reason,
            "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), "
            "or choose another sandbox runtime",
        )

    def _tools(self) -> Tools:
        python = shutil.which("python3", path=_PYTHON_PLACES)
        if python is None:
            raise self._not_started("there is no python3 in /usr", "run `apt-get install python3`")
        return Tools(
            shell=self._find("sh", "dash"),
            bwrap=self._find("bwrap", "bubblewrap"),
            setpriv=self._find("setpriv", "util-linux") if os.geteuid() == 0 else None,
            python=python,
        )

    def _find(self, program: str, package: str) -> str:
        found = shutil.which(program, path=self._search_path)
        if found is None:
            raise self._not_started(f"{program} is not in PATH", f"run `apt-get install {package}`")
        return found

    def _layout(self, spec: SandboxSpec, asked: AskedRunners | None) -> Layout:
        uid, gid = os.geteuid(), os.getegid()
        workspace = spec.bind_workspace
        if uid == 0:
            uid, gid = _WORKER_ID, _WORKER_ID
        if workspace is not None:
            workspace = workspace.resolve()
            if not workspace.is_dir():
                raise self._not_started(f"{workspace} is no directory", "give an existing one")
            if os.geteuid() == 0:
                # Only its owner can write there; without capabilities that holds for root too.
                owner = workspace.stat()
                uid, gid = owner.st_uid, owner.st_gid
        return Layout(
            uid=uid,
            gid=gid,
            workspace=workspace,
            disk_bytes=spec.disk_bytes,
            readable=self._readable,
            asked=asked,
            directories=spec.directories,
            known_as=spec.known_as,
            network=spec.network,
        )

    def _not_started(self, reason: str, cure: str) -> PmError:
        return PmError("sandbox_not_started", runtime=self.name, reason=reason, cure=cure)


class BwrapRuntimes(RuntimeFactory):
    """Looks for `bwrap` where the user's programs are."""

    @override
    def create(self, site: AdapterSite) -> SandboxRuntime:
        return BwrapRuntime(site.commands, search_path=site.search_path)


def _all_of(spec: SandboxSpec) -> GroupLimits:
    """The limits of all its processes together: what lies in files of theirs is memory too."""
    own = spec.disk_bytes if spec.bind_workspace is None else 0
    files = own + spec.disk_bytes // 2 * 3 + (spec.disk_bytes if spec.directories else 0)
    return GroupLimits(
        memory_bytes=spec.memory_bytes + files, processes=spec.max_processes, cpus=spec.cpus
    )


def _kernel() -> tuple[int, int]:
    """Major and minor version; (0, 0) if the kernel does not say it the usual way."""
    parts = os.uname().release.split("-")[0].split(".")
    if len(parts) < 2 or not (parts[0].isdigit() and parts[1].isdigit()):
        return (0, 0)
    return (int(parts[0]), int(parts[1]))
