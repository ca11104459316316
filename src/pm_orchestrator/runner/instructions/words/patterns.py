"""Long alternations of words, written over several lines."""

import re

from pm_orchestrator.domain.late_pattern import LatePattern

PART = re.compile(r"<([A-Z_]+)>")


def pattern(text: str, *, needs: str = "", **parts: str) -> LatePattern:
    r"""`text` without its line breaks as a pattern; `<NAME>` stands for the part of that name.

    ASCII rules for `\b` and `\w`: a Latin word ends where Japanese begins.
    """
    return LatePattern(joined(text, **parts), re.IGNORECASE | re.ASCII, needs=needs)


def joined(text: str, **parts: str) -> str:
    """The text of a pattern, or of a part of one."""
    # Every start of the program joins a hundred of them.
    first, *others = text.split("\n")
    if others:
        whole = first.rstrip() + "".join(map(str.strip, others[:-1])) + others[-1].lstrip()
    else:
        whole = first
    return PART.sub(lambda found: f"(?:{parts[found.group(1)]})", whole) if parts else whole
