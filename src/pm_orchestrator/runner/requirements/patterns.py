"""Long alternations of words, written over several lines."""

import re

LINE_BREAK = re.compile(r"\s*\n\s*")
PART = re.compile(r"<([A-Z_]+)>")


def pattern(text: str, **parts: str) -> re.Pattern[str]:
    r"""Compile `text` without its line breaks; `<NAME>` stands for the part of that name.

    ASCII rules for `\b` and `\w`: a Latin word ends where Japanese begins.
    """
    return re.compile(joined(text, **parts), re.IGNORECASE | re.ASCII)


def joined(text: str, **parts: str) -> str:
    """The text of a pattern, or of a part of one."""
    whole = LINE_BREAK.sub("", text)
    return PART.sub(lambda found: f"(?:{parts[found.group(1)]})", whole)
