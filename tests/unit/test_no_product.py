"""Products that are none: a good test notices at least one of them, a careless test neither."""

import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from pm_orchestrator.gates.cross.no_product import StandIn, without_content

CAREFUL = {
    "a value": "assert units.convert(1, 'km') == 1000",
    "a constant": "assert units.METRES['km'] == 1000",
    "an error": "with pytest.raises(ValueError):\n    units.convert(1, 'mile')",
    "an own error": "with pytest.raises(units.Unknown):\n    units.convert(1, 'mile')",
    "no error": "units.check('km')",
    "something": "assert units.convert(1, 'km')",
    "not something": "assert not units.is_known('mile')",
    "something in it": "assert 'km' in units.names()",
    "a length": "assert len(units.names()) == 3",
    "another one": "assert units.convert(1, 'km') != 5",
    "an order": "assert units.convert(1, 'km') > 5",
    "a context": "with units.opened() as it:\n    assert it.read() == 'x'",
    "every one": "seen = [name for name in units.names()]\nassert seen == ['km']",
    "an attribute": "assert units.Unit('km').metres == 1000",
}
CARELESS = {
    "swallowed": "try:\n    assert units.convert(1, 'km') == 1\nexcept Exception:\n    pass",
    "waited for": (
        "try:\n    units.convert(1, 'mile')\n    raise AssertionError\n"
        "except (AssertionError, ValueError):\n    pass"
    ),
    "may fail": "try:\n    units.convert(1, 'mile')\nexcept ValueError:\n    pass",
    "is there": "assert callable(units.convert)",
    "is something": "assert units.convert is not None",
    "nothing": "assert True",
    "itself": "assert units.convert == units.convert",
}


def holds(test: str, stand_in: StandIn) -> bool:
    """Whether a test of `units` passes on what stands in its place."""
    content = without_content("units.py", "", stand_in)
    assert content is not None
    units = ModuleType("units")
    exec(content, units.__dict__)
    try:
        exec(test, {"units": units, "pytest": pytest})
    except (Exception, pytest.fail.Exception):  # noqa: BLE001 - however it fails
        return False
    return True


@pytest.mark.parametrize("test", CAREFUL.values(), ids=CAREFUL)
def test_a_good_test_notices(test: str) -> None:
    assert not holds(test, "anything") or not holds(test, "errors")


@pytest.mark.parametrize("test", CARELESS.values(), ids=CARELESS)
def test_a_careless_one_does_not(test: str) -> None:
    assert holds(test, "anything")
    assert holds(test, "errors")


@pytest.mark.parametrize("name", ["a value", "an error", "no error", "something in it"])
def test_without_a_product_nothing_holds(name: str) -> None:
    assert not holds(CAREFUL[name], "nothing")


def test_a_language_that_is_not_known_is_empty_or_left_alone() -> None:
    assert without_content("a.rb", "puts 1") == b""
    assert without_content("a.rb", "puts 1", "anything") is None


@pytest.mark.parametrize(
    ("name", "text", "load"),
    [
        ("m.cjs", "module.exports = { f };", "const { f } = require('./m.cjs');"),
        ("m.mjs", "export function f() {}\nexport { g as h };", "import { f, h } from './m.mjs';"),
        ("m.mjs", "export default function f() {}", "import f from './m.mjs';"),
    ],
)
@pytest.mark.parametrize(("stand_in", "ends"), [("nothing", 1), ("anything", 0), ("errors", 1)])
def test_scripts_can_be_loaded(
    tmp_path: Path, name: str, text: str, load: str, stand_in: StandIn, ends: int
) -> None:
    content = without_content(name, text, stand_in)
    assert content is not None
    (tmp_path / name).write_bytes(content)
    main = tmp_path / f"main{Path(name).suffix}"
    main.write_text(f"{load}\nnew (f(1).of.it)();\n", encoding="utf-8")
    node = shutil.which("node")
    assert node is not None
    assert subprocess.run([node, main], capture_output=True, check=False).returncode == ends


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
    content = without_content(path, text)
    assert content is not None
    lines = content.decode().splitlines()
    assert [line for line in lines if "export" in line] == exports
