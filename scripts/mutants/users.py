"""Where a name that a module binds when it is imported is used inside of functions.

What is done at import is reached by whichever test imports the module first, which says nothing.
"""

import ast
from collections import defaultdict
from pathlib import Path

Place = tuple[str, int]
"""A module, and a line in it."""
Name = tuple[str, str]
"""A module, and what it binds."""


class Users:
    """All of a product, read once."""

    def __init__(self, product: Path) -> None:
        self._places: dict[Name, set[Place]] = defaultdict(set)
        self._names: dict[Name, set[Name]] = defaultdict(set)
        """What is bound with the help of a name."""
        for path in product.rglob("*.py"):
            self._read(product, path)

    def places_of(self, module: str, names: tuple[str, ...]) -> set[Place]:
        """The lines in functions where one of the names, or what is made of it, is used."""
        seen: set[Name] = set()
        waiting = [(module, name) for name in names]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += self._names[name]
        return {place for name in seen for place in self._places[name]}

    def _read(self, product: Path, path: Path) -> None:
        tree = ast.parse(path.read_bytes())
        here = path.relative_to(product).as_posix()
        meant: dict[str, Name] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                inside = node.module.partition(".")[2].replace(".", "/")
                for alias in node.names:
                    meant[alias.asname or alias.name] = (f"{inside}.py", alias.name)
                    meant[f"{alias.asname or alias.name}."] = (f"{inside}/{alias.name}.py", "")
        for statement in tree.body:
            bound = _bound(statement)
            for node, in_function in _walk(statement, False):
                for used in _used(node, here, meant):
                    if in_function:
                        self._places[used].add((here, getattr(node, "lineno", 0)))
                    for name in bound:
                        self._names[used].add((here, name))


def _walk(node: ast.AST, in_function: bool) -> list[tuple[ast.AST, bool]]:
    found = [(node, in_function)]
    for part in ast.iter_child_nodes(node):
        inside = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        found += _walk(part, inside)
    return found


def _bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    return [
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def _used(node: ast.AST, here: str, meant: dict[str, Name]) -> list[Name]:
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return [meant.get(name, (here, name))]
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if f"{owner}." in meant:
            return [(meant[f"{owner}."][0], name)]
        case _:
            return []
