"""Names of tests, as runners give them."""

import pytest

from pm_orchestrator.gates.compare.test_ids import (
    file_in,
    file_of,
    is_example,
    own_name,
)


@pytest.mark.parametrize(
    ("test", "file", "name"),
    [
        ("tests/test_a.py::test_b", "tests/test_a.py", "test_b"),
        ("tests/test_a.py::TestB::test_c[1-a.b::c]", "tests/test_a.py", "test_c[1-a.b::c]"),
        ("tests.test_a.TestB.test_c", None, "test_c"),
        ("test/a.test.js > a queue > is v1.0 first", "test/a.test.js", "is v1.0 first"),
        ("tests/test_a.py", None, "py"),
    ],
)
def test_the_parts_of_a_name(test: str, file: str | None, name: str) -> None:
    assert (file_in(test), own_name(test)) == (file, name)


@pytest.mark.parametrize(
    ("test", "file"),
    [
        ("web/test/a.test.js > a queue", "web/test/a.test.js"),
        ("test/a.test.js > a queue", "web/test/a.test.js"),
        ("test/a.test.js", "web/test/a.test.js"),
        ("tests/test_b.py::test_c", None),
        ("api.tests.test_b.TestC.test_d", "one/api/tests/test_b.py"),
        ("other/a.test.js > a queue", None),
    ],
)
def test_the_file_of_a_test_though_its_gate_ran_in_a_folder(test: str, file: str | None) -> None:
    files = ("web/test/a.test.js", "one/api/tests/test_b.py", "two/tests/test_b.py")
    assert file_of(test, files) == file


@pytest.mark.parametrize(
    ("test", "example"),
    [
        ("src/shop/price.py::shop.price.rounded", True),
        ("src/shop/price.py::shop.price.Price.rounded", True),
        ("src/shop/price.py::price.rounded", True),
        ("src/shop/__init__.py::shop.rounded", True),
        ("price.py::price", True),
        ("tests/test_price.py::test_rounded", False),
        ("tests/test_price.py::PriceTest::test_rounded", False),
        ("tests/checks.py::price_is_rounded", False),
        ("tests/checks.py::rounds[1.5-2]", False),
        ("README.rst::README.rst", False),
        ("tests.test_price.PriceTest.test_rounded", False),
    ],
)
def test_an_example_is_told_from_a_test_by_where_it_stands(test: str, example: bool) -> None:
    assert is_example(test) is example
