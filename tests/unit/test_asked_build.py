"""Which command builds a project, for a task that asks for the build by name."""

import pytest

from pm_orchestrator.domain.setup.settings import GateSettings
from pm_orchestrator.gates.judge.asked_gates import detect_build

MAKEFILE = b"build:\n\ttrue\n"
PACKAGE = b'{"scripts": {"build": "tsc"}}'
NO_BUILD = {"Makefile": b"test:\n\ttrue\n", "package.json": b'{"scripts": {"test": "x"}}'}


@pytest.mark.parametrize(
    ("files", "configured", "argv"),
    [
        ({"Makefile": MAKEFILE, "package.json": PACKAGE}, None, ("make", "build")),
        ({"package.json": PACKAGE, "go.mod": b""}, None, ("npm", "run", "build")),
        ({**NO_BUILD, "Cargo.toml": b""}, None, ("cargo", "build")),
        ({"go.mod": b"module x"}, None, ("go", "build", "./...")),
        (NO_BUILD, None, None),
        ({"Makefile": MAKEFILE}, ("ninja",), ("ninja",)),
        ({"Makefile": MAKEFILE}, (), None),
    ],
)
async def test_the_build_of_a_project(
    files: dict[str, bytes], configured: tuple[str, ...] | None, argv: tuple[str, ...] | None
) -> None:
    async def read(path: str) -> bytes | None:
        return files.get(path)

    found = await detect_build(read, GateSettings(build=configured))
    assert [gate.argv for gate in found] == ([] if argv is None else [argv])
    assert all(gate.kind == "build" for gate in found)
