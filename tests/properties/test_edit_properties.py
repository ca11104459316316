"""Editing a file by naming its old and new parts."""

import pytest
from hypothesis import assume, given, strategies as st

from pm_orchestrator.agents.text_files import EditRefusedError, TextEdit, apply_edits

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
