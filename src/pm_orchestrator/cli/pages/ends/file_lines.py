"""Changed files for a person: one line each, with how many lines came and went."""

from collections.abc import Sequence

from pm_orchestrator.cli.terminal.text_table import display_width, padded
from pm_orchestrator.cli.terminal.text_width import plain_line
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.judging.line_changes import ChangedLines, lines_in_all
from pm_orchestrator.domain.text import Lang

LINK = "120000"
LONGEST_NAME = 60
"""Cells; behind a longer name the counts do not line up, and nothing is cut."""


def files_heading(files: tuple[ChangedLines, ...], more: int, lang: Lang) -> str:
    """How many files and lines; `more` are files that nobody has counted."""
    added, removed = lines_in_all(files)
    count = len(files) + more
    return tell("end_files", lang, count=count, added=added, removed=removed)


def file_lines(files: Sequence[ChangedLines], lang: Lang) -> list[str]:
    """The files in their order."""
    words = [tell(f"file_{file.kind}", lang) for file in files]
    names = [_name(file) for file in files]
    word_width = max(map(display_width, words), default=0)
    width = min(max(map(display_width, names), default=0), LONGEST_NAME)
    return [
        f"{padded(word, word_width)}  {padded(name, width)}  {_how(file, lang)}".rstrip()
        for word, name, file in zip(words, names, files, strict=True)
    ]


def _name(file: ChangedLines) -> str:
    name = plain_line(file.path)
    return f"{plain_line(file.previous_path)} -> {name}" if file.previous_path else name


def _how(file: ChangedLines, lang: Lang) -> str:
    parts: list[str] = []
    if file.contents != "text":
        parts.append(tell(f"file_{file.contents}", lang))
    elif file.added or file.removed:
        parts.append(" ".join(_counts(file)))
    if file.mode_changed:
        modes = {"before": file.mode_before, "after": file.mode_after}
        parts.append(tell("file_mode", lang, **modes))
    elif LINK in (file.mode_before, file.mode_after):
        parts.append(tell("file_link", lang))
    return ", ".join(parts)


def _counts(file: ChangedLines) -> list[str]:
    counts: list[str] = []
    if file.added:
        counts.append(f"+{file.added}")
    if file.removed:
        counts.append(f"-{file.removed}")
    return counts
