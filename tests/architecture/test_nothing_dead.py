"""Whatever is in the product is used by it: names, methods, and dependencies.

A definition counts as used when a command or one of the scripts leads to it; a method, when
the product says its name anywhere. What tests alone use is not the product's.
"""

import ast
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from pm_orchestrator.cli.program import COMMANDS, module_of
from pm_orchestrator.testing.data.reach import Definition, Package, entry_points, parsed

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "pm_orchestrator"
EXEMPT = {
    "CrewMaker": "a type, named where only the type checker looks",
}
REPORTER = "pm_orchestrator.adapters.reporters.test_reporter"
"""Run by the interpreters of projects, and called by their test runners."""
HOOKS = frozenset(
    f"pytest_{moment}"
    for moment in ("sessionstart", "collectreport", "runtest_logreport", "sessionfinish")
)
ELSEWHERE = [
    Definition(REPORTER, name)
    for name in ("NAME", "TYPE_CHECKING", "report_to", "pytest_configure")
]
IMPORT_NAMES = {"prompt-toolkit": "prompt_toolkit", "typing-extensions": "typing_extensions"}


def product_files() -> list[Path]:
    files = sorted(SOURCE.rglob("*.py"))
    return [path for path in files if path.relative_to(SOURCE).parts[0] != "testing"]


def unused_names(package: Package, starts: Iterable[Definition]) -> set[str]:
    """Names at the top of a module that nothing leads to."""
    dead = package.defined() - package.reached(starts)
    return {d.name for d in dead if not d.name.startswith("__")}


def from_scripts(package: Package) -> Iterator[Definition]:
    for path in sorted((ROOT / "scripts").glob("*.py")):
        yield from package.imported_by(path.read_text("utf-8"))


def test_every_name_is_reached_from_a_command_or_a_script() -> None:
    product = Package(SOURCE, left_out=frozenset({"testing"}))
    commands = entry_points(map(module_of, COMMANDS))
    dead = unused_names(product, [*commands, *from_scripts(product), *ELSEWHERE])
    assert dead - EXEMPT.keys() == set(), "nothing leads to it: join it or delete it"
    assert EXEMPT.keys() - dead == set(), "it is reached or gone"


def uncalled_methods(sources: Iterable[str]) -> set[str]:
    """Methods whose names nobody says; an override is called by whoever asks for it."""
    said: set[str] = set()
    methods: set[str] = set()
    for node in (node for source in sources for node in ast.walk(parsed(source))):
        if isinstance(node, ast.Attribute):
            said.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            said.add(node.value)
        elif isinstance(node, ast.ClassDef):
            methods.update(_methods(node))
    return {name for name in methods - said if not name.startswith("__")}


def _methods(definition: ast.ClassDef) -> Iterator[str]:
    for part in definition.body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = {ast.unparse(decorator) for decorator in part.decorator_list}
            if "override" not in decorators:
                yield part.name


def test_every_method_is_called_by_the_product() -> None:
    files = (*product_files(), *(ROOT / "scripts").glob("*.py"))
    sources = (path.read_text("utf-8") for path in files)
    assert uncalled_methods(sources) == HOOKS, "only tests call it: join it or delete it"


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(parsed(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_every_dependency_is_imported() -> None:
    imported = {name for path in product_files() for name in imports(path)}
    with (ROOT / "pyproject.toml").open("rb") as file:
        asked: list[str] = tomllib.load(file)["project"]["dependencies"]
    names = {line.partition(">")[0] for line in asked}
    assert len(names) > 5
    assert {name for name in names if IMPORT_NAMES.get(name, name) not in imported} == set()


PLANTED = """
class Clock:
    def now(self): return self._read()
    def _read(self): ...
    def later(self): ...
    @override
    def for_click(self): ...

def main(clock):
    return clock.now()
def forgotten(): ...
"""


def test_what_is_dead_is_named(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.py").write_text(PLANTED, "utf-8")
    planted = Package(tmp_path / "p")
    assert unused_names(planted, [Definition("p.a", "main")]) == {"Clock", "forgotten"}
    assert uncalled_methods([PLANTED]) == {"later"}
