"""Names of tests, as runners give them."""

import pytest

from pm_orchestrator.gates.compare.test_ids import file_in, own_name


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
