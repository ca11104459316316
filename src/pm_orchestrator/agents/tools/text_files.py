r"""Files as a model sees them: text, whatever their bytes and names are.

Whatever is read here can be written back byte by byte. A file that is no UTF-8 is read
as what it surely is, or else as Latin-1, in which every byte is a character: an edit touches
nothing but what it names. A name that is no UTF-8 is shown with `\xe9` for each byte that
does not fit, and understood in the same way.
"""

import re
from typing import Literal

import msgspec

UTF8, LATIN1 = "utf-8", "latin-1"
MARKED = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
"""Encodings that say what they are; the mark stays part of the text."""
JAPANESE = ("euc_jp", "cp932")
KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
"""Hardly a Japanese text is without them, and no Latin text has them in either encoding."""
LONGEST_LINE = 2_000
"""Characters shown of one."""
LONGEST_PART = 48_000
"""Characters shown at once."""

_ESCAPE = re.compile(r"\\x([0-9a-f]{2})")

Ending = Literal["\n", "\r\n", "mixed"]


class UnwritableTextError(ValueError):
    """A text that its file cannot hold; news for the model."""


class UnshownTextError(ValueError):
    """A file that is no text, or a part that it has not; news for the model."""


class FileText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a file, and how it is written."""

    text: str
    encoding: str

    @property
    def ending(self) -> Ending:
        """How its lines end; a single kind is kept by every edit."""
        returns = self.text.count("\r\n")
        if not returns:
            return "\n"
        return "\r\n" if returns == self.text.count("\n") else "mixed"

    @property
    def lines(self) -> str:
        """The text with plain line ends, where all of them are of one kind."""
        return self.text.replace("\r\n", "\n") if self.ending == "\r\n" else self.text

    def with_lines(self, lines: str) -> str:
        """The text of this file whose lines are these."""
        if self.ending != "\r\n":
            return lines
        return lines.replace("\r\n", "\n").replace("\n", "\r\n")


def read_text(data: bytes) -> FileText:
    """The text of these bytes; there always is one."""
    marked = MARKED.get(data[:2])
    for encoding in (UTF8, *((marked,) if marked else ()), *JAPANESE):
        text = _decoded(data, encoding)
        if text is not None:
            return FileText(text=text, encoding=encoding)
    return FileText(text=data.decode(LATIN1), encoding=LATIN1)


def _decoded(data: bytes, encoding: str) -> str | None:
    """The text, if these bytes are sure to be written like this and come out the same again."""
    try:
        text = data.decode(encoding)
        same = text.encode(encoding) == data
    except UnicodeError:
        return None
    return text if same and (encoding not in JAPANESE or KANA.search(text)) else None


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


def numbered_lines(data: bytes, first: int, count: int) -> str:
    """Some lines of a file with their numbers, and what a reader must know of the rest.

    Raises:
        UnshownTextError: it is no text, or has no such line.
    """
    file = read_text(data)
    if "\0" in file.text:
        raise UnshownTextError(
            f"it is no text ({len(data)} bytes); look at it with run_command: file, xxd, strings"
        )
    lines = file.lines.split("\n")
    ends = lines[-1] == ""
    lines = lines[:-1] if ends else lines
    if not lines:
        return "(the file is empty)"
    if first > len(lines):
        raise UnshownTextError(f"it has {len(lines)} lines; there is no line {first}")
    shown: list[str] = []
    room = LONGEST_PART
    for number, line in enumerate(lines[first - 1 : first - 1 + count], start=first):
        shown.append(f"{number:>6}\t{_cut(line)}")
        room -= len(shown[-1])
        if room <= 0:
            break
    last = first - 1 + len(shown)
    notes = [f"{file.encoding}"] if file.encoding != UTF8 else []
    notes += {"\n": [], "\r\n": ["lines end with CRLF"], "mixed": ["some lines end with CRLF"]}[
        file.ending
    ]
    if last < len(lines):
        notes.append(f"lines {first} to {last} of {len(lines)}; go on with start_line={last + 1}")
    elif not ends:
        notes.append("no newline at the end")
    return "\n".join((*shown, *(f"[{note}]" for note in notes)))


def _cut(line: str) -> str:
    more = len(line) - LONGEST_LINE
    return line if more <= 0 else f"{line[:LONGEST_LINE]}… [{more} more characters in this line]"


def shown_name(name: str) -> str:
    """A file's name as a model can say it again; `path_of` leads back."""
    # A backslash that would look like an escape becomes one.
    plain = re.sub(r"\\(?=x[0-9a-f]{2})", r"\\x5c", name)
    plain = plain.replace("\n", r"\x0a").replace("\r", r"\x0d")
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
