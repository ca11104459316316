"""Examples in docstrings are tests that lie in the product.

What a task took away or changed of them is put back into the new code, so that they can be
tried on it as tests of before are.
"""

import ast
import re

from pm_orchestrator.domain.late_pattern import LatePattern

EXAMPLE = LatePattern(r"^\s*>>> ", re.MULTILINE)
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def with_old_examples(before: str, after: str) -> str | None:
    """The new code with the old docstrings where their examples differ; None where none does."""
    if EXAMPLE.search(before) is None:
        return None
    try:
        old, new = _documented(ast.parse(before)), _documented(ast.parse(after))
    except (SyntaxError, ValueError, RecursionError):
        return None
    lines = after.splitlines()
    steps: list[tuple[int, int, list[str]]] = []
    for name, node in new.items():
        was = old.get(name)
        text = None if was is None else ast.get_docstring(was, clean=False)
        if text is None or EXAMPLE.search(text) is None or _examples(text) <= _examples(_doc(node)):
            continue
        first = node.body[0]
        indent = " " * first.col_offset
        put = [f"{indent}{text!r}"]
        if _doc(node):
            steps.append((first.lineno - 1, first.end_lineno or first.lineno, put))
        elif isinstance(node, ast.Module) or first.lineno > node.lineno:
            steps.append((first.lineno - 1, first.lineno - 1, put))
    for begin, end, put in sorted(steps, reverse=True):
        lines[begin:end] = put
    return "\n".join([*lines, ""]) if steps else None


def examples_of(text: str, name: str) -> str | None:
    """The documentation of the thing of a name, where it holds examples."""
    if EXAMPLE.search(text) is None:
        return None
    try:
        found = _documented(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return None
    docs = (_doc(node) for key, node in found.items() if key.rpartition(".")[2] == name)
    return next((doc for doc in docs if EXAMPLE.search(doc)), None)


def shows_otherwise(before: str, after: str, name: str | None) -> bool:
    """Whether the same is typed in the examples of a thing, and something else comes back."""
    old, new = (examples_of(text, name or "") for text in (before, after))
    return old is not None and new is not None and old != new and _typed(old) == _typed(new)


def _typed(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if EXAMPLE.match(line)]


def _documented(tree: ast.Module) -> dict[str, Documented]:
    found: dict[str, Documented] = {"": tree}
    pending: list[tuple[str, Documented]] = [("", tree)]
    while pending:
        prefix, node = pending.pop()
        for inner in node.body:
            if isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found[f"{prefix}{inner.name}"] = inner
                pending.append((f"{prefix}{inner.name}.", inner))
    return found


def _doc(node: Documented) -> str:
    return (ast.get_docstring(node, clean=False) or "") if node.body else ""


def _examples(text: str) -> set[str]:
    """The lines from each example on: what is typed, and what is to come back."""
    found: set[str] = set()
    shown = ""
    for line in (raw.strip() for raw in text.splitlines()):
        if line.startswith(">>> "):
            shown = line
        elif not line:
            shown = ""
        if shown:
            found.add(f"{shown}\n{line}")
    return found
