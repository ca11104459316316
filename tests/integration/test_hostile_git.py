"""Nothing a repository or a bundle says makes a program run on the host.

Each trap would leave a marker file. The last test sets the same traps off with
plain git, so that it is known that they are live.
"""

import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.benches.git_project import ENVIRONMENT, GIT, GitProject
from pm_orchestrator.testing.benches.run_repositories import RunBench

BRANCH = "agent/20260115-abcd-01-task"
TARGET = f"refs/heads/{BRANCH}"
HOOKS = (
    "pre-commit",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "reference-transaction",
    "pre-auto-gc",
    "post-index-change",
    "fsmonitor-watchman",
)

CONFIG = """
[core]
    hooksPath = {hooks}
    fsmonitor = {program}
    sshCommand = {program}
    editor = {program}
    pager = {program}
    askPass = {program}
    alternateRefsCommand = {program}
[diff]
    external = {program}
[diff "evil"]
    command = {program}
    textconv = {program}
[merge]
    default = evil
[merge "evil"]
    driver = {program}
[filter "evil"]
    clean = {program}
    smudge = {program}
    required = true
[credential]
    helper = {program}
[uploadpack]
    packObjectsHook = {program}
[gpg]
    program = {program}
[log]
    showSignature = true
[protocol "ext"]
    allow = always
[gc]
    auto = 1
[fetch]
    prune = true
    pruneTags = true
    recurseSubmodules = true
"""


class Trap:
    """A program that leaves a mark when it is run."""

    def __init__(self, folder: Path) -> None:
        self.marker = folder / "ran"
        self.program = folder / "trap.sh"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> {self.marker}\ncat\nexit 0\n', "utf-8")
        self.program.chmod(0o755)

    @property
    def sprung(self) -> str:
        return self.marker.read_text("utf-8") if self.marker.exists() else ""

    def set_in(self, project: GitProject, folder: Path) -> None:
        """Configure everything in a repository that names a program."""
        hooks = folder / "hooks"
        hooks.mkdir()
        for place in (hooks, project.path / ".git" / "hooks"):
            place.mkdir(exist_ok=True)
            for name in HOOKS:
                (place / name).write_bytes(self.program.read_bytes())
                (place / name).chmod(0o755)
        with (project.path / ".git/config").open("a", encoding="utf-8") as config:
            config.write(CONFIG.format(program=self.program, hooks=hooks))


@pytest.fixture
def bench(tmp_path: Path) -> RunBench:
    return RunBench(tmp_path / "run")


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


@pytest.fixture
def project(tmp_path: Path, trap: Trap) -> GitProject:
    project = GitProject(tmp_path / "project")
    project.write(".gitattributes", "* filter=evil diff=evil merge=evil\n")
    project.commit("base", **{"a.txt": "base\n"})
    # An alternate makes git ask core.alternateRefsCommand.
    other = GitProject(tmp_path / "other")
    other.commit("elsewhere", **{"b.txt": "b"})
    alternates = project.path / ".git/objects/info/alternates"
    alternates.write_text(f"{other.path}/.git/objects\n", "utf-8")
    trap.set_in(project, tmp_path)
    return project


async def agent(bench: RunBench, base: str, folder: Path, branch: str = BRANCH) -> GitProject:
    return GitProject.clone(await bench.repository.bundle(base, branch), folder, branch)


async def test_a_run_over_a_trapped_repository_springs_no_trap(
    bench: RunBench, project: GitProject, trap: Trap, tmp_path: Path
) -> None:
    remote = GitProject(tmp_path / "remote.git", "--bare")
    project.git("remote", "add", "origin", str(remote.path))
    repository = bench.repository
    base = await repository.import_base(project.path, "HEAD")
    commits: list[str] = []
    for name in ("a", "b"):
        work = await agent(bench, base, tmp_path / name, f"agent/{name}")
        work.write(".gitattributes", "* filter=evil diff=evil merge=evil text eol=crlf ident\n")
        work.write("a.txt", f"{name}\n")
        commits.append(work.commit(name))
        ref = f"refs/heads/agent/{name}"
        await repository.receive(work.bundle(f"{base}..agent/{name}"), f"agent/{name}", ref)
        await repository.changes(base, commits[-1])
        await repository.commits(base, commits[-1])
        assert await repository.read(commits[-1], "a.txt") == f"{name}\n".encode()
    assert (await repository.merge(commits[0], commits[1], "m")).conflicts == ("a.txt",)
    await repository.set_branch("agent/t-integration", commits[0])
    await repository.export(project.path, ("refs/heads/agent/t-integration", "refs/heads/agent/b"))
    await repository.push(project.path, "origin", "agent/t-integration")
    project.git("remote", "add", "evil", f"ext::{trap.program} %S")
    with pytest.raises(PmError, match="E801"):
        await repository.push(project.path, "evil", "agent/t-integration")
    assert remote.git("rev-parse", "agent/t-integration") == commits[0]
    assert trap.sprung == ""


async def test_a_delivery_into_a_trapped_repository_springs_no_trap(
    bench: RunBench, project: GitProject, trap: Trap, tmp_path: Path
) -> None:
    repository = bench.repository
    base = await repository.import_base(project.path, "HEAD")
    commits: dict[str, str] = {}
    for name in ("conflicting", "clean", "develop"):
        work = await agent(bench, base, tmp_path / name, f"agent/{name}")
        work.write(f"{name}.txt" if name == "clean" else "a.txt", f"{name}\n")
        commits[name] = work.commit(name)
        ref = f"refs/heads/agent/{name}"
        await repository.receive(work.bundle(f"{base}..agent/{name}"), f"agent/{name}", ref)
    await repository.export(project.path, ("refs/heads/agent/develop", "refs/heads/agent/clean"))
    (project.path / ".git/refs/heads/develop").write_text(f"{commits['develop']}\n", "ascii")
    project.write("a.txt", "dirty\n")
    await repository.uncommitted(project.path)
    result = await repository.merge_into(project.path, "develop", commits["conflicting"], "m")
    assert result.conflicts == ("a.txt",)
    result = await repository.merge_into(project.path, "develop", commits["clean"], "m")
    assert result.commit not in {None, *commits.values()}
    moves = {"refs/heads/agent/clean": "refs/pm/rescue/clean"}
    await repository.put_aside(project.path, moves)
    await repository.bring_back(project.path, moves)
    assert trap.sprung == ""


def test_the_traps_are_live(project: GitProject, trap: Trap) -> None:
    project.write("a.txt", "dirty\n")
    for arguments in (("status",), ("diff",), ("add", "a.txt"), ("update-ref", "refs/x", "HEAD")):
        subprocess.run(
            [GIT, *arguments], cwd=project.path, env=ENVIRONMENT, capture_output=True, check=False
        )
    assert len(trap.sprung.splitlines()) >= 4


@pytest.mark.parametrize("to", ["ext::{program} %S", "ssh://host/{program}", "/elsewhere"])
async def test_a_rewritten_address_leads_nowhere(
    bench: RunBench, project: GitProject, trap: Trap, tmp_path: Path, to: str
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    await bench.repository.set_branch("agent/x", base)
    # Everything below our directory is now somewhere else, as far as git knows.
    project.git("config", f"url.{to.format(program=trap.program)}.insteadOf", str(bench.directory))
    with pytest.raises(PmError, match="E801"):
        await bench.repository.export(project.path, ("refs/heads/agent/x",))
    assert "agent/x" not in project.git("for-each-ref")
    assert trap.sprung == ""


async def test_an_address_that_leads_to_another_repository_is_noticed(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    await bench.repository.import_base(project.path, "HEAD")
    base = project.git("rev-parse", "HEAD")
    await bench.repository.set_branch("agent/x", base)
    impostor = GitProject(tmp_path / "impostor")
    impostor.commit("not ours", evil="evil")
    impostor.git("branch", "agent/x")
    project.git("config", f"url.{impostor.path}.insteadOf", str(bench.directory))
    with pytest.raises(PmError, match=r"E801.*did not arrive"):
        await bench.repository.export(project.path, ("refs/heads/agent/x",))


def header(*lines: str, pack: bytes = b"PACK") -> bytes:
    return "\n".join(lines).encode() + b"\n\n" + pack


OID = "1" * 40


NO_BUNDLES = (
    b"",
    b"\n\n",
    b"\x00" * 100,
    header("# v1 git bundle", f"{OID} {TARGET}"),
    header("# v2 git bundle", f"{OID} {TARGET}", pack=b"KCAP"),
    header("# v2 git bundle", f"{OID} {TARGET}", f"{OID} {TARGET}"),
    header("# v2 git bundle", f"{OID} {TARGET}", f"-{OID} late"),
    header("# v2 git bundle", f"{OID} {TARGET}", "nonsense"),
    header("# v2 git bundle", *[f"-{OID}"] * 17, f"{OID} {TARGET}"),
    header("# v3 git bundle", "@filter=blob:none", f"{OID} {TARGET}"),
    header("# v2 git bundle", f"-{OID} not here", f"{OID} {TARGET}"),
    header("# v2 git bundle", f"{OID} {TARGET}"),
    header("# v2 git bundle", f"{OID} refs/heads/another"),
    header("# v2 git bundle", f"{OID} {TARGET}", pack=b"PACK" + b"\0" * 200),
    b"# v2 git bundle\n" + b"-" + OID.encode() + b" " + b"x" * 70_000,
)


async def test_a_bundle_that_is_none_is_refused(bench: RunBench, project: GitProject) -> None:
    await bench.repository.import_base(project.path, "HEAD")
    for data in NO_BUNDLES:
        with pytest.raises(PmError, match="E804"):
            await bench.repository.receive(data, BRANCH, TARGET)
    with pytest.raises(PmError, match="E801"):
        await bench.repository.export(project.path, (TARGET,))
    assert list(bench.directory.glob("scratch-*")) == []


async def test_a_bundle_over_the_limit_is_refused(project: GitProject, tmp_path: Path) -> None:
    bench = RunBench(tmp_path / "run", max_bundle=100)
    base = await bench.repository.import_base(project.path, "HEAD")
    bundle = await bench.repository.bundle(base, BRANCH)
    with pytest.raises(PmError, match=r"E804.*larger than 100"):
        await bench.repository.receive(bundle, BRANCH, TARGET)


async def test_a_damaged_bundle_is_refused_and_a_whole_one_taken(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    commit = work.commit("x", x="content " * 50)
    whole = work.bundle(f"{base}..{BRANCH}")
    for damaged in (whole[:-30], whole[:-40] + b"\xff" * 40, whole[: len(whole) // 2]):
        with pytest.raises(PmError, match="E804"):
            await bench.repository.receive(damaged, BRANCH, TARGET)
    assert await bench.repository.receive(whole, BRANCH, TARGET) == commit


@pytest.mark.parametrize(
    ("mode", "name"),
    [("100644", ".git"), ("100644", ".."), ("120000", ".gitmodules"), ("40000", ".GIT")],
)
async def test_trees_that_would_hurt_a_checkout_are_refused(
    bench: RunBench, project: GitProject, tmp_path: Path, mode: str, name: str
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    blob = work.git("hash-object", "-w", "--stdin", stdin=b"x")
    oid = work.git("rev-parse", "HEAD^{tree}") if mode == "40000" else blob
    raw = f"{mode} {name}".encode() + b"\0" + bytes.fromhex(oid)
    evil = work.git("hash-object", "-w", "--literally", "-t", "tree", "--stdin", stdin=raw)
    commit = work.git("commit-tree", evil, "-p", base, "-m", "evil")
    work.git("update-ref", TARGET, commit)
    with pytest.raises(PmError, match="E804"):
        await bench.repository.receive(work.bundle(f"{base}..{BRANCH}"), BRANCH, TARGET)


async def test_only_the_wanted_branch_comes_over(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    work.git("checkout", "--quiet", "-b", "main")
    smuggled = work.commit("smuggled", big="y" * 1000)
    work.git("tag", "v9")
    work.git("checkout", "--quiet", BRANCH)
    work.commit("honest", x="x")
    bundle = work.bundle(BRANCH, "main", "v9")
    await bench.repository.receive(bundle, BRANCH, TARGET)
    with pytest.raises(PmError, match="E801"):
        await bench.repository.files(smuggled)


NOT_OURS = (
    "refs/heads/main",
    "refs/tags/v1",
    "refs/heads/agent/",
    "refs/heads/agent/../main",
    "refs/heads/agent/a b",
    "refs/heads/agent/*",
    "refs/heads/agent/x.lock",
    "refs/heads/agent//x",
    "refs/heads/agent/x:refs/heads/main",
    "refs/pm/-x",
    "refs/pmx/y",
    "HEAD",
    "",
)


async def test_only_our_own_refs_are_ever_written(bench: RunBench, project: GitProject) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    bundle = await bench.repository.bundle(base, BRANCH)
    before = project.git("for-each-ref")
    for target in NOT_OURS:
        branch = target.removeprefix("refs/heads/")
        for call in (
            bench.repository.receive(bundle, BRANCH, target),
            bench.repository.export(project.path, (target,)),
            bench.repository.set_branch(branch, base),
            bench.repository.push(project.path, "origin", branch),
        ):
            with pytest.raises(PmError, match="E802"):
                await call
    assert project.git("for-each-ref") == before


async def test_commits_are_named_by_their_id_only(bench: RunBench, project: GitProject) -> None:
    repository = bench.repository
    base = await repository.import_base(project.path, "HEAD")
    for text in ("HEAD", "--all", "refs/heads/main", "1" * 39, "", "1" * 40 + "^"):
        for call in (
            repository.files(text),
            repository.changes(base, text),
            repository.commits(text, base),
            repository.descends(base, text),
            repository.read(text, "a.txt"),
            repository.merge(base, text, "m"),
            repository.bundle(text, BRANCH),
            repository.set_branch(BRANCH, text),
        ):
            with pytest.raises(PmError, match="E801"):
                await call


async def test_a_damaged_run_repository_is_not_mistaken_for_the_users(
    project: GitProject,
) -> None:
    bench = RunBench(project.path / ".pm-orchestrator/run")
    base = await bench.repository.import_base(project.path, "HEAD")
    (bench.directory / "HEAD").unlink()
    with pytest.raises(PmError, match="E801"):
        await bench.repository.set_branch("agent/x", base)
    assert "agent/x" not in project.git("for-each-ref")
