"""Each rule of the judge, broken on purpose: the corpus has to notice."""

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from pm_orchestrator.testing.corpus.case import Case, load_cases
from pm_orchestrator.testing.corpus.projects import ProjectMaker
from pm_orchestrator.testing.corpus.trial import Court
from pm_orchestrator.testing.programs.called_program import Program, clean_environment

pytestmark = [pytest.mark.long, pytest.mark.timeout(200)]

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"
PRODUCT = "pm_orchestrator"


class Sabotage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One place where a rule is broken, and the cases that it decides."""

    rule: int
    what: str
    file: str
    old: str
    new: str
    cases: tuple[str, ...]


def load_sabotages() -> tuple[Sabotage, ...]:
    written = tomllib.loads((HERE / "sabotage.toml").read_text("utf-8"))
    return msgspec.convert(written["sabotage"], tuple[Sabotage, ...])


SABOTAGES = load_sabotages()


@pytest.fixture(scope="module")
def cases() -> Mapping[str, Case]:
    found = (case for folder in ("open", "aside", "fresh") for case in load_cases(HERE / folder))
    return {case.name: case for case in found}


def broken_source(sabotage: Sabotage, place: Path) -> Path:
    """A copy of the source, with one thing in it that is not as it was."""
    # With what was compiled, which stays valid: the copies have the times of the originals.
    shutil.copytree(SOURCE, place)
    file = place / PRODUCT / sabotage.file
    text = file.read_text("utf-8")
    assert text.count(sabotage.old) == 1, f"{sabotage.file} has changed: mend the sabotage"
    file.write_text(text.replace(sabotage.old, sabotage.new), "utf-8")
    return place


def test_no_rule_is_left_whole() -> None:
    assert {sabotage.rule for sabotage in SABOTAGES} == set(range(1, 11))


@pytest.mark.parametrize("sabotage", [pytest.param(one, id=one.what) for one in SABOTAGES])
def test_a_broken_rule_turns_its_cases_wrong(
    sabotage: Sabotage,
    cases: Mapping[str, Case],
    project_maker: ProjectMaker,
    tools: Path,
    tmp_path: Path,
) -> None:
    source = broken_source(sabotage, tmp_path / "source")
    for number, name in enumerate(sabotage.cases):
        place = tmp_path / str(number)
        for folder in ("home", "tmp"):
            (place / folder).mkdir(parents=True)
        environment = clean_environment(place / "home", place / "tmp")
        environment["PYTHONPATH"] = str(source)
        verdict = Court(Program(place, environment), project_maker, tools, place).alone(cases[name])
        assert verdict.wrong(cases[name]) is not None, f"{name} was still {verdict.status}"
