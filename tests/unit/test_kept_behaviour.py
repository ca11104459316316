"""What is said to stay as it is excuses no old test; what is asked for besides does."""

import pytest

from pm_orchestrator.gates.compare.expectations import (
    compared_with,
    expects_otherwise,
    fed_with,
    tries_the_same,
)
from pm_orchestrator.gates.compare.purpose import Purpose

TOTAL = "def test_total():\n    assert cart.total() == 3"
PRICE = "def test_price():\n    assert price(3) == '3.00 EUR'"
KNOWN = f"tests/test_cart.py\n{TOTAL}\n{PRICE}"


@pytest.mark.parametrize(
    ("instruction", "kept"),
    [
        ("add a discount to the cart total. Without it everything is as before", True),
        ("Add a discount to total(). The default stays as it is.", True),
        ("Cart(discount=0.1) is new: add it, it lowers the total", True),
        ("Add Cart(discount=0.1), it lowers the total", True),
        ("Add a required argument discount: Cart(discount=0.1), it lowers the total", False),
        ("Round the total half down; price() stays as it is", False),
        ("Round the price half down; total() stays as it is", True),
        ("Round the total half down, everything else must stay the same", False),
        ("Round the price half down, everything else must stay the same", True),
        ("Round the total half down", False),
        ("totalに割引を追加してください。指定しない場合は今まで通りです。", True),
        ("totalを切り捨てにしてください。priceは変えないでください。", False),
        ("Speed up total without changing results", True),
    ],
)
def test_what_stays_is_what_was_said(instruction: str, kept: bool) -> None:
    assert Purpose(instruction).keeps("tests/test_cart.py::test_total", TOTAL, KNOWN) is kept


@pytest.mark.parametrize(
    ("instruction", "wanted"),
    [
        ("Remove price from cart.py, with its test.", False),
        ("Delete the v1 client and its tests", False),
        ("Refactor cart.py and its tests", False),
        ("Remove price and add tests for total", True),
        ("Add price with its tests", True),
        ("Remove price. Implement total, with tests.", True),
        ("priceをテストも一緒に削除して", False),
        ("priceをテスト付きで追加して", True),
    ],
)
def test_tests_that_are_there_are_not_wanted_anew(instruction: str, wanted: bool) -> None:
    assert Purpose(instruction).wants_tests is wanted


@pytest.mark.parametrize(
    ("instruction", "over"),
    [
        ("Rewrite price using Decimal", True),
        ("Refactor the cart", True),
        ("合計の計算を高速化して", True),
        ("Rewrite price so that it rounds half up", False),
        ("Simplify price; it should return a string", False),
        ("Change price", False),
    ],
)
def test_who_works_over_wants_the_same(instruction: str, over: bool) -> None:
    assert Purpose(instruction).works_over is over


def test_a_recipe_says_what_it_compares_with() -> None:
    recipe = "test: out.txt\n\t@diff -u expected/out.txt out.txt && echo ok\n\tsh run.sh data.csv\n"
    paths = ("expected/out.txt", "data.csv", "run.sh")
    assert list(compared_with(recipe, paths)) == ["expected/out.txt"]
    assert list(compared_with("# diff expected/out.txt\n", paths)) == []


def test_other_literals_are_other_expectations() -> None:
    path = "tests/test_cart.py"
    assert expects_otherwise(path, TOTAL, TOTAL.replace("3", "2"), "test_total")
    assert not expects_otherwise(path, TOTAL, TOTAL.replace("total()", "sum()"), "test_total")
    assert not expects_otherwise(path, TOTAL, TOTAL, "test_total")
    assert expects_otherwise("tests/out.txt", "a", "b", None)


def test_a_test_of_something_else_tries_something_else() -> None:
    assert tries_the_same("cart.add(1)\nassert cart.total() == 1", "assert cart.total() == 2")
    assert not tries_the_same("assert cart.total() == 1", "assert title('a') == 'A'")


def test_what_a_recipe_works_on_is_data() -> None:
    recipe = "build/out.txt: data/in.csv sum.awk\n\tawk -f sum.awk data/in.csv > build/out.txt\n"
    paths = ("data/in.csv", "sum.awk", "data/other.csv", "README.md")
    assert list(fed_with(recipe, paths)) == ["data/in.csv"]
