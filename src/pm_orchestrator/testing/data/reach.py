"""What of a package its entry points can reach, read from the source alone.

Import contracts say who may use whom; this says what is used at all. It follows names
from definition to definition: a function that nothing reached refers to is not reached,
however well it is tested. Where it cannot know better it says reached (a local variable
of the same name, a class of which one method is called), so what it reports is true.
"""

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

parsed = functools.cache(ast.parse)
"""The tree of a source text, which many rules read."""
BODY = "<body>"
"""Statements that run when the module is imported, and define nothing."""
WHOLE = "*"
"""All of a module: it was handed on as a value, and who knows what is done with it."""


class Definition(NamedTuple):
    """A name at the top of a module; without a name the module itself."""

    module: str
    name: str = BODY


Scope = dict[str, Definition]


def entry_points(modules: Iterable[str]) -> Iterator[Definition]:
    """Where the product is entered: the program, and the module of each command."""
    yield Definition("pm_orchestrator.__main__")
    yield Definition("pm_orchestrator.cli.main", "main")
    for module in modules:
        yield Definition(module, "command")


class Package:
    """The source of one package; `left_out` names subpackages that do not count."""

    def __init__(self, folder: Path, left_out: frozenset[str] = frozenset()) -> None:
        self.name = folder.name
        self._paths = dict(_modules(folder, left_out))
        self._uses: dict[Definition, set[Definition]] = {}
        self._scopes: dict[str, Scope] = {}
        for module, path in self._paths.items():
            self._read(module, parsed(path.read_text("utf-8")))

    def reached(self, starts: Iterable[Definition]) -> set[Definition]:
        """Everything the entry points lead to, the modules that are imported included."""
        found: set[Definition] = set()
        waiting = list(starts)
        while waiting:
            definition = self._origin(waiting.pop())
            if definition in found or definition.module not in self._paths:
                continue
            found.add(definition)
            waiting.extend(_with_parents(definition.module))
            waiting.extend(self._uses.get(definition, ()))
            if definition.name == WHOLE:
                waiting.extend(d for d in self._uses if d.module == definition.module)
        return found

    def defined(self) -> set[Definition]:
        """Every name at the top of a module."""
        return {
            definition
            for module, scope in self._scopes.items()
            for name, definition in scope.items()
            if definition == Definition(module, name)
        }

    def imported_by(self, source: str) -> set[Definition]:
        """What a file outside of the package takes from it: modules, and public names."""
        tree = parsed(source)
        scope = dict(self._imports(tree))
        taken = {self._origin(definition) for definition in scope.values()}
        taken |= {self._origin(definition) for definition in self._named(tree, scope)}
        return {d for d in taken if d.name != WHOLE and not d.name.startswith("_")}

    def _read(self, module: str, tree: ast.Module) -> None:
        scope = self._scopes.setdefault(module, {})
        scope.update(self._imports(tree))
        statements = list(_flat(tree.body))
        for statement in statements:
            scope.update((name, Definition(module, name)) for name in _defined(statement))
        for statement in statements:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                loaded = (Definition(d.module) for _, d in self._imports(statement))
                self._add(Definition(module), loaded)
                continue
            names = set(self._named(statement, scope))
            for name in _defined(statement) or (BODY,):
                self._add(Definition(module, name), names - {Definition(module, name)})
            # Whoever holds a registry holds what registered itself there.
            for holder in self._decorators(statement, scope):
                self._add(holder, (Definition(module, name) for name in _defined(statement)))

    def _add(self, definition: Definition, used: Iterable[Definition]) -> None:
        self._uses.setdefault(definition, set()).update(used)

    def _named(self, tree: ast.AST, scope: Scope) -> Iterator[Definition]:
        """Each definition that a piece of code names, by import, name, attribute or text."""
        yield from (Definition(definition.module) for _, definition in self._imports(tree))
        looked_into = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in scope:
                module, name = scope[node.id]
                read = isinstance(node.ctx, ast.Load)
                handed_on = read and name == BODY and id(node) not in looked_into
                yield Definition(module, WHOLE if handed_on else name)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                holder = scope.get(node.value.id)
                if holder is not None and holder.name == BODY:
                    yield Definition(holder.module, node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from self._spelled(node.value)

    def _spelled(self, text: str) -> Iterator[Definition]:
        """`package.module:Name`, as a registry has it, or a module that a process starts."""
        found = re.fullmatch(rf"({self.name}(?:\.\w+)+)(?::(\w+))?", text)
        if found and found[1] in self._paths:
            yield Definition(found[1], found[2] or BODY)

    def _decorators(self, statement: ast.stmt, scope: Scope) -> Iterator[Definition]:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for decorator in statement.decorator_list:
                yield from self._named(decorator, scope)

    def _imports(self, tree: ast.AST) -> Iterator[tuple[str, Definition]]:
        for node in _at_run_time(tree):
            if isinstance(node, ast.ImportFrom) and node.module in self._paths:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    target = Definition(node.module, alias.name)
                    known = whole in self._paths
                    yield alias.asname or alias.name, Definition(whole) if known else target
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name in self._paths:
                        yield alias.asname or alias.name, Definition(alias.name)

    def _origin(self, definition: Definition) -> Definition:
        """Where a name was defined that came by import."""
        seen: set[Definition] = set()
        while definition not in seen:
            seen.add(definition)
            scope: Mapping[str, Definition] = self._scopes.get(definition.module, {})
            definition = scope.get(definition.name, definition)
        return definition


def _with_parents(module: str) -> Iterator[Definition]:
    parts = module.split(".")
    return (Definition(".".join(parts[: end + 1])) for end in range(len(parts)))


def _modules(folder: Path, left_out: frozenset[str]) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        if len(parts) > 1 and parts[1] in left_out:
            continue
        yield ".".join(part for part in parts if part != "__init__"), path


def _at_run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker sees."""
    if isinstance(tree, ast.If) and "TYPE_CHECKING" in ast.unparse(tree.test):
        nodes: list[ast.AST] = [*tree.orelse]
    else:
        yield tree
        nodes = list(ast.iter_child_nodes(tree))
    for node in nodes:
        yield from _at_run_time(node)


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those below a condition included."""
    for statement in body:
        if isinstance(statement, ast.If):
            if "TYPE_CHECKING" not in ast.unparse(statement.test):
                yield from _flat(statement.body)
            yield from _flat(statement.orelse)
        elif isinstance(statement, ast.Try):
            parts = (statement.body, *(handler.body for handler in statement.handlers))
            for part in (*parts, statement.orelse, statement.finalbody):
                yield from _flat(part)
        else:
            yield statement


def _defined(statement: ast.stmt) -> tuple[str, ...]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (statement.name,)
    if isinstance(statement, ast.Assign):
        targets: list[ast.expr] = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    else:
        return ()
    return tuple(n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
