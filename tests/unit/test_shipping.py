"""Modules that are sent to a bare interpreter run there, whatever its version."""

import subprocess
import sys
from importlib.machinery import ModuleSpec
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType

import pytest

from pm_orchestrator.adapters.processes.shipping import RECEIVER, shipped

FIRST = "NAME = 'somebody'\n"
LAST = (
    "from pm_room.first import NAME\n\n\n"
    "def main():\n    print(NAME, {!r}, main.__code__.co_filename)\n"
)


class Source:
    """As an import finds a module: its text, and what was made of it, which are told apart."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_source(self, _name: str) -> str:
        return self._text.format("from text")

    def get_code(self, name: str) -> CodeType:
        return compile(self._text.format("compiled"), f"/here/{name}.py", "exec")


class Textless:
    """As an import finds what was written in another language."""

    def get_source(self, _name: str) -> None:
        return None


def module(name: str, loader: object) -> ModuleType:
    made = ModuleType(name)
    made.__spec__ = ModuleSpec(name, None)
    made.__spec__.loader = loader  # pyright: ignore[reportAttributeAccessIssue]
    return made


def received(sent: bytes) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", RECEIVER],
        input=sent,
        capture_output=True,
        check=False,
    )
    return subprocess.CompletedProcess(
        "", done.returncode, done.stdout.decode(), done.stderr.decode()
    )


@pytest.mark.parametrize(
    ("version", "way"), [(MAGIC_NUMBER, "compiled"), (b"another version", "from text")]
)
def test_modules_import_each_other_and_the_last_is_run(version: bytes, way: str) -> None:
    modules = (module("pm_room.first", Source(FIRST)), module("pm_room.last", Source(LAST)))
    program = shipped(modules, version)
    ran = received(len(program).to_bytes(4, "big") + program)
    # Of the place where it was compiled nothing is told.
    assert (ran.stdout, ran.stderr) == (f"somebody {way} pm_room.last\n", "")


def test_what_was_cut_off_is_not_run() -> None:
    program = shipped((module("pm_room.last", Source(FIRST)),))
    ran = received((len(program) + 1).to_bytes(4, "big") + program)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "")


def test_what_has_no_text_is_not_sent() -> None:
    with pytest.raises(TypeError, match="pm_room"):
        shipped((module("pm_room.last", Textless()),))
