"""The core touches files through ports; whoever does it directly is named here, with the reason."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pm_orchestrator.testing.data.reach import parsed

SOURCE = Path(__file__).parents[2] / "src" / "pm_orchestrator"
ROOMS = ("domain", "ports", "evidence", "gates", "dispatch", "agents", "runner")
EXEMPT = {
    "evidence/look/snapshot.py": "the Runner's own look at a project: nothing may mislead it",
    "evidence/look/by_products.py": "the same look at what running code left behind",
    "evidence/look/ignored_files.py": "the same look at what version control leaves out",
    "evidence/look/toolchains.py": "the same look at what tools have installed",
    "evidence/look/plain_open.py": "the one way to open what may have been swapped",
    "evidence/guard/way_to_records.py": "clears what an executor put between us and our records",
    "runner/places/git_barriers.py": "clears what an executor put between git and its own files",
    "runner/places/plain_files.py": "the one way to read a project's file that must be no link",
    "runner/places/judged/put_back.py": "writes a project's files as judged; ports write records",
    "runner/project/init_project.py": "makes directories, where nothing of ours is there yet",
    "runner/layout.py": "takes the number of a run by making its directory, at once",
}
MODULES = {"shutil", "tempfile", "fcntl", "mmap", "glob", "io", "fileinput", "linecache"}
PURE = {"fsencode", "fsdecode", "strerror", "stat_result", "DirEntry", "PathLike", "path"}
"""Of `os`: names and types, for which no disk is asked. So is `os.path`, but for these:"""
ASKS = {"exists", "lexists", "isfile", "isdir", "islink", "getsize", "getmtime", "samefile"}
METHODS = {
    *("open", "read_text", "read_bytes", "write_text", "write_bytes", "touch", "unlink", "rename"),
    *("mkdir", "rmdir", "iterdir", "glob", "rglob", "exists", "is_file", "is_dir", "is_symlink"),
    *("stat", "lstat", "chmod", "readlink", "symlink_to", "hardlink_to", "samefile", "is_fifo"),
}
"""Of `Path`; `resolve` is not among them: it asks what a place is called, not what is there.
What is awaited is a port of ours that happens to have the same name."""


def touches(source: str) -> list[int]:
    """Lines that touch the file system without a port."""
    tree = parsed(source)
    ours = {id(called) for called in _through_ports(tree)}
    # `exists` is also a field of records; only what is called, or given to be called, asks a disk.
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    used = {id(part) for call in calls for part in (call.func, *call.args)}
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Import | ast.ImportFrom) and _imports(node))
        or (
            isinstance(node, ast.Name | ast.Attribute)
            and id(node) not in ours
            and (id(node) in used or getattr(node, "attr", "") != "exists")
            and _touches(node)
        )
    ]


def _through_ports(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.Await(value=ast.Call(func=called)):
                yield called
            case ast.AsyncWith(items=items):
                calls = (item.context_expr for item in items)
                yield from (call.func for call in calls if isinstance(call, ast.Call))
            case _:
                pass


def _imports(node: ast.Import | ast.ImportFrom) -> bool:
    taken = {name.name for name in node.names}
    if isinstance(node, ast.Import):
        return not taken.isdisjoint(MODULES)
    return node.module in MODULES or (node.module == "os" and not taken <= PURE)


def _touches(node: ast.Name | ast.Attribute) -> bool:
    match node:
        case ast.Name(id=name):
            return name == "open"
        case ast.Attribute(value=ast.Name(id="os"), attr=name):
            return name not in PURE
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="os"), attr="path"), attr=name):
            return name in ASKS
        case ast.Attribute(attr=name):
            return name in METHODS


def _touching() -> dict[str, list[int]]:
    found = {
        path.relative_to(SOURCE).as_posix(): touches(path.read_text("utf-8"))
        for room in ROOMS
        for path in (SOURCE / room).rglob("*.py")
    }
    return {name: lines for name, lines in found.items() if lines}


def test_nobody_else_touches_files() -> None:
    assert {name: lines for name, lines in _touching().items() if name not in EXEMPT} == {}


def test_whoever_is_exempt_needs_it() -> None:
    assert set(EXEMPT) <= set(_touching())


@pytest.mark.parametrize(
    "offence",
    [
        "import shutil",
        "from tempfile import mkstemp",
        "import os\nos.unlink(path)",
        "from os import scandir",
        "open(path)",
        "data = path.read_bytes()",
        "await asyncio.to_thread(path.is_dir)",
        "await asyncio.to_thread(os.path.lexists, path)",
        "with path.open() as file: pass",
        "folder.mkdir(parents=True)",
        "if chain.exists(): pass",
        "await asyncio.to_thread(chain.exists)",
    ],
)
def test_an_offence_is_found(offence: str) -> None:
    assert touches(offence)


@pytest.mark.parametrize(
    "honest",
    [
        "import os\nname = os.fsencode(path)",
        "path = os.path.normpath(path)",
        "path = folder / 'a'\nparent = path.parent",
        "found = await place.exists(path)",
        "async with runtime.open(spec) as sandbox: pass",
        "await files.replace(path, data)",
        "there = [file.path for file in verified if file.exists]",
    ],
)
def test_what_is_no_offence_is_left_alone(honest: str) -> None:
    assert not touches(honest)
