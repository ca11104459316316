"""A value that stands in the instruction, beside the one that tests expect."""

import pytest

from pm_orchestrator.gates.compare.promised import contradicted

ASKED = "format_price(3) が「EUR 3.00」になるように変更してください。テストも直して"


def contradicts(instruction: str, line: str, path: str = "tests/test_money.py") -> bool:
    return any(
        contradicted(
            instruction, {path: f"def test_it():\n    {line}\n", "tests/test_gone.py": None}
        )
    )


@pytest.mark.parametrize(
    ("instruction", "line"),
    [
        (ASKED, 'assert format_price(3) == "EUR3"'),
        (ASKED, 'assert money.format_price( 3 ) == "3.00 EUR"'),
        ("`slug('A b')` has to give `a-b`.", "self.assertEqual(slug('A b'), 'a_b')"),
        ('add(1,2) must return "3"', "assert.equal(add(1, 2), 3.5)"),
    ],
)
def test_another_value(instruction: str, line: str) -> None:
    assert contradicts(instruction, line)


@pytest.mark.parametrize(
    ("instruction", "line"),
    [
        (ASKED, 'assert format_price(3) == "EUR 3.00"'),
        (ASKED, 'assert format_price(5) == "EUR 5.00"'),
        (ASKED, "print(format_price(3))"),
        (
            "format_price(3) gives '3 EUR' but should give 'EUR 3'",
            'assert format_price(3) == "EUR 3"',
        ),
        ("Call format_price(3) in main", 'assert format_price(3) == "3 EUR"'),
        ("parse('x') must raise 'ValueError'", "with pytest.raises(ValueError): parse('x')"),
        ("f(1) is slow. Say 'done' at the end", "assert f(1) == 2"),
    ],
)
def test_the_same_or_no_value(instruction: str, line: str) -> None:
    assert not contradicts(instruction, line)


def test_only_tests_expect_something() -> None:
    assert not contradicts(ASKED, 'assert format_price(3) == "EUR3"', "src/money.py")


@pytest.mark.parametrize(
    ("instruction", "says"),
    [
        ("format_price(-0.001) gives '-0.00 EUR'. Fix that.", False),
        ("format_price(-0.001)が'-0.00 EUR'になっています。直してください。", False),
        ("format_price(-0.001) gives '-1.00', fix it: it should be '0.00 €'", True),
        ("format_price(-0.001) gives '0.00 €' from now on", True),
    ],
)
def test_a_fault_is_told_as_it_is(instruction: str, *, says: bool) -> None:
    assert contradicts(instruction, 'assert format_price(-0.001) == "0.00 EUR"') is says
