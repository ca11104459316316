r"""Files as a model sees them: text, whatever their bytes and names are.

Whatever is read here can be written back byte by byte. A file that is no UTF-8 is read
as Latin-1, in which every byte is a character, so an edit touches nothing but what it
names. A name that is no UTF-8 is shown with `\xe9` for each byte that does not fit, and
understood in the same way.
"""

import re

import msgspec

from pm_orchestrator.domain.record import Record

UTF8, LATIN1 = "utf-8", "latin-1"

_ESCAPE = re.compile(r"\\x([0-9a-f]{2})")


class UnwritableTextError(ValueError):
    """A text that its file cannot hold; news for the model."""


class FileText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a file, and how it is written."""

    text: str
    encoding: str


def read_text(data: bytes) -> FileText:
    """The text of these bytes; there always is one."""
    try:
        return FileText(text=data.decode(UTF8), encoding=UTF8)
    except UnicodeDecodeError:
        return FileText(text=data.decode(LATIN1), encoding=LATIN1)


def write_text(text: str, encoding: str = UTF8) -> bytes:
    """The bytes of a text.

    Raises:
        UnwritableTextError: it has characters that the encoding has not.
    """
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise UnwritableTextError(
            f"the file is {encoding} and has no {character!a} ({error.start} characters into "
            "the new text); use other characters, or convert the file first"
        ) from None


def shown_name(name: str) -> str:
    """A file's name as a model can say it again; `path_of` leads back."""
    # A backslash that would look like an escape becomes one.
    plain = re.sub(r"\\(?=x[0-9a-f]{2})", r"\\x5c", name)
    return plain.encode(UTF8, "surrogateescape").decode(UTF8, "backslashreplace")


def path_of(shown: str) -> str:
    """The path that a model means."""
    raw = _ESCAPE.sub(lambda found: chr(0xDC00 + int(found[1], 16)), shown)
    # Bytes below 0x80 are characters, not surrogates.
    plain = re.sub("[\udc00-\udc7f]", lambda found: chr(ord(found[0]) - 0xDC00), raw)
    return plain.encode(UTF8, "surrogateescape").decode(UTF8, "surrogateescape")


def sayable(text: str) -> str:
    """The same with everything escaped that JSON cannot carry."""
    return text.encode(UTF8, "backslashreplace").decode(UTF8)


# Editing a text by naming the old part and the new part.
#
# An edit that does not fit exactly once is refused: guessing which of two places
# was meant is how files get damaged quietly.
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
