"""All that is read from an instruction, row by row: `UPDATE_READINGS=1` writes it anew.

The other tables say what an instruction has to mean. These show every reading that changes with
a rule, the unforeseen ones among them: look at each row that differs before you keep it.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.testing.data.whole_reading import effects_in, reading, roles_in

READ: dict[str, Callable[[str], str]] = {
    "effects.tsv": effects_in,
    "readings.tsv": reading,
    "roles.tsv": roles_in,
}
AT_ONCE = {"effects.tsv": 60, "readings.tsv": 30, "roles.tsv": 300}
"""Rows of one test: a change that lives in few of them is found soon."""


def rows(table: str) -> list[tuple[str, str]]:
    text = Path(__file__).with_name(table).read_text("utf-8")
    lines = (line.partition("\t") for line in text.splitlines())
    return [(instruction, known) for instruction, _, known in lines]


def read(table: str, instruction: str) -> str:
    return READ[table](instruction.replace("\\n", "\n")).replace("\n", "\\n")


def portions() -> list[tuple[str, int]]:
    sizes = ((table, many, len(rows(table))) for table, many in AT_ONCE.items())
    return [(table, first) for table, many, size in sizes for first in range(0, size, many)]


@pytest.fixture(scope="module", autouse=True)
def as_it_is_now() -> None:
    """For who has changed a rule, and looked."""
    if "UPDATE_READINGS" in os.environ:
        for table in READ:
            lines = (f"{text}\t{read(table, text)}\n" for text in sorted(dict(rows(table))))
            Path(__file__).with_name(table).write_text("".join(lines), encoding="utf-8")


@pytest.mark.parametrize(("table", "first"), portions())
def test_what_is_read(table: str, first: int) -> None:
    """Some rows at once, and each that is read otherwise by name."""
    some = rows(table)[first : first + AT_ONCE[table]]
    assert {text: now for text, known in some if (now := read(table, text)) != known} == {}
