"""Names as the project knows them: by their last part, from the repository, by what they are."""

import pytest

from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.runner.instructions.clarification import PersonAnswer
from pm_orchestrator.runner.instructions.requirement import Requirement, names_to_find, understand
from pm_orchestrator.runner.instructions.resolving import KnownFiles, resolve_names

FILES = ("README.md", "CHANGES.rst", "src/app.py", "src/one/util.py", "src/two/util.py", "bin/run")


def resolved(
    instruction: str,
    files: tuple[str, ...] = FILES,
    answers: tuple[PersonAnswer, ...] = (),
    *,
    may_ask: bool = True,
) -> Requirement:
    found = understand(instruction, "task-1")
    there = {n for n in names_to_find(found) if any(f == n or f.startswith(f"{n}/") for f in files)}
    known = KnownFiles(
        files=files, there=frozenset(there), root="/home/me/mono/pkg", may_ask=may_ask
    )
    return resolve_names(found, known, answers)


@pytest.mark.parametrize(
    ("instruction", "changed"),
    [
        ("Update app.py", ("src/app.py",)),
        ("Update src/app.py", ("src/app.py",)),
        ("Update pkg/src/app.py", ("src/app.py",)),
        ("Update mono/pkg/src/app.py", ("src/app.py",)),
        ("Update the readme", ("README.md",)),
        ("Update README.MD", ("README.md",)),
        ("Add an entry to the changelog", ("CHANGES.rst",)),
        ("変更履歴に追記して", ("CHANGES.rst",)),
        ("Update @bin/run", ("bin/run",)),
        ("Update bin/run", ("bin/run",)),
        ("Update no/such", ()),
        ("In src/one, add a NOTES.md", ("src/one/NOTES.md",)),
        ("In src/one, add lib/parse.py", ("src/one/lib/parse.py",)),
        ("In src/one, add bin/more.py", ("bin/more.py",)),
        ("Replace os.path with pathlib", ()),
        ("Update the console.log calls", ()),
    ],
)
def test_a_name_means_the_one_file_that_has_it(instruction: str, changed: tuple[str, ...]) -> None:
    assert resolved(instruction).files_to_change == changed


def test_a_family_that_is_not_there_yet_may_have_any_spelling() -> None:
    found = resolved("Write a README", ("a.py",))
    assert [(e.kind, e.name) for e in found.effects] == [("written", "README")]
    assert found.files_to_change == ()


def test_of_several_a_person_says_which() -> None:
    with pytest.raises(NeedsPersonError) as asked:
        resolved("Update util.py")
    assert "src/one/util.py, src/two/util.py" in asked.value.what()
    said = PersonAnswer(question=asked.value.what(), text="src/two/util.py")
    assert "src/two/util.py" in resolved("Update util.py", answers=(said,)).files_to_change
    # What the task's own first run has made does not make a name unclear.
    assert resolved("Update util.py", may_ask=False).files_to_change == ()


def test_a_family_can_be_removed() -> None:
    assert resolved("Delete the changelog").files_to_go == ("CHANGES.rst",)
    # Of two nobody knows which.
    assert resolved("Delete the changelog", ("CHANGES.rst", "NEWS.md")).files_to_go == ()


@pytest.mark.parametrize(
    ("instruction", "stays"),
    [
        ("Fix the crash in app.py", ("src/app.py",)),
        ("app.py is dead code. Please delete such files", ()),
        ("app.pyはもう要りません。削除してください", ()),
        ("Remove the unused import in app.py", ("src/app.py",)),
    ],
)
def test_where_something_is_to_go_only_what_has_to_change_must_stay(
    instruction: str, stays: tuple[str, ...]
) -> None:
    assert resolved(instruction).expected_files == stays


def test_a_name_that_only_begins_like_the_project_is_not_cut() -> None:
    assert resolved("Update pkg/src/none.py").files_to_change == ("pkg/src/none.py",)


def test_where_a_fault_shows_nobody_is_asked() -> None:
    assert resolved("Fix the bug in util.py").expected_files == ()
    assert resolved("Handle a missing config.json").expected_files == ()


def test_what_is_made_is_made_where_it_was_named() -> None:
    assert resolved("Create util.py").expected_files == ("util.py",)
    assert resolved("Create pkg/new.py").expected_files == ("new.py",)
    assert resolved("Create docs/new.md").expected_files == ("docs/new.md",)


def test_what_is_moved_made_executable_or_removed_is_found_too() -> None:
    assert [e.source for e in resolved("Rename app.py to main.py").effects] == ["src/app.py"]
    assert [e.name for e in resolved("Make app.py executable").effects] == ["src/app.py"]
    assert resolved("Delete app.py").files_to_go == ("src/app.py",)
