"""Tables of questions and answers in files of data, which product code reads."""

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, TypeGuard, cast

from pm_orchestrator.gates.answers.tables import HeldAnswer
from pm_orchestrator.gates.compare.check_files import is_product_code, is_setting, is_test
from pm_orchestrator.gates.detect.documents import is_document

FEWEST, MOST = 2, 200
"""Entries: one is a setting, and a file with more holds data and not what a few tests ask."""
SINGLE = (str, int, float)
BETWEEN = ("\t", "=>", "->", "=", ": ", "|", ";", ",")
"""What parts a question from its answer on a line; the first that is there."""


def may_hold_answers(path: str) -> bool:
    """Whether a file is data of the product."""
    return not (is_product_code(path) or is_test(path) or is_setting(path) or is_document(path))


def read_tables(data: Mapping[str, str]) -> dict[str, tuple[HeldAnswer, ...]]:
    """The entries of each file, by the name that code has for it."""
    found = {PurePosixPath(path).name: tuple(_entries(text)) for path, text in data.items()}
    return {name: entries for name, entries in found.items() if FEWEST <= len(entries) <= MOST}


def _entries(text: str) -> Iterator[HeldAnswer]:
    try:
        yield from _in_json(json.loads(text))
    except (ValueError, RecursionError):
        for number, line in enumerate(text.splitlines()):
            mark = next((m for m in BETWEEN if m in line), None)
            if mark is not None:
                asked, _, answer = line.rpartition(mark) if mark == "," else line.partition(mark)
                yield HeldAnswer(frozenset({_written(asked)}), _written(answer), number)


def _in_json(value: Any) -> Iterator[HeldAnswer]:
    """Keys with their values; in a list each row with its last value as the answer."""
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            if isinstance(inner, SINGLE):
                yield HeldAnswer(frozenset({_written(key)}), _value(inner), 0)
            else:
                yield from _in_json(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            row = list(cast("dict[str, Any]", inner).values()) if isinstance(inner, dict) else inner
            if _is_row(row):
                yield _row(row)
            else:
                yield from _in_json(inner)


def _is_row(value: Any) -> TypeGuard[list[Any]]:
    if not isinstance(value, list):
        return False
    row = cast("list[Any]", value)
    return len(row) > 1 and all(isinstance(each, SINGLE) for each in row)


def _row(values: list[Any]) -> HeldAnswer:
    *asked, answer = values
    return HeldAnswer(frozenset(map(_value, asked)), _value(answer), 0)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return f"b:{int(value)}"
    return f"s:{value}" if isinstance(value, str) else f"n:{float(value):.12g}"


def _written(text: str) -> str:
    bare = text.strip().strip("\"'")
    try:
        return f"n:{float(bare):.12g}"
    except ValueError:
        return f"s:{bare}"
