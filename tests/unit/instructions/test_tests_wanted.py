"""Tests that are surely asked for, and what is to be made besides them."""

import pytest

from pm_orchestrator.runner.instructions.stated.tests_wanted import (
    asks_for_more_than_tests,
    asks_for_tests,
)

WITH_TESTS = (
    "Add a function mul to calc.py, with tests",
    "Implement multiplication and add tests",
    "Let greet accept a greeting argument; add tests",
    "Fix the rounding in div and add a regression test",
    "div(1, 2) gives 0, it should give 0.5. Fix it and add a test.",
    "In boltons/strutils.py, let slugify accept a max_length argument; add tests",
    "Add a --json flag to cli.py (with tests)",
    "Add a function mul with tests",
    "Add pagination to list_items(); include tests",
    "Could you add a retry option and write unit tests for it?",
    "Handle empty input in parse(), including tests",
    "calcに掛け算を実装して、テストも追加して",
    "max_length が負のとき ValueError になるように修正して、テストを書いてください",
    "割引を計算する関数を追加して、テストコードも書いて",
)
TESTS_ALONE = (
    "Add tests for parse_duration()",
    "Write a test that covers the empty case",
    "Write unit tests for calc.py",
    "Please add a regression test for the empty cart",
    "Increase the coverage of the parser: add tests for it",
    "Rename test_foo to test_bar and add a test for baz",
    "Extend the fixtures and add a test for deletion",
    "The test test_mul is wrong, fix it and add a test for zero",
    "Can you add tests?",
    "parse関数のテストを追加して",
    "テストを書いてください",
)
NO_TESTS = (
    "Add a test target to the Makefile",
    "Add a test script to package.json",
    "Add test coverage to CI",
    "Add a button to test the connection",
    "Create a function that tests for primes",
    "Write a script which runs all tests",
    "Add support for tests in subfolders",
    "Add a flag, no tests needed",
    "Add a flag without tests",
    "Add a flag, and don't add tests",
    "Add a flag and make sure the tests pass",
    "Add a flag and run the tests",
    "Fix the failing tests",
    "Add to CONTRIBUTING.md that tests are run with make test",
    "Add npm scripts test:watch and test:coverage",
    "Move bin to scripts and fix all references, including tests",
    "Add tests if there are none",
    "Please add tests where missing",
    "You can add a test, if you like",
    "Maybe add tests",
    "Should we add tests?",
    "Delete the v1 client and its tests",
    "Remove the parser and all tests",
    "Move the tests into tests/unit",
    "Update the rules and the tests",
    "The tests in CI are red, fix that",
    "Rename the folder with tests to spec",
    "pluralize('octopus') should give octopuses, not octopi. Update the rules and the tests.",
    "テストを追加しないで実装だけして",
    "必要ならテストを追加して",
    "テストが落ちているので直して",
    "テストを追加したら壊れたので直して",
)


@pytest.mark.parametrize("instruction", [*WITH_TESTS, *TESTS_ALONE])
def test_tests_that_are_to_come(instruction: str) -> None:
    assert asks_for_tests(instruction)


@pytest.mark.parametrize("instruction", NO_TESTS)
def test_what_only_speaks_of_tests(instruction: str) -> None:
    assert not asks_for_tests(instruction)


@pytest.mark.parametrize("instruction", WITH_TESTS)
def test_more_than_tests_is_to_come(instruction: str) -> None:
    assert asks_for_more_than_tests(instruction)


@pytest.mark.parametrize("instruction", [*TESTS_ALONE, *NO_TESTS])
def test_nothing_but_tests_may_be_to_come(instruction: str) -> None:
    assert not asks_for_more_than_tests(instruction)
