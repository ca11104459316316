"""The tests of a Python file, read from its syntax tree and never by running it."""

import ast
from collections.abc import Iterator

import msgspec

Function = ast.FunctionDef | ast.AsyncFunctionDef
SKIPPING = frozenset({"skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure"})
SKIP_CALLS = frozenset({"skip", "skipTest", "xfail", "SkipTest"})
CHECKING_CALLS = ("assert", "raises", "warns", "fail", "expect", "verify", "check")


class KnownTest(msgspec.Struct, frozen=True, kw_only=True):
    """What can be said of a test without running it."""

    name: str
    skipped: bool
    checks: int
    """How many places in it could make it fail."""
    body: str
    """Its text without layout, to recognise it elsewhere."""

    @property
    def last_name(self) -> str:
        return self.name.rsplit(".", 1)[-1]


def python_tests(text: str) -> tuple[KnownTest, ...]:
    """Every test of the file; none where it cannot be parsed, which its gate will say."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(_tests_in(tree.body, "", skipped=_module_skipped(tree.body)))


def _tests_in(body: list[ast.stmt], prefix: str, *, skipped: bool) -> Iterator[KnownTest]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            off = skipped or any(map(_is_skip, node.decorator_list)) or _module_skipped(node.body)
            off = off or any(
                isinstance(s, ast.Assign)
                and any(isinstance(t, ast.Name) and t.id == "__test__" for t in s.targets)
                and isinstance(s.value, ast.Constant)
                and s.value.value is False
                for s in node.body
            )
            yield from _tests_in(node.body, f"{prefix}{node.name}.", skipped=off)
        elif isinstance(node, ast.If | ast.Try):
            yield from _tests_in(node.body, prefix, skipped=skipped)
        elif isinstance(node, Function) and node.name.startswith("test"):
            off = skipped or any(map(_is_skip, node.decorator_list)) or _gives_up(node)
            yield KnownTest(
                name=f"{prefix}{node.name}",
                skipped=off,
                checks=sum(map(_checks, ast.walk(node))),
                body="\n".join(ast.dump(statement) for statement in _real(node)),
            )


def _module_skipped(body: list[ast.stmt]) -> bool:
    for node in body:
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == "pytestmark" for t in node.targets
        ):
            marks = (
                node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
            )
            if any(map(_is_skip, marks)):
                return True
        if _skips_here(node):
            return True
    return False


def _is_skip(node: ast.expr) -> bool:
    target = node.func if isinstance(node, ast.Call) else node
    return _last_name(target) in SKIPPING


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _skips_here(node: ast.stmt) -> bool:
    value = node.exc if isinstance(node, ast.Raise) else getattr(node, "value", None)
    if not isinstance(node, ast.Raise | ast.Expr) or not isinstance(value, ast.Call):
        return False
    return _last_name(value.func) in SKIP_CALLS


def _real(node: Function) -> list[ast.stmt]:
    """The body without its docstring and without statements that do nothing."""
    return [
        s
        for s in node.body
        if not isinstance(s, ast.Pass)
        and not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
    ]


def _gives_up(node: Function) -> bool:
    """Whether the test ends, or skips itself, before it does anything."""
    first = next(iter(_real(node)), None)
    return first is not None and (isinstance(first, ast.Return) or _skips_here(first))


def _checks(node: ast.AST) -> bool:
    """Whether this is an assertion that can fail."""
    if isinstance(node, ast.Assert):
        return not isinstance(node.test, ast.Constant)
    if not isinstance(node, ast.Call):
        return False
    name = _last_name(node.func).lower()
    constant = bool(node.args) and all(isinstance(a, ast.Constant) for a in node.args)
    # `assertEqual(1, 1)` cannot fail; a helper of the project's own may look anything up.
    return name.startswith(CHECKING_CALLS) and not (constant and name.startswith("assert"))
