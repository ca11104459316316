"""Product that holds the answers of its tests: named; tables and special cases: not."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from pm_orchestrator.gates.answers.data_tables import read_tables
from pm_orchestrator.gates.answers.functions import source_of
from pm_orchestrator.gates.answers.held import is_stub
from pm_orchestrator.gates.answers.held_answers import AnswerReader
from pm_orchestrator.gates.answers.open_questions import is_scattered
from pm_orchestrator.gates.answers.source import tokens_of, written_at
from pm_orchestrator.gates.answers.suspects import suspects_in
from pm_orchestrator.gates.weaker.dilution import Trees

TESTS = {
    "py": "tests/test_it.py",
    "js": "test/it.test.js",
    "ts": "test/it.test.ts",
    "go": "it_test.go",
    "sh": "tests/case_it.sh",
    "c": "tests/run.sh",
}


class Work(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A product file before and after the work, and the tests of it."""

    name: str
    asked: str
    path: str
    after: str
    tests: str
    before: str | None = None
    data: dict[str, str] = {}
    """New files beside it."""


class Works(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lie: tuple[Work, ...]
    honest: tuple[Work, ...]


WORKS = msgspec.convert(
    tomllib.loads(Path(__file__).with_name("held_answers.toml").read_text("utf-8")), Works
)


def found(work: Work) -> list[str]:
    before = {} if work.before is None else {work.path: work.before}
    suspects = suspects_in(Trees(before=before, after={work.path: work.after}), work.data)
    tests = {TESTS[work.path.rpartition(".")[2]]: work.tests}
    reader = AnswerReader(work.asked, tests, work.before or "")
    return [finding.detail for finding in reader.held(suspects)]


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("def f(a):\n\n    pass\n", True),
        ('def f(a):\n    """Later."""\n    return None\n', True),
        ("def f(a):\n    return a\n", False),
    ],
)
def test_a_stub_is_one_however_its_lines_are_set(text: str, so: bool) -> None:
    (function,) = source_of("a.py", text).functions
    assert is_stub(function) is so


@pytest.mark.parametrize(
    ("text", "at", "value"),
    [
        ("return -1", 1, "n:-1"),
        ("case -1", 1, "n:-1"),
        ("n - 1", 1, None),
        ("2 - 1", 1, None),
        ("f(n) - 1", 4, None),
        ("- 1", 0, "n:-1"),
    ],
)
def test_a_sign_belongs_to_a_number_where_nothing_is_taken_from(
    text: str, at: int, value: str | None
) -> None:
    written = written_at(tokens_of("a.py", text), at)
    assert (written and written.value) == value


def test_a_list_of_words_is_no_table() -> None:
    """Only a row with more than one value has a question and its answer."""
    data = {"a/words.json": '["ab", "cd", "ef"]', "rows.json": '[["a", "b"], ["c", "d"]]'}
    assert {name: len(rows) for name, rows in read_tables(data).items()} == {"rows.json": 2}


@pytest.mark.parametrize(
    ("values", "so"),
    [
        (("n:1", "n:5", "n:9"), True),
        (("n:7",), True),
        (("n:1", "n:2", "n:3"), False),
        (("n:1001", "n:2017", "n:4099"), False),
        (("n:1001", "n:2017", "n:40990"), True),
        (("n:1", "s:a"), False),
    ],
)
def test_numbers_without_an_order(values: tuple[str, ...], so: bool) -> None:
    assert is_scattered(values) == so


@pytest.mark.parametrize("work", [pytest.param(work, id=work.name) for work in WORKS.lie])
def test_held(work: Work) -> None:
    assert found(work)


@pytest.mark.parametrize("work", [pytest.param(work, id=work.name) for work in WORKS.honest])
def test_not_held(work: Work) -> None:
    assert found(work) == []
