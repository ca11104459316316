"""Which checks a project has, and which of them a change needs.

Everything is read from the base commit, so nobody who works on the project can
choose what they are judged by. For each kind the first source that has one
wins: the person's settings, the Makefile, then the tools of the language.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any, cast

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import Gate, GateKind
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.setup.settings import GateSettings
from pm_orchestrator.gates.detect.makefile import ReadBase, makefile_targets

KINDS: tuple[GateKind, ...] = ("lint", "test")
Argv = tuple[str, ...]
FoundGates = dict[GateKind, Argv]

DOCUMENT_SUFFIXES = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".org"})
DOCUMENT_NAMES = frozenset(
    {
        "license",
        "licence",
        "copying",
        "notice",
        "authors",
        "contributors",
        "changelog",
        "readme",
        "codeowners",
    }
)
# Text that tools read: a change here can break a build.
NOT_DOCUMENTS = frozenset({"cmakelists.txt", "requirements.txt", "constraints.txt"})
PACKAGE = "package.json"
NPM_PLACEHOLDER = "no test specified"


async def detect(read: ReadBase, configured: GateSettings | None = None) -> tuple[Gate, ...]:
    """The project's gates, lint first.

    Raises:
        PmError: E104 when a file that would say it cannot be read; guessing that there
            is no gate would let everything pass.
    """
    settings = configured or GateSettings()
    chosen: dict[GateKind, Gate] = {}
    decided: dict[GateKind, Argv | None] = {"lint": settings.lint, "test": settings.test}
    open_kinds = [kind for kind in KINDS if decided[kind] is None]
    for kind in KINDS:
        if argv := decided[kind]:
            chosen[kind] = Gate(kind=kind, argv=argv, source="settings")
    for source in (_makefile, _pyproject, _package_json, _cargo, _go):
        if not open_kinds:
            break
        name, found = await source(read)
        for kind, argv in found.items():
            if kind in open_kinds:
                chosen[kind] = Gate(kind=kind, argv=argv, source=name)
                open_kinds.remove(kind)
    return tuple(chosen[kind] for kind in KINDS if kind in chosen)


def applicable(gates: Iterable[Gate], changes: Sequence[FileChange]) -> tuple[Gate, ...]:
    """The gates a change needs: none for documents alone, all of them otherwise."""
    touched = {change.path for change in changes}
    touched |= {change.previous_path for change in changes if change.previous_path}
    return () if all(is_document(path) for path in touched) else tuple(gates)


def is_document(path: str) -> bool:
    """Whether a file is only read by people."""
    name = PurePosixPath(path).name.lower()
    if name in NOT_DOCUMENTS:
        return False
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
    return suffix in DOCUMENT_SUFFIXES or (not suffix and stem in DOCUMENT_NAMES)


async def _makefile(read: ReadBase) -> tuple[str, FoundGates]:
    makefile = await makefile_targets(read)
    if makefile is None:
        return "Makefile", {}
    name, targets = makefile
    return name, {kind: ("make", kind) for kind in KINDS if kind in targets}


async def _pyproject(read: ReadBase) -> tuple[str, FoundGates]:
    name = "pyproject.toml"
    content = await read(name)
    if content is None:
        return name, {}
    import tomllib

    try:
        table: dict[str, Any] = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PmError("config_schema", path=name, reason=error) from error
    tools = _table(table.get("tool"))
    found: FoundGates = {}
    if "ruff" in tools:
        found["lint"] = ("ruff", "check", ".")
    if "pytest" in tools or _asks_for(table, "pytest"):
        found["test"] = ("python3", "-m", "pytest")
    elif await read("tests/__init__.py") is not None:
        # Discovery from the top only finds tests in packages.
        found["test"] = ("python3", "-m", "unittest", "discover")
    return name, found


async def _package_json(read: ReadBase) -> tuple[str, FoundGates]:
    scripts = await package_scripts(read)
    return PACKAGE, {kind: ("npm", "run", kind) for kind in KINDS if kind in scripts}


async def package_scripts(read: ReadBase) -> frozenset[str]:
    """The names of the scripts in `package.json` that do something.

    Raises:
        PmError: E104 when it cannot be read.
    """
    content = await read(PACKAGE)
    if content is None:
        return frozenset()
    try:
        package: Any = json.loads(content)
    except ValueError as error:
        raise PmError("config_schema", path=PACKAGE, reason=error) from error
    scripts = _table(_table(package).get("scripts"))
    return frozenset(
        name
        for name, script in scripts.items()
        if isinstance(script, str) and script.strip() and NPM_PLACEHOLDER not in script
    )


async def _cargo(read: ReadBase) -> tuple[str, FoundGates]:
    name = "Cargo.toml"
    if await read(name) is None:
        return name, {}
    return name, {"lint": ("cargo", "clippy", "--all-targets"), "test": ("cargo", "test")}


async def _go(read: ReadBase) -> tuple[str, FoundGates]:
    name = "go.mod"
    if await read(name) is None:
        return name, {}
    return name, {"lint": ("go", "vet", "./..."), "test": ("go", "test", "./...")}


def _asks_for(pyproject: dict[str, Any], package: str) -> bool:
    """Whether a package stands in any list of dependencies."""
    project = _table(pyproject.get("project"))
    lists: list[Any] = [
        project.get("dependencies"),
        *_table(project.get("optional-dependencies")).values(),
        *_table(pyproject.get("dependency-groups")).values(),
    ]
    names = (entry for some in lists if isinstance(some, list) for entry in cast("list[Any]", some))
    # `pytest-cov` is another package.
    named = re.compile(rf"\s*{re.escape(package)}(?![\w.-])", re.IGNORECASE)
    return any(isinstance(name, str) and named.match(name) for name in names)


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def altered_gates(
    gates: Iterable[Gate], changes: Iterable[FileChange], named: Iterable[str]
) -> tuple[str, ...]:
    """Makefiles that define one of `gates` and were changed without being `named` by the task.

    A package's own file is not among them: it holds much besides the gate, and adding a
    dependency to it is honest work.
    """
    sources = {g.source for g in gates if g.source.lower().endswith("makefile")} - set(named)
    touched = {path for c in changes for path in (c.path, c.previous_path) if path}
    return tuple(sorted(sources & touched))
