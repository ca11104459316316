"""A place where agents' commands run and from which they cannot reach us."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from pm_orchestrator.ports.adapter import AdapterFactory, AdapterSite
from pm_orchestrator.ports.hands import Hands

WORKSPACE = "/workspace"
"""Where the project is inside, whatever the runtime."""


class HostDirectory(msgspec.Struct, frozen=True, kw_only=True):
    """A directory of the host that is seen inside; nothing can be changed in it from there."""

    source: Path
    at: str
    """Where it is inside: below the workspace, or an absolute path."""
    hidden: tuple[str, ...] = ()
    """Names in it that stay outside."""
    writable: bool = False
    """What is written there goes with the sandbox; where that cannot be, nothing is."""


class ForwardedPort(msgspec.Struct, frozen=True, kw_only=True):
    """The one address outside that is reached from inside, by a port on the loopback there."""

    port: int
    host: str = "127.0.0.1"
    to: int


class HostFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the host that is copied in; what becomes of the copy stays inside."""

    source: Path
    at: str
    """Below the workspace."""


class SandboxSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What kind of place is wanted."""

    name: str
    """Derived from run and lease, so that leftovers can be found by name."""
    bind_workspace: Path | None = None
    """This directory is the workspace, and what is written there stays: of solo, or where a layer
    is built. Otherwise it starts empty."""
    network: bool = False
    """Whether the network of this machine can be reached: only while a layer is built."""
    memory_bytes: int = 2 * 1024**3
    """Of all programs together; what they write to files in memory is not in it."""
    disk_bytes: int = 512 * 1024**2
    max_processes: int = 256
    cpus: float | None = None
    """How many processors' time all programs together may take; None is as much as there is."""
    asks_runners: bool = False
    """Whether test runners in it are to report about each test."""
    directories: tuple[HostDirectory, ...] = ()
    """What the project needs beside its own files."""
    files: tuple[HostFile, ...] = ()
    """What of it lies in the midst of its own files."""
    known_as: Path | None = None
    """Where the project is on the host: a second name of the workspace inside, because what was
    installed there has the path in scripts and settings."""
    programs: tuple[str, ...] = ()
    """Folders inside where programs are looked for: of the project before the usual ones, others
    after them."""
    variables: Mapping[str, str] = {}
    """On top of the environment that every sandbox has."""
    forwarded: ForwardedPort | None = None


class Sandbox(Hands, Protocol):
    """An open sandbox: hands in a workspace of its own.

    Every method raises PmError E702 when the sandbox is gone.
    """

    @property
    def unenforced(self) -> tuple[str, ...]:
        """Names of the limits this runtime cannot enforce; certificates repeat them."""
        ...

    @property
    def held_by(self) -> Mapping[str, str]:
        """What holds the limits of all programs together: "memory", "cpu", "processes"."""
        return {}

    async def reported(self) -> bytes:
        """What test runners have written about each test, if they were asked: lines of JSON."""
        ...

    async def close(self) -> None:
        """End everything inside. Safe to call twice; must be called."""
        ...


class SandboxRuntime(Protocol):
    """A technology that makes sandboxes."""

    @property
    def name(self) -> str: ...

    async def problem(self) -> str | None:
        """Why this runtime cannot be used here, with the cure; None when it is ready."""
        ...

    async def open(self, spec: SandboxSpec) -> Sandbox:
        """Start a sandbox whose first answer has arrived.

        Raises:
            PmError: E701 when it does not start; the message carries the stderr tail.
        """
        ...


class RuntimeFactory(AdapterFactory, Protocol):
    """Makes a runtime; whether it works here is asked of the runtime itself."""

    def create(self, site: AdapterSite) -> SandboxRuntime: ...
