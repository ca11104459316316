"""A test that is false, to see whether the runner still says so.

It lies beside the tests that were run, so that whatever is done to them is done to it. Its
name is drawn by lot: nobody can make an exception for it.
"""

import secrets
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.gates.compare.test_ids import file_of, is_example

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
    ordered = sorted(tests, key=_last_examples)
    file = next(filter(None, (file_of(test, files) for test in ordered)), None)
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


def _last_examples(test: str) -> tuple[bool, str]:
    return is_example(test), test


def _canary(name: str, path: PurePosixPath, text: str) -> Canary:
    return Canary(name=name, path=path.as_posix(), content=text.format(name=name).encode())
