"""Only completion validation builds a verdict, and it has never heard of claims."""

import ast
from pathlib import Path

from pm_orchestrator.testing.data.reach import parsed

SOURCE = Path(__file__).parents[2] / "src" / "pm_orchestrator"
BUILDER = "gates/judge/completion.py"


def builders(source: str) -> list[int]:
    """Lines that build a VerifiedOutcome, or give it another name to build it under."""
    found: list[int] = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            if name == "VerifiedOutcome":
                found.append(node.lineno)
        elif isinstance(node, ast.ImportFrom):
            found += [node.lineno for n in node.names if n.name == "VerifiedOutcome" and n.asname]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            found += [node.lineno] if node.value.id == "VerifiedOutcome" else []
    return found


def test_verdicts_are_built_in_one_place() -> None:
    places = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if builders(path.read_text("utf-8"))
    }
    assert places == {BUILDER}


def test_the_builder_does_not_know_claims() -> None:
    names = {
        name.name
        for node in ast.walk(parsed((SOURCE / BUILDER).read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert "ExecutorClaim" not in names
    assert "review_claim" not in names


def test_an_offence_is_found() -> None:
    assert builders("x = VerifiedOutcome(status=1)") == [1]
    assert builders("x = outcome.VerifiedOutcome()") == [1]
    assert builders("from a import VerifiedOutcome as V") == [1]
    assert builders("V = VerifiedOutcome") == [1]
    assert builders("from a import VerifiedOutcome\ndef f(x: VerifiedOutcome): ...") == []
