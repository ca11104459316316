"""The checks of a JavaScript project: the scripts of its package, or its test files themselves."""

import json
from pathlib import PurePosixPath
from typing import Any, cast

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import GateKind
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.base_tree import Argv, BaseTree, Offer, ReadBase, text_in

PACKAGE = "package.json"
NPM_PLACEHOLDER = "no test specified"
SCRIPTED: tuple[GateKind, ...] = ("lint", "test")
MANAGERS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
}
"""By the file in which each remembers what it installed."""
FOLDERS = ("", "test/", "tests/", "__tests__/", "spec/", "src/", "lib/")
MOST_READ = 10
TEST_FILE = LatePattern(
    r".*[.\-_](?:test|spec)\.[cm]?js|test[-_.].*\.[cm]?js|test\.[cm]?js", needs="js"
)
OWN_RUNNER = LatePattern(r"""["']node:test["']""")
OTHER_RUNNERS = ("vitest", "jest", "mocha", "ava", "tap")
CALLS_A_RUNNER = LatePattern(r"(?m)^\s*(?:describe|it|test|suite|beforeEach|beforeAll)\s*[.(]")


async def script_offers(base: BaseTree) -> list[Offer]:
    """The scripts `lint` and `test`, by the package manager of the project or else by npm."""
    scripts = await package_scripts(base.read_base)
    wanted: list[GateKind] = [kind for kind in SCRIPTED if kind in scripts]
    if not wanted:
        return []
    manager = await _manager(base)
    programs = dict.fromkeys((manager, "npm"))
    return [Offer(k, PACKAGE, tuple((p, "run", k) for p in programs)) for k in wanted]


async def package_scripts(read: ReadBase) -> frozenset[str]:
    """The names of the scripts in `package.json` that do something.

    Raises:
        PmError: E104 when it cannot be read.
    """
    scripts = _table(_package(await read(PACKAGE)).get("scripts"))
    return frozenset(
        name
        for name, script in scripts.items()
        if isinstance(script, str) and script.strip() and NPM_PLACEHOLDER not in script
    )


async def node_test_offers(base: BaseTree) -> list[Offer]:
    """The runner that the test files themselves are written for."""
    files = [
        folder + name
        for folder in FOLDERS
        for name in await base.names_in(folder)
        if TEST_FILE.fullmatch(name) or (name.endswith(".js") and folder == "test/")
    ]
    if not files:
        return []
    way = await _runner(base, files)
    return [] if way is None else [Offer("test", str(PurePosixPath(files[0])), (way,))]


async def _runner(base: BaseTree, files: list[str]) -> Argv | None:
    texts = [await text_in(base, path) or "" for path in files[:MOST_READ]]
    if any(OWN_RUNNER.search(text) for text in texts):
        return ("node", "--test")
    package = _package(await base.read_base(PACKAGE))
    asked = {**_table(package.get("dependencies")), **_table(package.get("devDependencies"))}
    for name in OTHER_RUNNERS:
        if name in asked:
            once = ("run",) if name == "vitest" else ()
            return (f"node_modules/.bin/{name}", *once)
    # Plain scripts that throw: node's runner starts each of them and takes its exit code.
    called = any(CALLS_A_RUNNER.search(text) for text in texts)
    return None if called else ("node", "--test")


async def _manager(base: BaseTree) -> str:
    named = _package(await base.read_base(PACKAGE)).get("packageManager")
    if isinstance(named, str) and named.split("@")[0] in MANAGERS.values():
        return named.split("@")[0]
    there = set(await base.names_in(""))
    return next((manager for file, manager in MANAGERS.items() if file in there), "npm")


def _package(content: bytes | None) -> dict[str, Any]:
    try:
        return {} if content is None else _table(json.loads(content))
    except ValueError as error:
        raise PmError("config_schema", path=PACKAGE, reason=error) from error


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
