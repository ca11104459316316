"""What of a change belongs to the checks, and what to the product they check.

Told apart by where a file lies and how it is called, as people tell them apart, and by what
the test runner says it collected. A file that the instruction itself asks for is product,
unless it holds tests: who asks for a setting does not want it taken back. What is told
wrongly costs a run, and cannot make a bad check good: taken back with the checks, a product
is the old one, and old tests that need the new one are red.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.judging.gate import GateKind
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.detection import is_document
from pm_orchestrator.gates.detect.makefile import NAMES

TEST_FOLDERS = LatePattern(
    r"(?:^|/)(?:tests?|specs?|__tests__|__mocks__|__snapshots__|e2e|testdata|test[_-]data|t)/",
    re.IGNORECASE | re.ASCII,
)
TEST_NAMES = LatePattern(
    r"(?:^|/)(?:tests?|conftest|(?:tests?|spec)[_.-][^/]*|[^/]*[_.-](?:tests?|spec))(?:\.[^/]*)?$"
    r"|(?:^|/)[^/]*(?:Tests?|Spec|IT)\.(?:java|kt|cs|scala|swift|groovy)$|\.(?:bats|snap)$",
)
SHELL_CHECKS = LatePattern(
    r"(?:^|/)(?:[^/]*[_.-])?(?:checks?|verify|tests?|selftest|smoke|ci|lint)(?:[_.-][^/.]*)?"
    r"(?:\.(?:sh|bash|zsh|mk|pl))?$",
    re.IGNORECASE | re.ASCII,
)
SETTINGS = LatePattern(
    r"(?:^|/)(?:\.[^/]+(?:/.*)?|[^/]+\.mk|[^/]*\.config\.[cm]?[jt]s|tsconfig[^/]*\.json"
    r"|package\.json|pyproject\.toml|setup\.cfg|noxfile\.py|justfile|Justfile|Rakefile|phpunit\.xml"
    r"|sitecustomize\.py|usercustomize\.py|[^/]*\.pth|codecov\.ya?ml|azure-pipelines\.ya?ml"
    r"|Jenkinsfile|clippy\.toml|pyrightconfig\.json)$|^[^/]+\.(?:ini|cfg|toml)$"
)
INSTALLING = LatePattern(
    r"\b(?:install|upgrad|dependenc|packages?|version|bump|librar)\w*|依存|インストール|パッケージ"
    r"|アップグレード|ライブラリ",
    re.IGNORECASE | re.ASCII,
)
PACKAGE_LISTS = LatePattern(
    r"(?:^|/)(?:package(?:-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|[^/]*requirements[^/]*"
    r"|pyproject\.toml|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|setup\.(?:py|cfg)|go\.(?:mod|sum)"
    r"|Cargo\.(?:toml|lock)|Gemfile(?:\.lock)?)$"
)
DOT_DATA = LatePattern(r"(?:^|/)\.(?:gitkeep|keep|gitignore|gitattributes|mailmap)$")
CODE = LatePattern(
    r"\.(?:pyi?|[cm]?[jt]sx?|vue|go|rs|java|kt|rb|php|sh|bash|zsh|p[lm]|lua|c|cc|cpp|h|hpp|cs|swift"
    r"|scala|exs?|awk|sed)$"
)


class Sides(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of a task, each on one side."""

    checks: tuple[FileChange, ...] = ()
    product: tuple[FileChange, ...] = ()
    unseen: tuple[FileChange, ...] = ()
    """Those that git ignores and nobody spoke of."""


def split(
    kind: GateKind,
    changes: Iterable[FileChange],
    named: Collection[str],
    collected: Iterable[str],
    of_tools: Collection[str] = (),
) -> Sides:
    """Tell `changes` apart for one kind of gate; `collected` are files the runner collected.

    `of_tools` are settings of the programs that the gate runs.

    For a linter only its settings are a check: tests are looked at like everything else.
    """
    tests = frozenset(collected)
    found: tuple[list[FileChange], list[FileChange]] = ([], [])
    for change in one_by_one(changes):
        path = change.path
        test = path in tests or is_test(path)
        takes_over = change.kind == "created" and stands_for_a_tool(path)
        setting = is_setting(path) or takes_over or path in of_tools
        setting = setting and path not in named
        found[not (setting or (test and kind == "test"))].append(change)
    checks, product = found
    return Sides(checks=tuple(checks), product=tuple(product))


def installs(instruction: str, changed: Iterable[str]) -> bool:
    """Whether a task is to install something, or changed a list of what is installed."""
    return INSTALLING.search(instruction) is not None or any(map(PACKAGE_LISTS.search, changed))


def one_by_one(changes: Iterable[FileChange]) -> Iterator[FileChange]:
    """A move as what it is to a tree: a file that went, and one that came."""
    for change in changes:
        if change.kind == "renamed" and change.previous_path:
            gone = replace(change, path=change.previous_path, kind="deleted", size=0)
            yield replace(gone, previous_path=None)
            yield replace(change, kind="created", previous_path=None)
        else:
            yield change


def is_test(path: str) -> bool:
    """Whether a file is there for tests: one of them, or something they use."""
    if is_test_by_place(path):
        return True
    shell = PurePosixPath(path).suffix in {"", ".sh", ".bash", ".zsh", ".pl"}
    return shell and SHELL_CHECKS.search(path) is not None


def is_test_by_place(path: str) -> bool:
    """Whether a file lies among tests or is called like one, so that it is no product."""
    return TEST_FOLDERS.search(path) is not None or TEST_NAMES.search(path) is not None


def holds_tests(path: str) -> bool:
    """Whether a file holds tests by its name, and is no helper or setting of others."""
    name = PurePosixPath(path).name
    return TEST_NAMES.search(path) is not None and name not in {"conftest.py", "__init__.py"}


def is_setting(path: str) -> bool:
    """Whether a file says how checks are run, and by which tools."""
    if path in NAMES or PurePosixPath(path).name in NAMES:
        return True
    return SETTINGS.search(path) is not None and DOT_DATA.search(path) is None


def stands_for_a_tool(path: str) -> bool:
    """Whether a module at the top would be found before the tool or library of that name."""
    import sys

    name = path.removeprefix("src/").partition("/")[0].removesuffix(".py")
    if not path.endswith(".py"):
        return False
    tools = {"pytest", "_pytest", "nose", "nose2", "ruff", "mypy", "coverage", "pluggy"}
    return name in tools or name in sys.stdlib_module_names


def module_name(path: str) -> str:
    """What code is called by those who load it: a package by its folder."""
    place = PurePosixPath(path)
    name = place.name.partition(".")[0]
    return place.parent.name if name in {"__init__", "__main__", "index", "mod"} else name


def is_product_code(path: str) -> bool:
    """Whether a file is product that runs: neither check, nor document, nor data."""
    if is_test(path) or is_setting(path) or is_document(path):
        return False
    return CODE.search(path) is not None
