"""A test that is false, to see whether the runner still says so.

It lies beside the tests that were run, so that whatever is done to them is done to it. Its
name is drawn by lot: nobody can make an exception for it.
"""

import secrets
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.gates.compare.test_ids import file_in

PYTHON = """import unittest


class {name}(unittest.TestCase):
    def test_{name}_in_a_class(self):
        self.assertEqual(len("{name}"), 0)


def test_{name}():
    assert len("{name}") == 0
"""
NODE = """const test = require('node:test');
const assert = require('node:assert');
test('{name}', () => assert.equal('{name}'.length, 0));
"""


class Canary(msgspec.Struct, frozen=True, kw_only=True):
    """A file with tests that have to fail."""

    name: str
    path: str
    content: bytes


def canary_beside(tests: Iterable[str], files: Collection[str]) -> Canary | None:
    """One for the folder of the tests that were run; None where they are of no known kind."""
    file = next(filter(None, (file_of(test, files) for test in sorted(tests))), None)
    if file is None:
        return None
    name = f"c{secrets.token_hex(6)}"
    beside = PurePosixPath(file)
    if beside.suffix == ".py":
        return _canary(name, beside.with_name(f"test_{name}.py"), PYTHON)
    if beside.suffix in {".js", ".cjs", ".mjs", ".ts"}:
        ending = beside.name.partition(".")[2].rpartition(".")[0]
        last = f"{name}.{ending}.cjs" if ending else f"test-{name}.cjs"
        return _canary(name, beside.with_name(last), NODE)
    return None


def file_of(test: str, files: Collection[str]) -> str | None:
    """The file that holds a test: named in its id, or the module of that name."""
    path = file_in(test) or test
    if path in files or path != test:
        return path if path in files else None
    parts = test.split(".")
    for length in range(len(parts) - 1, 0, -1):
        tail = "/".join(parts[:length]) + ".py"
        known = next((f for f in files if f == tail or f.endswith(f"/{tail}")), None)
        if known is not None:
            return known
    return None


def _canary(name: str, path: PurePosixPath, text: str) -> Canary:
    return Canary(name=name, path=path.as_posix(), content=text.format(name=name).encode())
