"""A property that is proved of code which no command reaches is not a property of the product.

Every module and every public name that a property test takes from the product must be
reached from the commands. What is not stands in NOT_JOINED with what is to become of it,
and leaves the table when it is.
"""

from pathlib import Path

import pytest

from pm_orchestrator.cli.program import COMMANDS, module_of
from pm_orchestrator.testing.data.reach import BODY, Definition, Package, entry_points

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
NOT_JOINED: dict[str, str] = {}


def numbered(source: str) -> bool:
    """Whether a test in `source` belongs to a property of the specification."""
    return '"""R-' in source or '"""E-' in source


def property_tests() -> list[Path]:
    files = sorted(TESTS.rglob("test_*.py"))
    return [
        path
        for path in files
        if path.parent.name == "properties" or numbered(path.read_text("utf-8"))
    ]


def shown(definition: Definition) -> str:
    module = definition.module.removeprefix("pm_orchestrator.")
    return module if definition.name == BODY else f"{module}:{definition.name}"


class Reach:
    """What the commands reach, and what the property tests take."""

    def __init__(self) -> None:
        product = Package(ROOT / "src" / "pm_orchestrator", left_out=frozenset({"testing"}))
        reached = product.reached(entry_points(map(module_of, COMMANDS)))
        self.used = {p: product.imported_by(p.read_text("utf-8")) for p in property_tests()}
        self.unreached = {shown(d) for used in self.used.values() for d in used - reached}


@pytest.fixture(scope="module")
def reach() -> Reach:
    return Reach()


def test_what_a_property_test_exercises_is_reached_from_the_commands(reach: Reach) -> None:
    left = reach.unreached - NOT_JOINED.keys()
    assert left == set(), "no command reaches it: wire it or delete it"


def test_what_is_joined_has_left_the_table(reach: Reach) -> None:
    gone = NOT_JOINED.keys() - reach.unreached
    assert gone == set(), "it is reached or not tested any more"


def test_the_tests_are_read_at_all(reach: Reach) -> None:
    assert len(reach.used) > 40
    names = {shown(definition) for used in reach.used.values() for definition in used}
    # One that is imported by itself, and one that is named by its module.
    assert {"dispatch.retry:FallbackModel", "runner.run.steps:RunOrder"} <= names


PLANTED = {
    "__init__": "",
    "main": "from p import table\nfrom p.a import used\n\ndef main():\n    used()\n"
    "    from p import lazy\n    lazy.run()\n    table.REGISTRY\n",
    "a": "from typing import TYPE_CHECKING\nfrom p.again import helper\n"
    "if TYPE_CHECKING:\n    from p.typed import Only\n\n"
    "def used() -> 'Only':\n    return helper()\n\ndef unused():\n    return other()\n\n"
    "def other(): ...\n\nclass Group: ...\n",
    "again": "from p.deep import helper, forgotten\n__all__ = ['helper', 'forgotten']\n",
    "deep": "def helper(): ...\ndef forgotten(): ...\n",
    "lazy": "from p import shipped\nGROUP = object()\n\n@GROUP.command\ndef registered(): ...\n\n"
    "def run():\n    return GROUP, [shipped]\n",
    "table": "REGISTRY = {'x': 'p.adapter:Chosen'}\n",
    "adapter": "class Chosen: ...\nclass Other: ...\n",
    "typed": "class Only: ...\n",
    "shipped": "def sent_as_source(): ...\n",
    "alone": "def tested(): ...\n",
}


@pytest.fixture
def planted(tmp_path: Path) -> Package:
    folder = tmp_path / "p"
    folder.mkdir()
    for name, source in PLANTED.items():
        (folder / f"{name}.py").write_text(source, "utf-8")
    (folder / "testing").mkdir()
    (folder / "testing" / "fake.py").write_text("from p.alone import tested\n", "utf-8")
    return Package(folder, left_out=frozenset({"testing"}))


@pytest.mark.parametrize(
    ("name", "is_reached"),
    [
        ("p.a:used", True),
        ("p.a:unused", False),  # its module is imported, and nobody calls it
        ("p.a:other", False),  # called by what nobody calls
        ("p.deep:helper", True),  # through a name that was handed on
        ("p.deep:forgotten", False),  # handed on, and never asked for
        ("p.lazy:run", True),  # imported in a function
        ("p.lazy:registered", True),  # by its decorator alone
        ("p.adapter:Chosen", True),  # by a string of the registry
        ("p.adapter:Other", False),
        ("p.shipped:sent_as_source", True),  # the module itself is a value
        ("p.typed:Only", False),  # for the type checker alone
        ("p.alone:tested", False),
    ],
)
def test_what_is_reached_is_known_by_definition(
    planted: Package, name: str, is_reached: bool
) -> None:
    reached = planted.reached([Definition("p.main", "main")])
    module, _, attribute = name.partition(":")
    assert (Definition(module, attribute) in reached) is is_reached


def test_modules_that_nobody_imports_are_not_reached(planted: Package) -> None:
    modules = {definition.module for definition in planted.reached([Definition("p.main", "main")])}
    assert {f"p.{name}" for name in PLANTED if name != "__init__"} - modules == {
        "p.alone",
        "p.typed",
    }
    assert "p" in modules


def test_a_test_takes_modules_and_public_names(planted: Package) -> None:
    source = "from p import lazy\nfrom p.again import helper\nfrom p.alone import _x\nlazy.run()\n"
    assert planted.imported_by(source) == {
        Definition("p.again"),
        Definition("p.alone"),
        Definition("p.lazy"),
        Definition("p.lazy", "run"),
        Definition("p.deep", "helper"),
    }
