"""Examples of before in the code of after, and what of them is another expectation only."""

from pm_orchestrator.gates.cross.old_examples import (
    examples_of,
    shows_otherwise,
    with_old_examples,
)

OLD = 'def a(x):\n    """A.\n\n    >>> a(1)\n    2\n    """\n    return x + 1\n'
CODE = "def a(x):\n    return x\n"


def test_what_went_is_put_back_into_the_new_code() -> None:
    for new in (CODE, CODE.replace("):\n", '):\n    """B."""\n')):
        put_back = with_old_examples(OLD, new)
        assert put_back is not None
        place: dict[str, object] = {}
        exec(compile(put_back, "a.py", "exec"), place)
        assert ">>> a(1)" in str(getattr(place["a"], "__doc__", ""))
        assert "return x\n" in put_back


def test_where_nothing_went_nothing_is_put_back() -> None:
    assert with_old_examples(OLD, OLD.replace("x + 1", "1 + x")) is None
    assert with_old_examples(OLD, OLD.replace("A.", "Another word.")) is None
    assert with_old_examples(CODE, OLD) is None
    assert with_old_examples(OLD, "def b():\n    pass\n") is None
    assert with_old_examples(OLD, "no code (") is None


def test_the_same_typed_and_another_answer() -> None:
    assert shows_otherwise(OLD, OLD.replace("    2\n", "    3\n"), "a")
    assert not shows_otherwise(OLD, OLD.replace("a(1)", "a(2)"), "a")
    assert not shows_otherwise(OLD, OLD, "a")
    assert examples_of(OLD, "a") is not None
    assert examples_of(OLD, "b") is None
