"""What is seen of work that was stopped, in the words of its log."""

from hypothesis import given, strategies as st

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.runner.records.left_work import left_work

NAMES = tuple(f"{letter}.md" for letter in "abcdef")
changes = st.lists(
    st.builds(
        FileChange,
        path=st.sampled_from(NAMES),
        kind=st.sampled_from(["created", "modified", "deleted", "renamed"]),
        size=st.integers(0, 9),
    ),
    unique_by=lambda change: change.path,
).map(tuple)


@given(changes, st.lists(st.sampled_from(NAMES), unique=True).map(tuple))
def test_stopped_work_is_seen_and_never_passed(
    found: tuple[FileChange, ...], expected: tuple[str, ...]
) -> None:
    """R-31 Verified Files: each change is there or gone as it was seen, and proves nothing."""
    there = {change.path for change in found if change.kind != "deleted"}
    missing = tuple(path for path in expected if path not in there)
    left = left_work(found, "now", expected=expected, missing=missing)
    verified = left.get("verified_files", ())
    assert {file.path: file.exists for file in verified} == {
        change.path: change.path in there for change in found
    }
    artifacts, summary = left.get("artifacts"), left.get("evidence_summary")
    assert artifacts is not None
    assert summary is not None
    sorts = (artifacts.files_created, artifacts.files_modified, artifacts.files_deleted)
    assert sorted(artifacts.files_touched) == sorted(path for sort in sorts for path in sort)
    assert (summary.verification_passed, summary.files_missing) == (False, missing)
    assert set(summary.files_verified) == set(expected) - set(missing)
