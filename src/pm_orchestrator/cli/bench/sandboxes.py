"""How long a worker waits for its sandbox, and for a large project to be in it."""

import asyncio
import itertools
import os
import time
from pathlib import Path

import msgspec

from pm_orchestrator.bootstrap.sandboxing.ready_sandbox import ready_runtime
from pm_orchestrator.bootstrap.sites import site_in
from pm_orchestrator.cli.bench.bench_place import BenchPlace
from pm_orchestrator.cli.bench.disk import run_git
from pm_orchestrator.cli.bench.instant import make_git_project
from pm_orchestrator.cli.bench.ratios import Comparison, Ratio, measure
from pm_orchestrator.dispatch.sandbox_checkout import SandboxCheckout, seeing_base
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Command, CommandRunner
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import Sandbox, SandboxRuntime, SandboxSpec
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.project.project import Project

FILES = 5_000
BRANCH = "pm-bench"
ROUNDS = 6
LINKS = (("usr/bin", "/bin"), ("usr/lib", "/lib"), ("usr/lib64", "/lib64"))
PLAIN_SANDBOX = (
    *("bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"),
    *("--new-session", "--as-pid-1", "--cap-drop", "ALL", "--clearenv", "--ro-bind", "/usr"),
    *("/usr", *(part for link in LINKS for part in ("--symlink", *link))),
    *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/workspace"),
    *("--chdir", "/workspace", "--", "python3", "-I", "-S", "-B", "-c", "pass"),
)
AS_SOMEBODY = ("setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups", "--no-new-privs")


class Shelves(msgspec.Struct, kw_only=True):
    """One project, and the runs of it that are measured."""

    project: Project
    runtime: SandboxRuntime
    folder: Path
    numbers: "itertools.count[int]" = msgspec.field(default_factory=itertools.count)

    def next_folder(self, name: str) -> Path:
        """A place that is not there yet."""
        return self.folder / f"{name}-{next(self.numbers)}"

    async def run(self) -> tuple[Repository, RunDirectory, str]:
        """A new run, with what it starts from."""
        run = RunDirectory(self.next_folder("run"))
        run.folder.mkdir()
        repository = self.project.repository(run)
        return repository, run, await repository.import_base(self.project.paths.root, "HEAD")

    async def sandbox(self, repository: Repository, run: RunDirectory, base: str) -> None:
        """One attempt's sandbox, from its start to a checkout in it, and its end."""
        spec = seeing_base(SandboxSpec(name="bench"), run.base)
        sandbox: Sandbox = await self.runtime.open(spec)
        try:
            await SandboxCheckout.load(sandbox, repository, BRANCH, base)
        finally:
            await sandbox.close()


async def measure_sandboxes(place: BenchPlace) -> list[Ratio]:
    """An empty one, and one with a large project, for the first time and again."""
    root = place.folder / "project"
    await asyncio.to_thread(make_git_project, place.environment, root, FILES)
    opened = await place.open(root)
    site = site_in(opened, opened.paths.state)
    runtime = await ready_runtime(opened.settings, site)
    shelves = Shelves(project=opened, runtime=runtime, folder=place.folder)
    ratios = [await _first_call(shelves)]
    ratios += [await _large_project(shelves, place), await _second_attempt(shelves)]
    return ratios


async def _first_call(shelves: Shelves) -> Ratio:
    commands, variables = shelves.project.commands, shelves.project.variables
    argv = (*(AS_SOMEBODY if os.geteuid() == 0 else ()), *PLAIN_SANDBOX)

    spent = 0.0

    async def ours() -> None:
        nonlocal spent
        begun = time.perf_counter()
        sandbox = await shelves.runtime.open(SandboxSpec(name="bench"))
        try:
            await sandbox.list_directory("")
            # The answer is there; nobody waits for the end.
            spent += time.perf_counter() - begun
        finally:
            await sandbox.close()

    async def plain() -> None:
        nonlocal spent
        begun = time.perf_counter()
        await _must(commands, Command(argv=argv, cwd=Path("/"), env=variables))
        spent += time.perf_counter() - begun

    what = Comparison(
        name="first tool call in a sandbox",
        yardstick="a bare bwrap around python3 -c pass",
        allowed=2.0,
    )
    return await measure(what, ours, plain, lambda: spent)


async def _large_project(shelves: Shelves, place: BenchPlace) -> Ratio:
    root = shelves.project.paths.root

    async def ours() -> None:
        await shelves.sandbox(*await shelves.run())

    async def plain() -> None:
        to = str(shelves.next_folder("clone"))
        await asyncio.to_thread(
            run_git, place.environment, root, "clone", "--quiet", "--no-hardlinks", ".", to
        )

    what = Comparison(
        name=f"a project of {FILES:,} files in a sandbox",
        yardstick="git clone --no-hardlinks",
        allowed=2.0,
        rounds=ROUNDS,
    )
    return await measure(what, ours, plain)


async def _second_attempt(shelves: Shelves) -> Ratio:
    last: list[tuple[Repository, RunDirectory, str]] = []

    async def first() -> None:
        last[:] = [await shelves.run()]
        await shelves.sandbox(*last[0])

    async def second() -> None:
        await shelves.sandbox(*last[0])

    await first()
    what = Comparison(
        name="the sandbox of a second attempt",
        yardstick="that of the first, with its run",
        allowed=0.5,
        rounds=ROUNDS,
    )
    return await measure(what, second, first)


async def _must(commands: CommandRunner, command: Command) -> None:
    ran = await commands.run(command)
    if ran.exit_code != 0:
        raise PmError("program_fault", reason=ran.stderr.decode(errors="replace")[-500:])
