"""The checks of a Python project that has tests and no word on how to run them.

The files say it: what only pytest understands needs pytest, what is written for unittest
runs without any package.
"""

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.base_tree import Argv, BaseTree, Offer, text_in
from pm_orchestrator.gates.detect.python_gates import by_python

TEST_FOLDERS = ("tests/", "test/", "unit_tests/", "unittests/", "testing/")
MOST_FOLDERS = 40
MOST_READ = 25
DEPTH = 3
TEST_NAME = LatePattern(r"tests?(?:[_A-Z\d].*)?\.py|.*_tests?\.py", needs="test")
FOUND_BY_UNITTEST = LatePattern(r"test.*\.py")
FOR_PYTEST = LatePattern(
    r"(?m)^\s*(?:import|from)\s+pytest\b|^(?:async\s+)?def\s+test|^class\s+Test\w*\s*(?:\(\s*\))?:"
)
FOR_UNITTEST = LatePattern(r"\bunittest\b|\bTestCase\b")


class TestFolder(msgspec.Struct, frozen=True):
    """A folder with tests."""

    folder: str
    """With a slash at the end; empty for the project's own."""
    files: tuple[str, ...]
    is_package: bool
    reached: bool
    """Whether unittest finds each of the files from here."""


async def python_test_offers(base: BaseTree) -> list[Offer]:
    """The runner that the test files are written for."""
    folders = [found for name in await _places(base) if (found := await _look(base, name))]
    if not folders:
        return []
    texts = [await text_in(base, f) or "" for folder in folders for f in folder.files[:MOST_READ]]
    for_pytest = any(FOR_PYTEST.search(text) for text in texts)
    for_unittest = any(FOR_UNITTEST.search(text) for text in texts)
    source = folders[0].folder.rstrip("/") or folders[0].files[0]
    with_pytest = Offer("test", source, by_python("-m", "pytest"))
    with_unittest = Offer("test", source, by_python("-m", "unittest", *_discovery(folders)))
    if for_pytest:
        # Where pytest is not there, the tests that do without it are better than none.
        return [with_pytest, with_unittest] if for_unittest else [with_pytest]
    if len(folders) == 1 and folders[0].reached:
        # Pytest runs these as well, and is asked where they were rewritten for it.
        return [replace(with_unittest, otherwise=with_pytest.ways)]
    return [with_pytest, with_unittest]


def _discovery(folders: list[TestFolder]) -> Argv:
    first = folders[0]
    if not first.folder:
        where: Argv = ()
    elif first.is_package:
        where = ("-s", first.folder.rstrip("/"), "-t", ".")
    else:
        where = ("-s", first.folder.rstrip("/"))
    names = [path.rpartition("/")[2] for path in first.files]
    other = names and not any(FOUND_BY_UNITTEST.fullmatch(name) for name in names)
    return ("discover", *where, *(("-p", "*_test*.py") if other else ()))


async def _places(base: BaseTree) -> list[str]:
    """Where tests usually lie: beside the code, or in a folder of a package."""
    top = await base.names_in("")
    own = [name for name in TEST_FOLDERS if name in top]
    packages = [name for name in top if name.endswith("/") and not name.startswith(".")]
    packages = [name for name in packages if name not in own][:MOST_FOLDERS]
    if "src/" in packages:
        packages += [f"src/{n}" for n in await base.names_in("src/") if n.endswith("/")]
    inner: list[str] = []
    for package in packages[: 2 * MOST_FOLDERS]:
        names = await base.names_in(package)
        if "__init__.py" in names:
            inner += [package + name for name in TEST_FOLDERS if name in names]
    return [*own, "", *inner]


async def _look(base: BaseTree, folder: str) -> TestFolder | None:
    names = await base.names_in(folder)
    files = [folder + name for name in names if TEST_NAME.fullmatch(name)]
    reached = all(FOUND_BY_UNITTEST.fullmatch(path.rpartition("/")[2]) for path in files)
    pending = [(folder + n, 1) for n in names if n.endswith("/")] if folder else []
    seen = 0
    while pending and seen < MOST_FOLDERS:
        below, depth = pending.pop(0)
        seen += 1
        there = await base.names_in(below)
        inside = [below + name for name in there if TEST_NAME.fullmatch(name)]
        reached = reached and (not inside or "__init__.py" in there)
        files += inside
        if depth < DEPTH:
            pending += [(below + name, depth + 1) for name in there if name.endswith("/")]
    is_package = "__init__.py" in names
    if not files and not (folder in {"tests/", "test/"} and is_package):
        return None
    return TestFolder(folder, tuple(files), is_package, reached)
