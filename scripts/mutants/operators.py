"""How an expression or a statement is broken: what stands in its place, as text.

Each is a slip that a person could make and a test should see: a bound off by one, a condition
that always holds, a case left out. What no behaviour hangs on is left out in `left_alone.py`.
"""

import ast
from collections.abc import Callable, Iterator

Rewrite = tuple[ast.AST, str]
"""What is replaced, and by what."""
Text = Callable[[ast.AST], str]
"""The source of a node."""

COMPARED: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
COUNTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.Mod: ("%", "*"),
    ast.BitOr: ("|", "&"),
    ast.BitAnd: ("&", "|"),
}
OPPOSITE = {"any": "all", "all": "any", "min": "max", "max": "min"}
OPPOSITE_METHODS = {"startswith": "endswith", "endswith": "startswith", "rpartition": "partition"}
LOOSE = (
    ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr, ast.Await, ast.UnaryOp, ast.Compare, ast.BinOp
)  # fmt: skip
"""What needs parentheses when it is put elsewhere."""
WORDS_ALONE = frozenset({"encoding", "strict", "errors", "needs"})
"""Keywords of calls that stay as they are, and stay there."""
LONG = 4
"""A longer list of constants is a table: leaving out its ends stands for all of it."""


def rewrites(node: ast.AST, text: Text) -> Iterator[Rewrite]:
    """Every way to break this node itself; its parts are asked on their own."""
    for kind, broken in BY_KIND.items():
        if isinstance(node, kind):
            yield from broken(node, text)


def _compare(node: ast.Compare, text: Text) -> Iterator[Rewrite]:
    operands = [_tight(part, text) for part in (node.left, *node.comparators)]
    for place, sign in enumerate(node.ops):
        for other in COMPARED[type(sign)]:
            signs = [SIGNS[type(each)] for each in node.ops]
            signs[place] = other
            rest = (f" {s} {o}" for s, o in zip(signs, operands[1:], strict=True))
            yield node, operands[0] + "".join(rest)


def _both(node: ast.BoolOp, text: Text) -> Iterator[Rewrite]:
    word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    parts = [_tight(value, text) for value in node.values]
    yield node, "(" + f" {other} ".join(parts) + ")"
    for place in range(len(parts)):
        kept = parts[:place] + parts[place + 1 :]
        yield node, "(" + f" {word} ".join(kept) + ")" if len(kept) > 1 else kept[0]


def _not(node: ast.UnaryOp, text: Text) -> Iterator[Rewrite]:
    if isinstance(node.op, ast.Not):
        yield node, _tight(node.operand, text)


def _constant(node: ast.Constant, text: Text) -> Iterator[Rewrite]:
    value = node.value
    if isinstance(value, bool):
        yield node, str(not value)
    elif isinstance(value, int | float):
        yield node, repr(value + 1)
    elif isinstance(value, str | bytes) and (quoted := text(node)).rstrip("'\"") != quoted:
        yield node, _other_text(quoted) if value else f"{quoted[:-1]}XX{quoted[-1]}"


def _other_text(quoted: str) -> str:
    start, _ = _inside(quoted)
    return quoted[:start] + "XX" + quoted[start:]


def _inside(quoted: str) -> tuple[int, int]:
    """Where the text between the quotation marks begins and ends."""
    start = min(place for mark in "'\"" if (place := quoted.find(mark)) >= 0)
    marks = 3 if quoted[start : start + 3] in {'"' * 3, "'" * 3} and len(quoted) > start + 5 else 1
    return start + marks, len(quoted) - marks


def pattern_rewrites(node: ast.Constant) -> Iterator[Rewrite]:
    """A regular expression that never matches; what it is made of is for examples to hold."""
    yield node, 'r"(?!)"'


def _condition(node: ast.If | ast.IfExp | ast.While, text: Text) -> Iterator[Rewrite]:
    yield node.test, "False"
    if not isinstance(node, ast.While):
        yield node.test, "True"


def _filter(node: ast.comprehension, text: Text) -> Iterator[Rewrite]:
    for condition in node.ifs:
        yield condition, "True"


def _arithmetic(node: ast.BinOp, text: Text) -> Iterator[Rewrite]:
    sides = (node.left, node.right)
    if type(node.op) in COUNTED and not any(_is_text(side) for side in sides):
        left, right = (_tight(side, text) for side in sides)
        yield node, f"{left} {COUNTED[type(node.op)][1]} {right}"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _counted_up(node: ast.AugAssign, text: Text) -> Iterator[Rewrite]:
    yield node, "pass"


def _returned(node: ast.Return, text: Text) -> Iterator[Rewrite]:
    value = node.value
    if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
        yield node, "return None"


def _left_out(node: ast.AST, text: Text) -> Iterator[Rewrite]:
    yield node, "pass"


def _called(node: ast.Expr, text: Text) -> Iterator[Rewrite]:
    if not isinstance(node.value, ast.Constant):
        yield node, "pass"


def _stored(node: ast.Assign, text: Text) -> Iterator[Rewrite]:
    if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
        yield node, "pass"


def _call(node: ast.Call, text: Text) -> Iterator[Rewrite]:
    match node.func:
        case ast.Name(id=name) if name in OPPOSITE:
            yield node.func, OPPOSITE[name]
        case ast.Attribute(value=owner, attr=name) if name in OPPOSITE_METHODS:
            yield node.func, f"{text(owner)}.{OPPOSITE_METHODS[name]}"
        case _:
            pass
    given = [*node.args, *(word for word in node.keywords)]
    for word in node.keywords:
        if word.arg is not None and word.arg not in WORDS_ALONE:
            kept = ", ".join(text(each) for each in given if each is not word)
            yield node, f"{text(node.func)}({kept})"


def _items(node: ast.List | ast.Tuple | ast.Set, text: Text) -> Iterator[Rewrite]:
    if not isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load) or len(node.elts) < 2:
        return
    marks = {ast.List: "[]", ast.Tuple: "()", ast.Set: "{}"}[type(node)]
    parts = [text(part) for part in node.elts]
    for place in _places(node.elts):
        kept = parts[:place] + parts[place + 1 :]
        comma = "," if len(kept) == 1 and isinstance(node, ast.Tuple) else ""
        yield node, marks[0] + ", ".join(kept) + comma + marks[1]


def _pairs(node: ast.Dict, text: Text) -> Iterator[Rewrite]:
    parts = [
        f"**{text(value)}" if key is None else f"{text(key)}: {text(value)}"
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    for place in _places(node.values):
        yield node, "{" + ", ".join(parts[:place] + parts[place + 1 :]) + "}"


def _places(parts: list[ast.expr]) -> list[int]:
    return list(range(len(parts))) if len(parts) <= LONG else [0, len(parts) - 1]


def _tight(node: ast.AST, text: Text) -> str:
    return f"({text(node)})" if isinstance(node, LOOSE) else text(node)


BY_KIND: dict[type[ast.AST], Callable[..., Iterator[Rewrite]]] = {
    ast.Compare: _compare,
    ast.BoolOp: _both,
    ast.UnaryOp: _not,
    ast.Constant: _constant,
    ast.If: _condition,
    ast.IfExp: _condition,
    ast.While: _condition,
    ast.comprehension: _filter,
    ast.BinOp: _arithmetic,
    ast.AugAssign: _counted_up,
    ast.Return: _returned,
    ast.Raise: _left_out,
    ast.Continue: _left_out,
    ast.Break: _left_out,
    ast.Delete: _left_out,
    ast.Expr: _called,
    ast.Assign: _stored,
    ast.Call: _call,
    ast.List: _items,
    ast.Tuple: _items,
    ast.Set: _items,
    ast.Dict: _pairs,
}
