"""Ignored files around a task: what is held of them, and what was done to them."""

import errno
import os
from pathlib import Path

import pytest

from pm_orchestrator.evidence.look import ignored_files
from pm_orchestrator.evidence.look.ignored_files import (
    LARGEST,
    IgnoredDifferences,
    KeptIgnored,
    compare_ignored,
    keep_ignored,
)
from pm_orchestrator.ports.tree_views import PatchedFile

IGNORED = frozenset({".env", "local/", "node_modules/", ".venv/", "build/", "pkg/__pycache__/"})
PACKAGES = ".venv/lib/python3.11/site-packages"
FILES = {
    ".env": "A=1\n",
    "local/conftest.py": "x = 1\n",
    "local/large.bin": "x" * (LARGEST + 1),
    "build/out.txt": "built\n",
    "pkg/__pycache__/a.pyc": "bytes\n",
    "node_modules/jest/index.js": "jest\n",
    "node_modules/jest/node_modules/deep/index.js": "deep\n",
    "node_modules/@a/b/index.js": "b\n",
    "node_modules/.bin/jest": "#!/bin/sh\n",
    "node_modules/.package-lock.json": "{}\n",
    f"{PACKAGES}/pytest/__init__.py": "pytest\n",
    f"{PACKAGES}/own.pth": "import own\n",
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
    ".venv/bin/pytest": "#!/bin/sh\n",
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "[core]\n",
    ".git/refs/heads/main": "1\n",
    ".git/objects/aa/bb": "object\n",
}


class Yard:
    """A project with ignored files, all older than the task."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, text in FILES.items():
            self.write(name, text)
        latest = max(path.lstat().st_ctime_ns for path in root.rglob("*"))
        self.kept: KeptIgnored = keep_ignored(root, IGNORED, (), latest + 21_000_000)
        # Whatever is written from here on has a later change time than the look.
        while True:
            self.write("tick", "")
            if (root / "tick").lstat().st_ctime_ns >= self.kept.since_ns:
                break
        (root / "tick").unlink()

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def look(self, *, with_toolchains: bool = True) -> IgnoredDifferences:
        return compare_ignored(
            self.root, IGNORED, self.kept, lambda _: False, with_toolchains=with_toolchains
        )


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


def told(found: IgnoredDifferences) -> dict[str, str]:
    return {c.path: c.kind for c in (*found.changes, *found.toolchain)}


def test_nothing_was_done(yard: Yard) -> None:
    assert yard.look() == IgnoredDifferences()
    yard.write(".env", "A=1\n")
    yard.write("build/out.txt", "again\n")
    yard.write("pkg/__pycache__/a.pyc", "again\n")
    yard.write("local/server.log", "a line\n")
    yard.write("node_modules/.package-lock.json", "{1}\n")
    yard.write("node_modules/lodash/index.js", "a new package\n")
    yard.write(f"{PACKAGES}/requests/__init__.py", "a new package\n")
    assert yard.look() == IgnoredDifferences()


def test_small_files_are_given_back(yard: Yard) -> None:
    yard.write(".env", "A=2\n")
    (yard.root / "local/conftest.py").unlink()
    yard.write("local/new.py", "x\n")
    found = yard.look()
    assert told(found) == {
        ".env": "modified",
        "local/conftest.py": "deleted",
        "local/new.py": "created",
    }
    assert found.given_back[".env"].content == b"A=1\n"
    assert found.given_back["local/conftest.py"].content == b"x = 1\n"
    assert (found.gone, found.unknown) == (("local/new.py",), ())


def test_a_content_that_was_not_held_is_unknown(yard: Yard) -> None:
    yard.write("local/large.bin", "y")
    found = yard.look()
    assert (told(found), found.unknown) == ({"local/large.bin": "modified"}, ("local/large.bin",))


def test_a_hidden_swap_shows(yard: Yard) -> None:
    about = (yard.root / ".env").stat()
    yard.write(".env", "A=9\n")
    os.utime(yard.root / ".env", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert told(yard.look()) == {".env": "modified"}


@pytest.mark.parametrize(
    "path",
    [
        f"{PACKAGES}/pytest/__init__.py",
        f"{PACKAGES}/pytest/added.py",
        "node_modules/jest/index.js",
        "node_modules/jest/node_modules/deep/index.js",
        "node_modules/@a/b/index.js",
    ],
)
def test_an_installed_package_that_was_changed_is_named(yard: Yard, path: str) -> None:
    yard.write(path, "spoiled\n")
    found = yard.look()
    assert (told(found), found.unknown) == ({path: "modified"}, (path,))
    assert yard.look(with_toolchains=False) == IgnoredDifferences()


@pytest.mark.parametrize(
    "path",
    [
        f"{PACKAGES}/evil.pth",
        f"{PACKAGES}/sitecustomize.py",
        f"{PACKAGES}/evil-1.0.dist-info/entry_points.txt",
        "node_modules/.bin/node",
        ".venv/bin/make",
    ],
)
def test_what_is_loaded_unasked_is_named_and_not_in_the_base(yard: Yard, path: str) -> None:
    yard.write(path, "evil\n")
    found = yard.look()
    assert (told(found), found.gone, found.unknown) == ({path: "created"}, (path,), ())


@pytest.mark.parametrize(
    "path",
    [f"{PACKAGES}/own.pth", ".venv/bin/pytest", "node_modules/.bin/jest", ".venv/pyvenv.cfg"],
)
def test_what_was_loaded_unasked_before_is_given_back(yard: Yard, path: str) -> None:
    yard.write(path, "evil\n")
    found = yard.look()
    assert (told(found), found.unknown) == ({path: "modified"}, ())
    assert found.given_back[path].content == FILES[path].encode()


def test_a_repository_stands_where_it_stood(yard: Yard) -> None:
    yard.write(".git/refs/heads/main", "2\n")
    yard.write(".git/refs/heads/other", "2\n")
    yard.write(".git/objects/cc/dd", "object\n")
    found = yard.look()
    assert told(found) == {}
    assert found.given_back == {".git/refs/heads/main": PatchedFile(content=b"1\n")}
    assert found.gone == (".git/refs/heads/other",)


def test_where_there_is_no_room_nothing_is_held(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ignored_files, "MOST_FILES", 1)
    kept = keep_ignored(yard.root, {".env", "local/"}, (), 0)
    assert len(kept.files) == 1
    assert kept.names >= {".env", "local/conftest.py"}


def test_a_link_is_held_as_a_link(yard: Yard) -> None:
    (yard.root / "local/link").symlink_to("../.env")
    kept = keep_ignored(yard.root, {"local/"}, (), 0)
    assert kept.files["local/link"] == PatchedFile(content=b"../.env", link=True)


@pytest.mark.parametrize("trouble", ["fails", "grows"])
def test_what_cannot_be_read_whole_is_not_held(
    yard: Yard, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    def read(handle: int, size: int) -> bytes:
        if trouble == "fails":
            raise OSError(errno.EIO, "Input/output error")
        return b"x" * size

    monkeypatch.setattr(os, "read", read)
    kept = keep_ignored(yard.root, {".env"}, (), 0)
    assert ".env" not in kept.files
    assert ".env" in kept.others


def test_a_file_of_git_that_was_not_held_is_no_ones_change(yard: Yard) -> None:
    yard.write(".git/HEAD", "x" * (LARGEST + 1))
    yard.kept = keep_ignored(yard.root, IGNORED, (), 0)
    assert ".git/HEAD" in yard.kept.others
    found = yard.look(with_toolchains=False)
    assert not [path for path in (*told(found), *found.unknown, *found.gone) if ".git" in path]


def test_what_git_was_told_is_taken_back_for_every_gate(yard: Yard) -> None:
    yard.write(".git/config", "[diff]\n\texternal = true\n")
    yard.write(".git/info/exclude", "*.txt\n")
    yard.write(".git/HEAD", "ref: refs/heads/other\n")
    patch = yard.look().told_to_git
    assert patch.files == {".git/config": PatchedFile(content=b"[core]\n")}
    assert patch.gone == (".git/info/exclude",)
