"""Examples that are tried in the files they are about: gone unasked, they are tests that went."""

import pytest

from pm_orchestrator.gates.weaker.dilution import Trees, find_dilution

UNITS = '"""Units.\n\n>>> convert(2)\n2000\n>>> convert(5)\n5000\n"""\n'
LESS = UNITS.replace(">>> convert(5)\n5000\n", "")
NONE = '"""Units."""\n'


def details(instruction: str, before: dict[str, str], after: dict[str, str | None]) -> list[str]:
    trees = Trees(before=before, after=after)
    found = find_dilution(trees, (), (), instruction, tests_tried=True)
    return [finding.detail for finding in found]


@pytest.mark.parametrize("after", [NONE, LESS], ids=["all", "one of them"])
def test_unasked(after: str) -> None:
    gone = details("convert must round its result", {"units.py": UNITS}, {"units.py": after})
    assert gone == [f"examples 2 -> {after.count('>>>')}"]


@pytest.mark.parametrize(
    ("instruction", "before", "after"),
    [
        ("Rewrite the docstrings", {"units.py": UNITS}, {"units.py": NONE}),
        ("モジュールの説明から例を外して", {"units.py": UNITS}, {"units.py": NONE}),
        ("Remove convert", {"units.py": UNITS}, {"units.py": NONE}),
        ("Split units.py", {"units.py": UNITS}, {"units.py": NONE, "lengths.py": UNITS}),
        ("Let it round", {"units.py": UNITS}, {"units.py": UNITS.replace("5000", "5000.0")}),
        ("Drop the old module", {"units.py": UNITS}, {"units.py": None}),
        ("Tidy the text", {"notes.md": UNITS}, {"notes.md": NONE}),
    ],
    ids=["docs", "docs in Japanese", "a removal", "moved", "changed", "the file", "no program"],
)
def test_asked_or_elsewhere(
    instruction: str, before: dict[str, str], after: dict[str, str | None]
) -> None:
    assert details(instruction, before, after) == []
