"""A false test and an empty product, written so that the runners at hand find and load them."""

import subprocess
import sys
from pathlib import Path

import pytest

from pm_orchestrator.gates.cross.canary import canary_beside
from pm_orchestrator.gates.cross.no_product import without_content

FILES = ("tests/test_calc.py", "web/calc.test.ts", "web/test-calc.mjs", "spec/calc_spec.rb")


@pytest.mark.parametrize(
    ("test", "folder", "begins", "ends"),
    [
        ("tests/test_calc.py::test_add", "tests", "test_", ".py"),
        ("tests.test_calc.TestCalc.test_add", "tests", "test_", ".py"),
        ("web/calc.test.ts", "web", "c", ".test.cjs"),
        ("web/test-calc.mjs", "web", "test-", ".cjs"),
    ],
)
def test_it_lies_where_the_runner_finds_it(test: str, folder: str, begins: str, ends: str) -> None:
    found = canary_beside([test], FILES)
    assert found is not None
    path = Path(found.path)
    assert path.parent == Path(folder)
    assert path.name.startswith(begins)
    assert path.name.endswith(ends)
    assert found.name in found.path
    assert found.name.encode() in found.content
    again = canary_beside([test], FILES)
    assert again is not None
    assert again.path != found.path, "a name that nobody can know beforehand"


@pytest.mark.parametrize("test", ["spec/calc_spec.rb", "calc adds", "other/test_gone.py::test_a"])
def test_beside_what_no_runner_of_ours_reads_there_is_none(test: str) -> None:
    assert canary_beside([test], FILES) is None


@pytest.mark.parametrize(
    ("path", "text", "exports"),
    [
        ("a.js", "module.exports = { add };\n", ["module.exports = nothing;"]),
        ("a.ts", "export function add() {}\n", ["export const add = nothing;"]),
        (
            "a.mjs",
            "const a = 1, b = 2;\nexport { a, b as c };\nexport default a;\n",
            [
                "export const a = nothing;",
                "export const c = nothing;",
                "export default nothing;",
            ],
        ),
        ("a.tsx", "export { View as default };\n", ["export default nothing;"]),
        ("a.js", "export default class {}\n", ["export default nothing;"]),
    ],
)
def test_a_script_keeps_its_names_and_nothing_else(
    path: str, text: str, exports: list[str]
) -> None:
    lines = (without_content(path, text) or b"").decode().splitlines()
    assert [line for line in lines if "export" in line] == exports


@pytest.mark.parametrize("path", ["calc.rs", "README.md", "schema.sql"])
def test_any_other_file_is_empty(path: str) -> None:
    assert without_content(path, "export const a = 1;\n") == b""


def test_a_python_product_of_nothing_loads_and_fails_when_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "calc.py").write_bytes(without_content("calc.py", "def add(): ...\n") or b"")
    use = (
        "from calc import add, Thing\n"
        "def fails(act):\n"
        "    try: act()\n"
        "    except RuntimeError: return True\n"
        "assert fails(lambda: add(1, 2)) and fails(lambda: add + 1)\n"
        "assert fails(lambda: Thing.of().x)\n"
        "assert add == add and {add} and not hasattr(add, '__wrapped__')\n"
    )
    done = subprocess.run([sys.executable, "-c", use], cwd=tmp_path, check=False)
    assert done.returncode == 0
