"""A person accepts what is on the disk, not what was there when it was judged."""

from hypothesis import given, strategies as st
from msgspec.structs import replace

from pm_orchestrator.domain.judging.outcome import Facts, FileChange
from pm_orchestrator.runner.tasks.seen_again import as_it_is, changed_since

NAMES = ("a.md", "b.md", "c.md", "d.md")
changes = st.lists(
    st.builds(
        FileChange,
        path=st.sampled_from(NAMES),
        kind=st.sampled_from(["created", "modified", "deleted"]),
        size=st.integers(0, 2),
    ),
    unique_by=lambda change: change.path,
).map(tuple)
some = st.lists(st.sampled_from(NAMES), unique=True).map(tuple)


@given(changes, changes, some)
def test_only_what_is_there_is_accepted(
    then: tuple[FileChange, ...], now: tuple[FileChange, ...], expected: tuple[str, ...]
) -> None:
    """R-8, R-31 Verified Files: what is accepted was seen just before, and belongs to the task."""
    facts = Facts(commit="c", changes=then, expected_files=expected, missing_files=(), gates=None)
    there = {change.path for change in now if change.kind != "deleted"}
    found = as_it_is(facts, now, lambda path: path not in there)
    own = {change.path for change in then} | set(expected)
    assert set(found.changes) == {change for change in now if change.path in own}
    assert there.isdisjoint(found.missing_files)
    gone = {change.path for change in found.changes if change.kind == "deleted"}
    assert set(expected) <= there | set(found.missing_files) | gone
    assert (changed_since(facts, found) == ()) == (set(found.changes) == set(then))


@given(changes, st.dictionaries(st.sampled_from(NAMES), st.sampled_from("ab")), some, some)
def test_what_differs_is_said(
    then: tuple[FileChange, ...],
    contents: dict[str, str],
    to_go: tuple[str, ...],
    to_change: tuple[str, ...],
) -> None:
    """R-8, R-31 Verified Files: another content is a difference, whatever its length."""
    judged = tuple(replace(change, sha256="a") for change in then)
    facts = Facts(
        commit="c",
        changes=judged,
        expected_files=(),
        missing_files=(),
        files_to_go=to_go,
        files_to_change=to_change,
        gates=None,
    )
    now = tuple(replace(c, sha256=contents[c.path]) for c in judged if c.path in contents)
    found = as_it_is(facts, now, lambda path: path not in contents)
    differing = {change.path for change in judged if contents.get(change.path) != "a"}
    assert set(changed_since(facts, found)) == differing
    assert set(found.left_alone) == set(to_go) & contents.keys()
    touched = {change.path for change in now}
    assert set(found.unchanged_files) == (set(to_change) & contents.keys()) - touched
