"""The very sandbox that a worker gets, for a person who wants to look or to try something."""

import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from msgspec import field
from typing_extensions import override

from pm_orchestrator.bootstrap.registry import SANDBOXES
from pm_orchestrator.bootstrap.sandboxing.layer_building import LayerPlan
from pm_orchestrator.bootstrap.sandboxing.project_layer import ProjectLayer, project_layer
from pm_orchestrator.bootstrap.sandboxing.project_needs import sandbox_spec
from pm_orchestrator.bootstrap.sandboxing.ready_sandbox import ready_runtime
from pm_orchestrator.bootstrap.sites import site_in
from pm_orchestrator.dispatch.sandbox_checkout import SandboxCheckout, seeing_base
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.gates.detect.base_tree import Argv, BaseTree, asks_for
from pm_orchestrator.gates.detect.detection import detect
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.process import ProcessWatcher
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import Sandbox
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.project.project import Project

BRANCH = "pm-exec"
LONGEST_S = 82_800.0
ASK_S = 30.0


class SandboxShop(msgspec.Struct, frozen=True, kw_only=True):
    """What the sandboxes of one project are made from."""

    settings: Settings
    site: AdapterSite
    repository: Callable[[RunDirectory], Repository]

    @staticmethod
    def of(project: Project) -> "SandboxShop":
        """For a project that is opened."""
        return SandboxShop(
            settings=project.settings,
            site=site_in(project, project.paths.state),
            repository=project.repository,
        )

    @asynccontextmanager
    async def opened(
        self, runtime: str | None = None, base: str = "HEAD"
    ) -> AsyncGenerator[Sandbox]:
        """A sandbox with the commit `base` checked out in it.

        Raises:
            PmError: E701 when none is ready, E102 or E210 when there is no such commit.
        """
        made_by = await ready_runtime(self.settings, self.site, runtime)
        wanted = await project_layer(self.settings, self.site, base, made_by.name)
        spec = await sandbox_spec(self.settings, self.site, "asked-for", wanted)
        with tempfile.TemporaryDirectory(prefix="pm-sandbox-") as folder:
            # What is below it is bound, and so anybody may come through.
            run = RunDirectory(Path(folder))
            repository = self.repository(run)
            commit = await repository.import_base(self.site.project, base)
            sandbox = await made_by.open(seeing_base(spec, run.base))
            try:
                await SandboxCheckout.load(sandbox, repository, BRANCH, commit)
                yield sandbox
            finally:
                await sandbox.close()

    async def layer_plan(self, runtime: str | None = None, base: str = "HEAD") -> LayerPlan | None:
        """What building the layer of a commit takes; None where it needs none.

        Raises:
            PmError: E701 when no sandbox is ready.
        """
        made_by = await ready_runtime(self.settings, self.site, runtime)
        wanted = await project_layer(self.settings, self.site, base, made_by.name)
        if wanted is None:
            return None
        return LayerPlan(wanted=wanted, runtime=made_by, commit=base, repository=self.repository)

    async def run(
        self, argv: Argv, watcher: ProcessWatcher, runtime: str | None = None, base: str = "HEAD"
    ) -> int | None:
        """Run a command in one; its exit code, None where it was ended."""
        async with self.opened(runtime, base) as sandbox:
            return (await sandbox.follow(argv, watcher, timeout_s=LONGEST_S)).exit_code


class RuntimeState(Record, frozen=True, kw_only=True):
    """One technology, and whether it works here."""

    name: str
    problem: str | None
    """None when it is ready."""


class SharedDirectory(Record, frozen=True, kw_only=True):
    """A directory of the host that is seen inside."""

    source: str
    at: str
    writable: bool
    hidden: tuple[str, ...]


class SandboxGate(Record, frozen=True, kw_only=True):
    """A check of the project, and whether its program is there."""

    kind: str
    command: Argv
    runs: bool


class LayerState(Record, frozen=True, kw_only=True):
    """What the project's lock files ask for, installed once for all sandboxes."""

    key: str
    commands: tuple[str, ...]
    built: bool
    directories: tuple[str, ...] = ()
    size: int = 0
    """Bytes on disk."""

    @staticmethod
    def of(wanted: ProjectLayer) -> "LayerState":
        """As it is now."""
        layer, commands = wanted.layer, wanted.recipe.commands
        if layer is None:
            return LayerState(key=wanted.key, commands=commands, built=False)
        return LayerState(
            key=wanted.key,
            commands=commands,
            built=True,
            directories=layer.directories,
            size=layer.size,
        )


class SandboxState(Record, frozen=True, kw_only=True):
    """What a worker of this project would get."""

    runtimes: tuple[RuntimeState, ...]
    directories: tuple[SharedDirectory, ...] = ()
    files: tuple[str, ...] = ()
    """Built files of the checkout, of which a copy is inside."""
    programs: tuple[str, ...] = ()
    unenforced: tuple[str, ...] = ()
    held_by: dict[str, str] = field(default_factory=dict)
    """What holds the limits of memory, cpu and processes."""
    gates: tuple[SandboxGate, ...] = ()
    layer: LayerState | None = None
    """None where nothing has to be installed."""


async def sandbox_state(shop: SandboxShop) -> SandboxState:
    """Start one, and look.

    Raises:
        PmError: E102 when there is no commit to look at.
    """
    runtimes = [
        RuntimeState(name=name, problem=await SANDBOXES.load(name).create(shop.site).problem())
        for name in SANDBOXES.names
    ]
    if all(runtime.problem is not None for runtime in runtimes):
        return SandboxState(runtimes=tuple(runtimes))
    plan = await shop.layer_plan()
    wanted = None if plan is None else plan.wanted
    spec = await sandbox_spec(shop.settings, shop.site, "asked-for", wanted)
    async with shop.opened() as sandbox:
        unenforced, held_by = sandbox.unenforced, dict(sandbox.held_by)
        gates = await sandbox_gates(shop.settings, sandbox)
    return SandboxState(
        runtimes=tuple(runtimes),
        directories=tuple(
            SharedDirectory(
                source=str(each.source), at=each.at, writable=each.writable, hidden=each.hidden
            )
            for each in spec.directories
        ),
        files=tuple(each.at for each in spec.files),
        programs=spec.programs,
        unenforced=unenforced,
        held_by=held_by,
        gates=gates,
        layer=None if wanted is None else LayerState.of(wanted),
    )


async def sandbox_gates(settings: Settings, sandbox: Sandbox) -> tuple[SandboxGate, ...]:
    """The checks of the project that lies in a sandbox."""
    tree = _Inside(sandbox)
    return tuple(
        [
            SandboxGate(kind=gate.kind, command=gate.argv, runs=await tree.can_run(gate.argv))
            for gate in await detect(tree, settings.gates)
        ]
    )


class _Inside(BaseTree):
    """The project as it is in a sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @override
    async def read_base(self, path: str) -> bytes | None:
        try:
            return await self._sandbox.read_file(path)
        except PmError as error:
            if error.slug == "sandbox_path_refused":
                return None
            raise

    @override
    async def names_in(self, folder: str) -> tuple[str, ...]:
        try:
            entries = await self._sandbox.list_directory(folder)
        except PmError as error:
            if error.slug == "sandbox_path_refused":
                return ()
            raise
        return tuple(f"{e.name}/" if e.kind == "directory" else e.name for e in entries)

    @override
    async def can_run(self, argv: Argv) -> bool:
        return (await self._sandbox.run(asks_for(argv), timeout_s=ASK_S)).exit_code == 0
