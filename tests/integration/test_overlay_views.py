"""A view of the project: another tree at the same path, and nothing written comes through."""

import asyncio
import inspect
import os
import stat
import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.adapters.processes import directory_view
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.views.overlay_views import OverlayViews, with_scratch
from pm_orchestrator.ports.process import Command, CommandResult, DirectoryView
from pm_orchestrator.ports.tree_views import Patch, PatchedFile, TreeView

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def commands() -> LocalCommands:
    return LocalCommands()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    # Characters that mean something to mount, and to whoever reads /proc.
    root = tmp_path / "a project, of:mine\\ é"
    (root / "src/__pycache__").mkdir(parents=True)
    (root / "src/a.py").write_text("new\n", encoding="utf-8")
    (root / "src/__pycache__/a.pyc").write_bytes(b"forged")
    (root / "run.sh").write_text("echo ran\n", encoding="utf-8")
    (root / "run.sh").chmod(0o755)
    return root


def views_in(commands: LocalCommands, place: Path) -> OverlayViews:
    place.mkdir(exist_ok=True)
    return OverlayViews(commands, (place,))


async def shell(commands: LocalCommands, view: TreeView, script: str) -> CommandResult:
    views, argv = view.directories, ("sh", "-c", script)
    variables = {"PATH": os.environ["PATH"]}
    return await commands.run(Command(argv=argv, cwd=views[0].at, env=variables, views=views))


def listing(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


async def test_what_is_written_is_seen_inside_only(
    commands: LocalCommands, root: Path, tmp_path: Path
) -> None:
    was = listing(root)
    async with views_in(commands, tmp_path / "t").of(root, Patch()) as view:
        assert view is not None
        script = "echo x > src/a.py; rm run.sh; mkdir d; echo y > d/new; cat src/a.py d/new; pwd"
        seen = await shell(commands, view, script)
        assert seen.stdout.decode().splitlines() == ["x", "y", str(root)]
        assert listing(root) == was
        assert set(view.written()) == {"src/", "src/a.py", "run.sh", "d/", "d/new"}
    assert listing(root) == was
    assert list((tmp_path / "t").iterdir()) == []


async def test_two_views_know_nothing_of_each_other(
    commands: LocalCommands, root: Path, tmp_path: Path
) -> None:
    views = views_in(commands, tmp_path / "t")
    async with views.of(root, Patch()) as one, views.of(root, Patch()) as other:
        assert one is not None
        assert other is not None
        script = "echo $$ >> shared; sleep 0.3; cat shared | wc -l"
        both = await asyncio.gather(*(shell(commands, view, script) for view in (one, other)))
    assert [result.stdout.strip() for result in both] == [b"1", b"1"]


async def test_the_patch_is_what_is_seen(
    commands: LocalCommands, root: Path, tmp_path: Path
) -> None:
    (root / "made").mkdir()
    (root / "made/new.py").write_text("new\n", encoding="utf-8")
    (root / "now_a_directory").mkdir()
    (root / "now_a_directory/x").write_text("x", encoding="utf-8")
    (root / "now_a_file").write_text("x", encoding="utf-8")
    patch = Patch(
        files={
            "src/a.py": PatchedFile(content=b"old\n"),
            "gone/tool": PatchedFile(content=b"echo tool\n", mode=0o755),
            "link": PatchedFile(content=b"src/a.py", link=True),
            "now_a_directory": PatchedFile(content=b"was a file\n"),
            "now_a_file/inside": PatchedFile(content=b"was a directory\n"),
        },
        gone=("made/new.py", "now_a_directory/x", "now_a_file"),
    )
    async with views_in(commands, tmp_path / "t").of(root, patch) as view:
        assert view is not None
        script = "cat src/a.py link now_a_directory now_a_file/inside; gone/tool; ls made; ./run.sh"
        seen = await shell(commands, view, script)
    lines = seen.stdout.decode().splitlines()
    assert lines == ["old", "old", "was a file", "was a directory", "tool", "ran"], seen.stderr


async def test_caches_of_tools_are_not_seen(
    commands: LocalCommands, root: Path, tmp_path: Path
) -> None:
    async with views_in(commands, tmp_path / "t").of(root, Patch()) as view:
        assert view is not None
        seen = await shell(commands, view, "ls src; mkdir src/__pycache__ && ls src/__pycache__")
        assert seen.stdout.decode().split() == ["a.py"], seen.stderr
        assert view.written() == ("src/",)


async def test_processes_left_behind_do_not_keep_it(
    commands: LocalCommands, root: Path, tmp_path: Path
) -> None:
    async with views_in(commands, tmp_path / "t").of(root, Patch()) as view:
        assert view is not None
        await shell(
            commands, view, "setsid sleep 30 >/dev/null 2>&1 & chmod 0 src; mkdir -m 0 shut"
        )
    assert list((tmp_path / "t").iterdir()) == []
    assert stat.S_IMODE((root / "src").stat().st_mode) != 0


async def test_no_view_is_made_inside_the_project(commands: LocalCommands, root: Path) -> None:
    async with views_in(commands, root / "tmp").of(root, Patch()) as view:
        assert view is None
    assert list((root / "tmp").iterdir()) == []


async def test_packages_that_cannot_be_laid_over_cost_no_view(
    commands: LocalCommands, root: Path, tmp_path: Path
) -> None:
    inside, refused, open_to_us = (
        root / ".venv/lib/python3.12/site-packages",
        Path("/proc/self"),
        tmp_path / "python/lib/python3.11/site-packages",
    )
    programs = tmp_path / "python/bin"
    for folder in (inside, open_to_us, programs):
        folder.mkdir(parents=True)
    (programs / "python3").touch()
    (open_to_us.parent.parent / "python3.9").mkdir()
    (open_to_us.parent.parent / "python3.9/site-packages").symlink_to(refused)
    (tmp_path / "t").mkdir()
    views = OverlayViews(commands, (tmp_path / "t",), str(programs))
    async with views.of(root, Patch()) as view:
        assert view is not None
        assert [v.at for v in view.directories] == [root, open_to_us]
        script = f"ls {open_to_us}; cd .venv/lib/python3.12/site-packages; ls"
        seen = await shell(commands, view, script)
    assert sorted(seen.stdout.split()) == sorted(
        2 * [b"pm_orchestrator_test_report.pth", b"pm_orchestrator_test_report.py"]
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_user_has_views_too(root: Path, tmp_path: Path) -> None:
    scratch, layer = tmp_path / "scratch", tmp_path / "layer"
    (layer / "src").mkdir(parents=True)
    (layer / "src/a.py").write_text("old\n", encoding="utf-8")
    os.mknod(layer / "run.sh", stat.S_IFCHR, os.makedev(0, 0))
    with_scratch(DirectoryView(at=root, layers=(layer,), scratch=scratch))
    for path in (scratch, *scratch.iterdir(), layer, root, *root.rglob("*"), *layer.rglob("*")):
        os.chown(path, 1000, 1000)
    for path in (tmp_path, *tmp_path.parents):
        # The way to it is the test runner's own.
        path.chmod(path.stat().st_mode | 0o005)
    program = inspect.getsource(directory_view) + (
        f"\nenter_views([({str(root)!r}, [{str(layer)!r}], {str(scratch)!r})])\n"
        f"os.chdir({str(root)!r})\n"
        "os.execvp('sh', ['sh', '-c', 'id -u; cat src/a.py; ls; echo x > src/a.py; cat src/a.py'])"
    )
    become = ("setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups")
    ran = subprocess.run(
        [*become, "/usr/bin/python3", "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.stdout.split() == ["1000", "old", "src", "x"], ran.stderr
    assert (root / "src/a.py").read_text(encoding="utf-8") == "new\n"
    assert [p.name for p in (scratch / "upper").rglob("*")] == ["src", "a.py"]


async def test_a_file_elsewhere_is_seen_as_it_is_to_be_seen(
    commands: LocalCommands, root: Path, tmp_path: Path
) -> None:
    setting, gone = tmp_path / "home, of:mine/.npmrc", tmp_path / "not there any more"
    setting.parent.mkdir()
    setting.write_text("script-shell=/bin/true\n", encoding="utf-8")
    patch = Patch(elsewhere={setting: b"as before\n", gone: b"x"})
    async with views_in(commands, tmp_path / "t").of(root, patch) as view:
        assert view is not None
        script = f"cat '{setting}'; echo written > '{setting}'; cat '{setting}'"
        seen = await shell(commands, view, script)
    assert seen.stdout == b"as before\nwritten\n"
    assert setting.read_text(encoding="utf-8") == "script-shell=/bin/true\n"
    assert not gone.exists()
