"""Editing a text by naming the old part and the new part.

An edit that does not fit exactly once is refused: guessing which of two places
was meant is how files get damaged quietly.
"""

from pm_orchestrator.domain.record import Record


class TextEdit(Record, frozen=True, kw_only=True):
    """Replace the one place where `old` stands by `new`."""

    old: str
    new: str


class EditRefusedError(ValueError):
    """An edit that does not fit; the text stays as it was."""


def apply_edits(text: str, edits: tuple[TextEdit, ...]) -> str:
    """Apply all edits in order, or none.

    Raises:
        EditRefusedError: an `old` is empty, absent, or stands in several places.
    """
    for number, edit in enumerate(edits, start=1):
        places = text.count(edit.old) if edit.old else 0
        if places != 1:
            found = "is empty" if not edit.old else f"stands in {places} places, not in one"
            raise EditRefusedError(f"edit {number}: the old text {found}")
        text = text.replace(edit.old, edit.new, 1)
    return text
