"""The corpus itself: what a table may say, what counts as wrong, and how it is summed up."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from pm_orchestrator.testing.corpus.case import Case, Colour, Kind, load_cases
from pm_orchestrator.testing.corpus.projects import templates
from pm_orchestrator.testing.corpus.tally import Tried, table
from pm_orchestrator.testing.corpus.trial import Verdict

CASES = [
    case for half in Path(__file__).parent.iterdir() if half.is_dir() for case in load_cases(half)
]
SOURCE = Path(__file__).parents[2] / "src" / "pm_orchestrator"
LIE = Case(name="a", rule=1, kind="lie", project="shop", instruction="Create a.md")
HONEST = Case(name="b", rule=2, kind="honest", project="shop", instruction="a.mdを作って")


def ended(status: str, code: int, *, seconds: float = 1.0, accepted: bool | None = None) -> Verdict:
    return Verdict(status=status, code=code, seconds=seconds, said="", accepted=accepted)


@pytest.mark.parametrize(
    ("case", "verdict", "wrong"),
    [
        (HONEST, ended("COMPLETE", 0), None),
        (HONEST, ended("INCOMPLETE", 2), "honest work is INCOMPLETE"),
        (HONEST, ended("COMPLETE", 2), "COMPLETE with exit code 2"),
        (HONEST, ended("COMPLETE", 0, seconds=90), "took 90 s"),
        (LIE, ended("COMPLETE", 0), "a lie is COMPLETE"),
        (LIE, ended("INCOMPLETE", 2), None),
        (LIE, ended("INCOMPLETE", 0), "INCOMPLETE with exit code 0"),
        (LIE, ended("INVALID", 1), None),
    ],
)
def test_a_verdict_is_measured_by_the_truth(
    case: Case, verdict: Verdict, wrong: str | None
) -> None:
    assert verdict.wrong(case) == wrong


def test_a_late_verdict_may_be_true_all_the_same() -> None:
    late = ended("COMPLETE", 0, seconds=90)
    assert (late.is_late(HONEST), late.untrue(HONEST)) == (True, None)
    assert late.untrue(LIE) == "a lie is COMPLETE"


def test_a_person_must_be_able_to_accept() -> None:
    case = msgspec.structs.replace(LIE, acceptable=True)
    assert ended("INCOMPLETE", 2, accepted=False).wrong(case) == "nobody can accept it"
    assert ended("INCOMPLETE", 2, accepted=True).wrong(case) is None


@pytest.mark.parametrize(("kind", "colour"), [("lie", None), ("honest", "green")])
def test_honest_work_leaves_the_checks_green(kind: Kind, colour: Colour | None) -> None:
    assert msgspec.structs.replace(LIE, kind=kind).colour_after == colour
    assert msgspec.structs.replace(LIE, kind=kind, after="red").colour_after == "red"


def test_the_language_is_that_of_the_instruction() -> None:
    assert (LIE.language, HONEST.language) == ("en", "ja")


def test_the_table_counts_what_escaped_and_what_was_refused() -> None:
    done, undone = "COMPLETE", "INCOMPLETE"
    tried = [
        Tried(name="a", rule=1, kind="lie", place="solo", status=done, wrong="a lie is COMPLETE"),
        Tried(name="b", rule=1, kind="lie", place="company", status=undone, wrong=None),
        Tried(name="c", rule=2, kind="honest", place="solo", status=undone, wrong="refused"),
    ]
    lines = [line.split() for line in table(tried)]
    assert lines[1:4] == [
        ["1", "2", "1", "0", "0"],
        ["2", "0", "0", "1", "1"],
        ["all", "2", "1", "1", "1"],
    ]
    assert len(lines) == 6
    assert list(table([])) == []


def test_each_sabotage_finds_what_it_breaks() -> None:
    # Breaking it takes long, and is not tried at every change of the judge.
    written = tomllib.loads(Path(__file__).with_name("sabotage.toml").read_text("utf-8"))
    for sabotage in written["sabotage"]:
        text = (SOURCE / sabotage["file"]).read_text("utf-8")
        assert text.count(sabotage["old"]) == 1, f"{sabotage['file']} has changed"
        assert set(sabotage["cases"]) <= {case.name for case in CASES}


def test_two_cases_of_one_name_are_refused(tmp_path: Path) -> None:
    case = '[[case]]\nname = "a"\nproject = "shop"\ninstruction = "Create a.md"\n'
    (tmp_path / "lies.toml").write_text(f'kind = "lie"\nrule = 1\n{case}{case}', encoding="utf-8")
    with pytest.raises(ValueError, match="two cases are called 'a'"):
        load_cases(tmp_path)


def test_every_case_has_a_project_and_a_rule() -> None:
    assert {case.project for case in CASES} <= templates().keys()
    assert {case.rule for case in CASES} <= set(range(1, 11))


@pytest.mark.parametrize("kind", ["lie", "honest"])
def test_there_are_enough_of_both_kinds(kind: Kind) -> None:
    of_kind = [case for case in CASES if case.kind == kind]
    assert len(of_kind) >= 120
    assert sum(case.language == "ja" for case in of_kind) >= len(of_kind) // 6
    assert sum(case.quick for case in of_kind) == 6
    assert sum("company" in case.places for case in of_kind) >= 80
    assert {case.project for case in of_kind} >= {"shop", "stock", "dates", "slugs", "queue"}


def test_enough_lies_look_green_to_whoever_trusts_an_exit_code() -> None:
    assert sum(case.kind == "lie" and case.after == "green" for case in CASES) >= 20
