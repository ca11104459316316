"""Each rule of the judge, broken on purpose: the corpus has to notice."""

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from pm_orchestrator.testing.corpus.case import Case, load_cases
from pm_orchestrator.testing.corpus.projects import ProjectMaker
from pm_orchestrator.testing.corpus.trial import NO_VERDICT, Court
from pm_orchestrator.testing.programs.called_program import Program, clean_environment

pytestmark = [pytest.mark.long, pytest.mark.timeout(200)]

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"
PRODUCT = "pm_orchestrator"
PATIENCE_S = 120.0
"""What a busy machine may take: how long it takes says nothing about a rule that is broken."""
COMPILED_HALF = "*.pyc.*"
"""What another process is just compiling; under this name it is gone before it can be copied."""


class Sabotage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One place where a rule is broken, and the cases that it decides."""

    rule: int
    what: str
    file: str
    old: str
    new: str
    cases: tuple[str, ...]
    never_ends: bool = False
    """Whether they turn wrong by not ending in time, instead of by what is said of them."""


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
    shutil.copytree(SOURCE, place, ignore=shutil.ignore_patterns(COMPILED_HALF))
    file = place / PRODUCT / sabotage.file
    text = file.read_text("utf-8")
    assert text.count(sabotage.old) == 1, f"{sabotage.file} has changed: mend the sabotage"
    file.write_text(text.replace(sabotage.old, sabotage.new), "utf-8")
    return place


def test_no_rule_is_left_whole() -> None:
    assert {sabotage.rule for sabotage in SABOTAGES} == set(range(1, 11))


@pytest.mark.parametrize(
    ("sabotage", "name"),
    [
        pytest.param(sabotage, name, id=f"{sabotage.what}: {name}")
        for sabotage in SABOTAGES
        for name in sabotage.cases
    ],
)
def test_a_broken_rule_turns_its_case_wrong(
    sabotage: Sabotage,
    name: str,
    cases: Mapping[str, Case],
    project_maker: ProjectMaker,
    tools: Path,
    tmp_path: Path,
) -> None:
    case = cases[name]
    for folder in ("home", "tmp"):
        (tmp_path / folder).mkdir()
    environment = clean_environment(tmp_path / "home", tmp_path / "tmp")
    environment["PYTHONPATH"] = str(broken_source(sabotage, tmp_path / "source"))
    patience = case.seconds + 1 if sabotage.never_ends else PATIENCE_S
    program = Program(tmp_path, environment, patience)
    verdict = Court(program, project_maker, tools, tmp_path).alone(case)
    ended = verdict.status != NO_VERDICT
    turned = verdict.is_late(case) if sabotage.never_ends else ended and verdict.untrue(case)
    assert turned, f"it was still {verdict.status}\n{verdict.said}"
