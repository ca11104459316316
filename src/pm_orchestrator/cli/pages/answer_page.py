"""A stored answer for a person: what it says, bounded, and where all of it is."""

from pathlib import Path

from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.text import Lang

MOST_LINES = 40
MOST_CHARACTERS = 4000
LISTED = 8


def answer_page(path: Path, changes: tuple[FileChange, ...], lang: Lang) -> list[str]:
    """The beginning of the answer; it is already masked where it is stored."""
    # Read no more than can be shown: an answer may be as long as its executor liked.
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(MOST_CHARACTERS)
        rest = sum(1 for _ in file)
    lines = text.splitlines()
    hidden = max(0, len(lines) - MOST_LINES) + rest
    page = [_shown(line) for line in lines[:MOST_LINES]]
    if hidden:
        page.append(say("answer_cut", lang, count=hidden))
    page.append(say("answer_at", lang, path=path))
    if changes:
        files = ", ".join(change.path for change in changes[:LISTED])
        more = " …" if len(changes) > LISTED else ""
        page.append(say("answer_changed", lang, count=len(changes), files=files + more))
    return page


def _shown(line: str) -> str:
    """Without characters that would steer the terminal."""
    return "".join(c for c in line if c.isprintable() or c == "\t")
