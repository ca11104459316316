"""Which instructions ask for a check to be run, and which only sound like it."""

import pytest

from pm_orchestrator.domain.judging.gate import GateKind
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.gates.judge.counted_tests import tests_run as count_of_tests
from pm_orchestrator.runner.instructions.gate_requests import gate_request
from pm_orchestrator.runner.instructions.kinds.task_types import ANSWERS, classify

Kinds = tuple[GateKind, ...]
LINT: Kinds = ("lint",)
TEST: Kinds = ("test",)
BUILD: Kinds = ("build",)
BOTH: Kinds = ("lint", "test")
ALONE: list[tuple[Kinds, str]] = [
    (TEST, "run the tests"),
    (TEST, "Please run all the unit tests again."),
    (TEST, "can you run the tests?"),
    (TEST, "Run the tests and tell me which ones fail"),
    (TEST, "execute the test suite"),
    (TEST, "run pytest"),
    (TEST, "run `npm test`"),
    (TEST, "check that the tests still pass"),
    (LINT, "run the linter"),
    (LINT, "lint the code"),
    (BOTH, "run lint and tests"),
    (BUILD, "run the build"),
    (("lint", "test", "build"), "Run the tests, the linter and the build."),
    (TEST, "テストを実行して"),
    (TEST, "テストを実行してください。"),
    (TEST, "全テストを実行し、結果を報告して"),
    (TEST, "テストを走らせて"),
    (TEST, "make test を実行して"),
    (TEST, "テストが通るか確認して"),
    (LINT, "lintをかけてください"),
    (BOTH, "lint とテストを実行してください"),
    (BUILD, "ビルドして"),
]
BESIDE = [
    "run the tests and fix what fails",
    "Run the linter and fix the warnings",
    "run the tests and write the results to out.txt",
    "Add a README.md. Then run the tests.",
    "README.mdを更新して。テストを実行して。",
]
NONE = [
    "How do I run the tests?",
    "add a script to run the tests",
    "Make the CI run the tests",
    "run the tests before every commit",
    "don't run the tests",
    "run the tests for parse_config",
    "run the e2e tests",
    "Run the migration",
    "write tests for the parser",
    "build a login page",
    "テストの実行方法を教えて",
    "テストを実行するスクリプトを作って",
    "テストを実行しないで",
    "テストを実行して失敗を直して",
    "テストを書いて",
    "を実行して",
    "それを実行してください",
]


@pytest.mark.parametrize(("kinds", "instruction"), ALONE)
def test_requests_for_a_check_alone(kinds: Kinds, instruction: str) -> None:
    found = gate_request(instruction)
    assert found is not None
    assert (found.kinds, found.alone) == (kinds, True)
    assert classify(instruction) is TaskType.READ_INFO


@pytest.mark.parametrize("instruction", BESIDE)
def test_a_check_beside_other_work_is_no_task_of_its_own(instruction: str) -> None:
    found = gate_request(instruction)
    assert found is not None
    assert not found.alone


@pytest.mark.parametrize("instruction", NONE)
def test_what_only_speaks_of_checks(instruction: str) -> None:
    assert gate_request(instruction) is None


@pytest.mark.parametrize(
    "instruction", ["run the tests and fix what fails", "テストを実行して失敗を直して"]
)
def test_a_repair_is_a_change(instruction: str) -> None:
    assert classify(instruction) not in ANSWERS


@pytest.mark.parametrize(
    ("output", "count"),
    [
        ("=== 2 failed, 3 passed in 0.12s ===", 5),
        ("1 failed in 0.01s", 1),
        ("Ran 4 tests in 0.001s\n\nFAILED (failures=1)", 4),
        ("test result: FAILED. 1 passed; 1 failed; 0 ignored", 2),
        ("Tests:       1 failed, 2 passed, 3 total", 3),
        ("  2 passing (4ms)\n  1 failing\n", 3),
        ("all fine", None),
    ],
)
def test_tests_are_counted_as_their_runner_counts_them(output: str, count: int | None) -> None:
    assert count_of_tests(output) == count
