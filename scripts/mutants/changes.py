"""Every change that can be tried on a module.

Left alone is what no behaviour hangs on, by kind and not by place: documentation, types, what
is said to a person (the catalogue, errors), names of encodings, promises that only a fault
elsewhere would break (`strict=`), and the words that a pattern needs: they only save its
compiling, and one test reads all of them.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from scripts.mutants.change import Change
from scripts.mutants.operators import WORDS_ALONE, Rewrite, pattern_rewrites, rewrites

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TYPING_CALLS = frozenset({"TypeVar", "NewType", "ParamSpec", "cast", "assert_never"})
PATTERN_CALLS = frozenset(
    {"compile", "LatePattern", "LateBytesPattern", "pattern", "search", "match", "fullmatch", "sub"}
)
CONTEXT = 60
"""So many characters are shown beside a change."""
SAID_BY = "catalogue"
"""The room of sentences."""


class Module:
    """The source of one module, and where each of its nodes stands."""

    def __init__(self, product: Path, path: Path) -> None:
        self.name = path.relative_to(product).as_posix()
        self.source = path.read_bytes()
        self._lines = self.source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def changes(self) -> Iterator[Change]:
        tree = ast.parse(self.source)
        yield from self._in_body(tree, "", ())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Its first byte, and the one after its last."""
        place = _placed(node)
        return (
            self._starts[place.lineno - 1] + place.col_offset,
            self._starts[(place.end_lineno or place.lineno) - 1] + (place.end_col_offset or 0),
        )

    def text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.source[start:end].decode()

    def _in_body(self, node: ast.AST, function: str, names: tuple[str, ...]) -> Iterator[Change]:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case):
                yield from self._in_statement(part, function, names)

    def _in_statement(
        self, node: ast.AST, function: str, names: tuple[str, ...]
    ) -> Iterator[Change]:
        if _says_nothing(node):
            return
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            inner = f"{function}.{node.name}" if function else node.name
            if isinstance(node, FUNCTIONS):
                defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
                body = (node.body[0].lineno, node.end_lineno or node.lineno)
                for default in defaults:
                    for change in self._in_expression(default, body, inner, ()):
                        yield change._replace(at_import=True)
                yield from self._in_body(node, inner, ())
            else:
                yield from self._in_body(node, inner, names or (node.name,))
            return
        bound = names if function else _bound(node)
        head = _head(node)
        for rewrite in rewrites(node, self.text):
            yield self._change(rewrite, head, function, bound)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case):
                yield from self._in_statement(part, function, bound)
            elif not (isinstance(node, ast.AnnAssign) and part is node.annotation):
                yield from self._in_expression(part, head, function, bound)

    def _in_expression(
        self, node: ast.AST, head: tuple[int, int], function: str, names: tuple[str, ...]
    ) -> Iterator[Change]:
        if _is_type(node) or isinstance(node, ast.JoinedStr):
            return
        if not self._is_said(node):
            for rewrite in rewrites(node, self.text):
                yield self._change(rewrite, head, function, names)
        for part in _parts(node):
            if isinstance(part, ast.Constant) and _is_pattern(node, part):
                for rewrite in pattern_rewrites(part):
                    yield self._change(rewrite, head, function, names)
            else:
                yield from self._in_expression(part, head, function, names)

    def _is_said(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Constant | ast.Dict | ast.Call)
            and f"/{SAID_BY}/" in f"/{self.name}"
        )

    def _change(
        self, rewrite: Rewrite, head: tuple[int, int], function: str, names: tuple[str, ...]
    ) -> Change:
        node, text = rewrite
        start, end = self.span(node)
        place = _placed(node)
        last = place.end_lineno or place.lineno
        before = self.source[self._starts[place.lineno - 1] : start].decode()
        after = self.source[end : self._starts[last]].decode()
        was, now = shortened(before + self.text(node) + after, before + text + after)
        return Change(
            module=self.name,
            function=function,
            names=names,
            was=was,
            now=now,
            first=place.lineno,
            last=last,
            at_import=not function or bool(names),
            statement=head,
            start=start,
            end=end,
            text=text,
        )


def changes_of(product: Path, package: str) -> list[Change]:
    """Those of a package, without twins: what reads alike in one function is one."""
    found: dict[tuple[str, str, str, str], Change] = {}
    for path in sorted((product / package).rglob("*.py")):
        for change in Module(product, path).changes():
            if change.was != change.now:
                found.setdefault(change.key, change)
    return list(found.values())


def _placed(node: ast.AST) -> ast.expr:
    """Statements, expressions and keywords all know their place alike."""
    assert isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.pattern)
    return node  # pyright: ignore[reportReturnType]


def shortened(was: str, now: str) -> tuple[str, str]:
    """Both in one line, without most of what is the same before and after."""
    one, other = " ".join(was.split()), " ".join(now.split())
    start = max(_alike(one, other) - CONTEXT, 0)
    one, other = one[start:], other[start:]
    end = max(_alike(one[::-1], other[::-1]) - CONTEXT, 0)
    return one[: len(one) - end], other[: len(other) - end]


def _alike(one: str, other: str) -> int:
    """How many characters they begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _head(node: ast.AST) -> tuple[int, int]:
    """The lines of a statement, up to the first statement inside."""
    if isinstance(node, ast.match_case):
        return node.pattern.lineno, node.pattern.end_lineno or node.pattern.lineno
    first = _placed(node).lineno if not isinstance(node, ast.ExceptHandler) else node.lineno
    inside = [part.lineno for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt)]
    if inside:
        return first, max(first, min(inside) - 1)
    return first, getattr(node, "end_lineno", None) or first


def _bound(node: ast.AST) -> tuple[str, ...]:
    inside = ast.walk(node)
    return tuple(
        part.id for part in inside if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


def _says_nothing(node: ast.AST) -> bool:
    match node:
        case (
            ast.Import()
            | ast.ImportFrom()
            | ast.Pass()
            | ast.Assert()
            | ast.Expr(value=ast.Constant())
            | ast.If(test=ast.Name(id="TYPE_CHECKING"))
            | ast.Assign(targets=[ast.Name(id="__all__")])
            | ast.FunctionDef(name="__repr__")
        ):
            return True
        case ast.Assign(value=value):
            return _is_type(value)
        case ast.ClassDef(bases=bases):
            return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in bases)
        case _:
            return False


def _is_type(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in TYPING_CALLS
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name)):
            return _is_class(name) or name in {"dict", "list", "tuple"}
        case ast.BinOp(op=ast.BitOr(), right=ast.Name(id=name) | ast.Attribute(attr=name)):
            return _is_class(name)
        case _:
            return False


def _is_class(name: str) -> bool:
    return name[:1].isupper() and not name.isupper()


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What is asked next: not what words mean to a person, and no annotation."""
    match node:
        case ast.Lambda(body=body):
            yield body
        case ast.keyword(arg=arg) if arg in WORDS_ALONE:
            return
        case _:
            yield from ast.iter_child_nodes(node)


def _is_pattern(call: ast.AST, part: ast.Constant) -> bool:
    """The first argument of what takes a regular expression."""
    if not isinstance(call, ast.Call) or part not in call.args[:1]:
        return False
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return isinstance(part.value, str) and name in PATTERN_CALLS
