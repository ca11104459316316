"""What a run starts from is seen in its sandboxes; where it cannot be, it goes in whole."""

from pathlib import Path

import pytest

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.dispatch.sandbox_checkout import BASE_OBJECTS, SandboxCheckout, seeing_base
from pm_orchestrator.ports.sandbox import Sandbox, SandboxSpec
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.run_repositories import RunBench

BRANCH = "agent/20261119-ab12-01"


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    project = GitProject(tmp_path / "project")
    project.write("keep.txt", "kept\n")
    project.commit("base")
    return project


async def opened(spec: SandboxSpec) -> Sandbox:
    commands = LocalCommands(kill_grace_s=0.2)
    return await BwrapRuntime(commands, search_path="/usr/bin:/bin", kill_grace_s=0.2).open(spec)


async def told(sandbox: Sandbox, script: str) -> str:
    ran = await sandbox.run(("sh", "-c", script))
    assert ran.exit_code == 0, ran.stderr
    return ran.stdout.decode()


@pytest.mark.parametrize("sees", [True, False])
async def test_a_branch_is_checked_out_with_its_history(
    tmp_path: Path, project: GitProject, *, sees: bool
) -> None:
    bench = RunBench(tmp_path / "run")
    base = await bench.repository.import_base(project.path, "HEAD")
    spec = SandboxSpec(name="base", disk_bytes=64 * 1024**2)
    if sees:
        spec = seeing_base(spec, tmp_path / "run/base.git")
    sandbox = await opened(spec)
    try:
        first = await SandboxCheckout.load(sandbox, bench.repository, BRANCH, base)
        assert await told(sandbox, "cat keep.txt; git log --format=%s; git status -s") == (
            "kept\nbase\n"
        )
        packs = await told(sandbox, "ls .git/objects/pack | wc -l; git fsck 2>&1 | wc -l")
        assert (packs.split()[0] == "0") is sees
        await told(sandbox, f"! test -e {BASE_OBJECTS} || ! touch {BASE_OBJECTS}/x 2>/dev/null")
        commit = "git -c user.name=a -c user.email=a@b commit -qm"
        await told(sandbox, f"echo 1 > more.txt && git add . && {commit} more")
        # Whatever the agent does to its repository, what it made comes out.
        (parcel,) = await first.parcels(bench.clock.now())
        source, bundle = await first.pack(parcel)
        made = await bench.repository.receive(bundle, source, f"refs/heads/{BRANCH}")
        await told(sandbox, "rm -rf .git && echo 2 > late.txt")
        late = [p for p in await first.parcels(bench.clock.now()) if p.rescue is not None]
        assert late
    finally:
        await sandbox.close()
    # The next one starts from there.
    sandbox = await opened(spec)
    try:
        await SandboxCheckout.load(sandbox, bench.repository, BRANCH, made)
        assert await told(sandbox, "cat more.txt; git log --format=%s") == "1\nmore\nbase\n"
    finally:
        await sandbox.close()
