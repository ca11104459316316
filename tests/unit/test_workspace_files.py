"""The confined file operations, without a sandbox around them."""

import os
from pathlib import Path

import pytest

from pm_orchestrator.adapters.sandboxes.workspace_files import (
    RefusedError,
    Replacement,
    WorkspaceFiles,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("outside", "utf-8")
    root = tmp_path / "workspace"
    (root / "folder").mkdir(parents=True)
    (root / "file").write_text("inside", "utf-8")
    return root


@pytest.fixture
def workspace(root: Path) -> WorkspaceFiles:
    return WorkspaceFiles(str(root))


def read(workspace: WorkspaceFiles, path: str, limit: int = 100) -> bytes:
    fd = workspace.open_to_read(path, limit)
    try:
        return os.read(fd, limit)
    finally:
        os.close(fd)


def write(workspace: WorkspaceFiles, path: str, data: bytes) -> None:
    with workspace.locate(path, make_folders=True) as place:
        replacement = Replacement(place)
        replacement.write(data)
        replacement.commit()


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("path", ["file", "./file", "folder//", ".", "", "folder/./"])
def test_paths_inside_are_found(workspace: WorkspaceFiles, root: Path, path: str) -> None:
    with workspace.locate(path) as place:
        found = os.stat(place.name, dir_fd=place.folder)
    assert found.st_ino == (root / path).stat().st_ino


def test_absolute_paths_into_the_workspace_are_accepted(
    workspace: WorkspaceFiles, root: Path
) -> None:
    assert read(workspace, f"{root}/file") == b"inside"
    (root / "folder/absolute").symlink_to(root / "file")
    assert read(workspace, "folder/absolute") == b"inside"


@pytest.mark.parametrize("path", ["../secret", "folder/../../secret", "/etc/passwd", "..", "a/.."])
def test_paths_that_lead_out_are_refused(workspace: WorkspaceFiles, path: str) -> None:
    with pytest.raises(RefusedError):
        workspace.locate(path)


def test_a_sibling_with_the_same_beginning_is_outside(
    workspace: WorkspaceFiles, root: Path
) -> None:
    (root.parent / "workspace2").mkdir()
    with pytest.raises(RefusedError):
        workspace.locate(f"{root}2/x")


@pytest.mark.parametrize(
    "target", ["../secret", "../../../../etc/passwd", "/etc/passwd", "folder/../../secret"]
)
def test_links_that_lead_out_are_refused(
    workspace: WorkspaceFiles, root: Path, target: str
) -> None:
    (root / "link").symlink_to(target)
    for path in ("link", "link/x"):
        with pytest.raises((RefusedError, NotADirectoryError)):
            workspace.locate(path)
    with pytest.raises(RefusedError):
        read(workspace, "link")


def test_links_that_stay_inside_are_followed(workspace: WorkspaceFiles, root: Path) -> None:
    (root / "folder/back").symlink_to("../file")
    (root / "again").symlink_to("folder/back")
    (root / "here").symlink_to("folder/..")
    assert read(workspace, "again") == b"inside"
    assert read(workspace, "here/file") == b"inside"


def test_a_circle_of_links_ends(workspace: WorkspaceFiles, root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    with pytest.raises(RefusedError, match="too many links"):
        workspace.locate("a")


def test_only_files_within_the_limit_are_read(workspace: WorkspaceFiles, root: Path) -> None:
    os.mkfifo(root / "pipe")
    for path, reason in (("pipe", "not a file"), ("folder", "not a file"), ("file", "6 bytes")):
        with pytest.raises(RefusedError, match=reason):
            workspace.open_to_read(path, 5)
    assert read(workspace, "file", 6) == b"inside"


def test_writing_makes_folders_and_keeps_the_mode(workspace: WorkspaceFiles, root: Path) -> None:
    write(workspace, "new/deep/file", b"1")
    assert (root / "new/deep/file").read_bytes() == b"1"
    (root / "file").chmod(0o700)
    write(workspace, "file", b"2")
    assert (root / "file").stat().st_mode & 0o777 == 0o700


def test_a_replacement_is_invisible_until_it_is_complete(
    workspace: WorkspaceFiles, root: Path
) -> None:
    with workspace.locate("file") as place:
        replacement = Replacement(place)
        replacement.write(b"half")
        assert (root / "file").read_text("utf-8") == "inside"
        replacement.abandon()
    assert sorted(path.name for path in root.iterdir()) == ["file", "folder"]


def test_a_directory_is_not_replaced(workspace: WorkspaceFiles) -> None:
    with workspace.locate("folder") as place, pytest.raises(RefusedError, match="not a file"):
        Replacement(place)


def test_entries_are_sorted_with_their_kinds(workspace: WorkspaceFiles, root: Path) -> None:
    (root / "link").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    kinds = [("file", "file"), ("folder", "directory"), ("link", "link"), ("pipe", "other")]
    assert [(name, kind) for name, kind, _ in workspace.entries(".")] == kinds
    with pytest.raises(NotADirectoryError):
        workspace.entries("file")


def test_no_descriptor_is_leaked(workspace: WorkspaceFiles, root: Path) -> None:
    (root / "out").symlink_to("/etc")
    before = open_descriptors()
    for path in ("folder/../x", "out/x", "file/x", "missing/x", "folder"):
        with pytest.raises((RefusedError, OSError)):
            read(workspace, path)
    write(workspace, "x/y", b"")
    workspace.entries("folder")
    assert open_descriptors() == before
