"""Rooms stay small enough to see, and a name means one thing in the whole tree."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pm_orchestrator.testing.data.reach import parsed

PRODUCT = Path(__file__).parents[2] / "src" / "pm_orchestrator"
MOST_FILES = 14
"""About a dozen, `__init__` left out: what a person takes in at a glance."""
LARGER = {
    "ports": "one Protocol per file, and the list is what the core needs of the world",
    "domain/catalogue": "one file per kind of text; nobody reads them one after the other",
}
MEANS_MORE = {
    "command": "every command of the command line is called this in its own module",
    "main": "where a program begins: ours, the zygote's and the tool server's",
    "first_message": "each prompt has its own, and is named by its module",
    "log": "each module that warns has its logger",
    "show": "two groups of commands have a command of this name",
}
NAMED_BY_FOLDER = ("cli/commands/", "cli/repl/commands/", "agents/prompts/", "cli/bench/")
"""Files here are called after what they call, prompt or measure."""
PORT_AND_ADAPTER = "a port and what implements it, or a record and the room that keeps it"
SAME_MODULE = {
    "recorder": PORT_AND_ADAPTER,
}


def crowded(root: Path) -> list[str]:
    """Folders with more files than may be."""
    counts: dict[str, int] = defaultdict(int)
    for path in root.rglob("*.py"):
        if path.name != "__init__.py":
            counts[path.parent.relative_to(root).as_posix()] += 1
    return [f"{folder}: {count}" for folder, count in sorted(counts.items()) if count > MOST_FILES]


def public_names(tree: ast.Module) -> Iterator[str]:
    """Classes, functions and aliases of a module that others may import."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.AsyncFunctionDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                # Constants are read beside their module's name, and type variables are no names.
                if not name.isupper() and not is_type_variable(value):
                    yield name
            case _:
                pass


def is_type_variable(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Name(id="TypeVar" | "ParamSpec")):
            return True
        case _:
            return False


def ambiguous(root: Path) -> dict[str, list[str]]:
    """Public names that are defined in several modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        module = path.relative_to(root).as_posix()
        if module.startswith("testing/"):
            continue
        for name in set(public_names(parsed(path.read_text("utf-8")))):
            if not name.startswith("_"):
                places[name].append(module)
    return {name: found for name, found in places.items() if len(found) > 1}


def same_modules(root: Path) -> dict[str, list[str]]:
    """Modules of one name in different folders."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        module = path.relative_to(root).as_posix()
        if path.name != "__init__.py" and not module.startswith(("testing/", *NAMED_BY_FOLDER)):
            places[path.stem].append(module)
    return {name: found for name, found in places.items() if len(found) > 1}


def unexplained(found: Mapping[str, object], reasons: Mapping[str, str]) -> dict[str, object]:
    return {name: where for name, where in found.items() if name not in reasons}


def test_a_folder_can_be_taken_in_at_a_glance() -> None:
    assert [line for line in crowded(PRODUCT) if line.split(":")[0] not in LARGER] == []


def test_a_public_name_means_one_thing() -> None:
    assert unexplained(ambiguous(PRODUCT), MEANS_MORE) == {}


def test_a_module_is_found_by_its_name() -> None:
    assert unexplained(same_modules(PRODUCT), SAME_MODULE) == {}


def test_what_needs_no_exception_any_more_has_none() -> None:
    assert {line.split(":")[0] for line in crowded(PRODUCT)} == LARGER.keys()
    assert MEANS_MORE.keys() <= ambiguous(PRODUCT).keys()
    assert SAME_MODULE.keys() <= same_modules(PRODUCT).keys()


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("class Desk: ...", "class Desk: ...", ["Desk"]),
        ("def tell(): ...", "async def tell(): ...", ["tell"]),
        ("Read = int", "class Read: ...", ["Read"]),
        ("LIMIT = 1", "LIMIT = 2", []),
        ("T = TypeVar('T')", "T = TypeVar('T')", []),
        ("class _Desk: ...", "class _Desk: ...", []),
        ("class Desk: ...", "from a import Desk", []),
        ("class A:\n    def tell(self): ...", "def tell(): ...", []),
    ],
)
def test_two_meanings_are_seen(tmp_path: Path, first: str, second: str, found: list[str]) -> None:
    for room, text in (("one", first), ("two", second)):
        (tmp_path / room).mkdir()
        (tmp_path / room / f"{room}.py").write_text(text, "utf-8")
    assert list(ambiguous(tmp_path)) == found


def test_a_crowd_and_a_second_module_are_seen(tmp_path: Path) -> None:
    for room, files in (("full", MOST_FILES), ("crowd", MOST_FILES + 1)):
        (tmp_path / room).mkdir()
        for number in range(files):
            (tmp_path / room / f"{room}_{number}.py").touch()
    assert crowded(tmp_path) == [f"crowd: {MOST_FILES + 1}"]
    (tmp_path / "full" / "crowd_0.py").touch()
    assert list(same_modules(tmp_path)) == ["crowd_0"]
