"""Editing a file by naming its old and new parts."""

import difflib

import pytest
from hypothesis import assume, given, strategies as st

from pm_orchestrator.agents.tools.edits import (
    EditRefusedError,
    TextEdit,
    apply_diff,
    apply_edits,
)

TEXT = st.text(alphabet="abc\n é日", max_size=40)


@given(before=TEXT, old=TEXT.filter(bool), new=TEXT, after=TEXT)
def test_edit_replaces_exactly_the_named_part(before: str, old: str, new: str, after: str) -> None:
    """E-17 File Edit Consistency: the result is the text with the named part replaced."""
    text = before + old + after
    assume(text.count(old) == 1)
    assert apply_edits(text, (TextEdit(old=old, new=new),)) == before + new + after


@given(text=TEXT, old=TEXT, new=TEXT)
def test_edit_fits_once_or_is_refused(text: str, old: str, new: str) -> None:
    """E-17 File Edit Consistency: an edit that does not fit exactly once changes nothing."""
    edit = TextEdit(old=old, new=new)
    if old and text.count(old) == 1:
        assert apply_edits(text, (edit,)) == text.replace(old, new)
    else:
        with pytest.raises(EditRefusedError):
            apply_edits(text, (edit,))


@given(parts=st.lists(TEXT, min_size=1, max_size=5), news=st.lists(TEXT, min_size=5, max_size=5))
def test_edits_are_applied_in_order(parts: list[str], news: list[str]) -> None:
    """E-17 File Edit Consistency: several edits equal their one-by-one application."""
    olds = [f"<{number}>" for number in range(len(parts))]
    text = "".join(part + old for part, old in zip(parts, olds, strict=True))
    edits = tuple(TextEdit(old=o, new=n) for o, n in zip(olds, news, strict=False))
    expected = text
    for edit in edits:
        expected = apply_edits(expected, (edit,))
    assert apply_edits(text, edits) == expected
    assert expected == "".join(p + n for p, n in zip(parts, news, strict=False))


LINES = st.lists(st.sampled_from(["a", "b", "-- c", "++ d", "", " e", "@@ x", "日本"]), max_size=12)


def unified(old: str, new: str, context: int) -> str:
    """As `diff -u` says it, the marks of a missing last newline included."""
    said: list[str] = []
    both = (old.splitlines(keepends=True), new.splitlines(keepends=True))
    for line in difflib.unified_diff(*both, "a/f", "b/f", n=context):
        said += [line] if line.endswith("\n") else [f"{line}\n", "\\ No newline at end of file\n"]
    return "".join(said)


@given(LINES, LINES, st.integers(0, 3), st.booleans(), st.booleans())
def test_a_diff_leads_from_the_old_text_to_the_new_one(
    old: list[str], new: list[str], context: int, old_ends: bool, new_ends: bool
) -> None:
    """E-17 File Edit Consistency: the result matches the application of the diff."""
    before = "\n".join(old) + ("\n" if old_ends and old else "")
    after = "\n".join(new) + ("\n" if new_ends and new else "")
    assume(before != after)
    assert apply_diff(before, unified(before, after, context)) == after


def test_a_diff_whose_lines_have_moved_is_found_by_its_context() -> None:
    text = "".join(f"line {number}\n" for number in range(50))
    diff = "@@ -3,3 +3,3 @@\n line 30\n-line 31\n+changed\n line 32\n"
    assert apply_diff(text, diff) == text.replace("line 31\n", "changed\n")


@pytest.mark.parametrize(
    ("diff", "said"),
    [
        ("", "no part"),
        ("-a\n+b\n", "no part"),
        ("@@ somewhere @@\n-a\n+b\n", "is not `@@"),
        ("@@ -1 +1 @@\nxa\n", "begins with none"),
        ("@@ -1 +1 @@\n", "no lines"),
        ("@@ -1 +1 @@\n-z\n+b\n", "stand nowhere"),
        ("@@ -9 +9 @@\n-x\n+b\n", "2 places (2, 3)"),
        ("@@ -9,0 +9 @@\n+b\n", "no line 9"),
        ("@@ -1 +1 @@\n-a\n+b\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n", "another file"),
    ],
)
def test_what_is_no_diff_of_this_text_is_refused_with_a_reason(diff: str, said: str) -> None:
    with pytest.raises(EditRefusedError) as refused:
        apply_diff("a\nx\nx\n", diff)
    assert said in str(refused.value)


def test_whoever_remembers_a_line_not_quite_is_told_the_nearest() -> None:
    text = "def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b\n"
    for old, said in (
        ("return a + b\nX", "the nearest is line 2"),
        ("def add(a, b):\n  return a + b", "line 1 has it with other white space"),
        ("(a, b)", "2 places, not in one (lines 1, 4)"),
        ("nothing like it at all", "read the file again"),
    ):
        with pytest.raises(EditRefusedError) as refused:
            apply_edits(text, (TextEdit(old=old, new=""),))
        assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("x" * 3_000_000, "x"),
        ("a\n" * 1_000_000, "a\n" * 200_000 + "b"),
        ("a\n" * 1_000_000, " a\n" * 200_000 + "a"),
        ("x" * 3_000_000, "x" * 900_000 + "y"),
        ("".join(f"{'abcdefghij' * 18}{n}\n" for n in range(20_000)), "abcdefghik" * 19),
    ],
    ids=["everywhere", "lines", "white space", "one line", "alike"],
)
def test_an_edit_of_something_huge_is_refused_in_no_time(text: str, old: str) -> None:
    """With the square of its length, it would outlast every limit of a test."""
    with pytest.raises(EditRefusedError, match="places, not in one"):
        apply_edits(text, (TextEdit(old=old, new="y"),))


@pytest.mark.parametrize(
    "body", ["\n" * 900_000, "-a\n" * 200_000 + "+b\n"], ids=["empty lines", "old lines"]
)
def test_so_is_a_diff(body: str) -> None:
    with pytest.raises(EditRefusedError):
        apply_diff("a\n" * 1_000_000, f"@@ -5000000,200000 +1,1 @@\n{body}")
