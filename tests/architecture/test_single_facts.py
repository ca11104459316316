"""Facts come together in one place, whoever worked and wherever: no second way to prove a thing."""

import ast
from pathlib import Path

from pm_orchestrator.testing.data.reach import parsed

SOURCE = Path(__file__).parents[2] / "src" / "pm_orchestrator"
BUILDER = "runner/run/facts.py"
FACTS = "Facts"


def builders(source: str) -> list[int]:
    """Lines that build Facts, or give them another name to build them under.

    To read kept ones and to `replace` a field of them builds nothing: what was established
    stays what it was.
    """
    found: list[int] = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Call):
            found += [node.lineno] if _name(node.func) == FACTS or _converts(node) else []
        elif isinstance(node, ast.ImportFrom):
            found += [node.lineno for n in node.names if n.name == FACTS and n.asname]
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            found += [node.lineno] if node.value is not None and _name(node.value) == FACTS else []
        elif isinstance(node, ast.ClassDef):
            found += [node.lineno for base in node.bases if _name(base) == FACTS]
    return found


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _converts(call: ast.Call) -> bool:
    """`msgspec.convert(anything, Facts)` makes them out of anything."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return _name(call.func) == "convert" and any(_name(value) == FACTS for value in given)


def test_facts_are_built_in_one_place() -> None:
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
    assert names.isdisjoint({"ExecutorClaim", "AttemptResult", "ExecutorResult"})


def test_an_offence_is_found() -> None:
    assert builders("x = Facts(commit=None)") == [1]
    assert builders("x = outcome.Facts()") == [1]
    assert builders("x = msgspec.convert({}, Facts)") == [1]
    assert builders("x = convert({}, type=outcome.Facts)") == [1]
    assert builders("from a import Facts as F") == [1]
    assert builders("F = Facts") == [1]
    assert builders("F: type = outcome.Facts") == [1]
    assert builders("class Mine(Facts): ...") == [1]


def test_what_builds_nothing_is_no_offence() -> None:
    assert builders("from a import Facts\ndef f(x: Facts) -> Facts: ...") == []
    assert builders("x = kept.read(Facts, name)") == []
    assert builders("x = from_json(Facts, data)") == []
    assert builders("x = replace(facts, accepted=())") == []
    assert builders("class Kept(Record):\n    facts: Facts") == []
