"""What is worth a look is shown in the reader's language, and never changes a verdict."""

from typing import get_args

import pytest

from pm_orchestrator.cli.pages.task_page import LISTED, SILENT, findings_page
from pm_orchestrator.domain.judging.finding import OddFinding, OddKind
from pm_orchestrator.domain.judging.outcome import ChangeKind, FileChange
from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.run.phases.oddities import edited_tests


def page(lang: Lang, *findings: OddFinding) -> str:
    return "\n".join(findings_page(findings, lang))


@pytest.mark.parametrize("kind", get_args(OddKind))
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_kind_has_its_sentence(kind: OddKind, lang: Lang) -> None:
    shown = page(lang, OddFinding(kind=kind, path="a/b.py"))
    assert shown.count("a/b.py") == (0 if kind in SILENT else 1)


def test_nothing_odd_is_not_mentioned() -> None:
    assert page("en") == ""
    assert page("en", OddFinding(kind="saved", path="refs/pm/x")) == ""


def test_a_flood_is_cut_and_a_name_cannot_steer_the_terminal() -> None:
    odd = [OddFinding(kind="special", path=f"\x1b[2Jf{n}") for n in range(LISTED + 3)]
    shown = page("en", *odd)
    assert "\x1b" not in shown
    assert "… and 3 more in the log" in shown


def change(path: str, kind: ChangeKind = "modified", previous: str | None = None) -> FileChange:
    return FileChange(path=path, kind=kind, size=1, previous_path=previous)


def test_edits_of_tests_are_listed_unless_they_are_named_as_weaker() -> None:
    changes = (
        change("tests/test_a.py"),
        change("tests/test_new.py", "created"),
        change("tests/test_gone.py", "deleted"),
        change("src/app.test.ts", "renamed", "src/old.test.ts"),
        change("tests/test_weak.py"),
        change("app.py"),
    )
    weaker = Dilution(kind="test_skipped", path="tests/test_weak.py", detail="test_x")
    found = edited_tests(changes, (weaker,))
    assert [(f.kind, f.path, f.note) for f in found] == [
        ("test_edited", "tests/test_a.py", "modified"),
        ("test_edited", "tests/test_gone.py", "deleted"),
        ("test_edited", "src/app.test.ts", "renamed"),
    ]
