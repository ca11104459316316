"""Help laid out in the other language."""

from collections.abc import Iterable

import click
from typing_extensions import override

from pm_orchestrator.cli.terminal.text_table import display_width, padded
from pm_orchestrator.cli.terminal.text_width import wrapped
from pm_orchestrator.domain.catalogue.help_texts import help_in
from pm_orchestrator.domain.text import Lang

EXTRA = "  ["
"""How click sets off what it knows of an option by itself."""


class SpokenFormatter(click.HelpFormatter):
    """Puts what click lays out into another language, in lines as wide as a terminal has them."""

    def __init__(self, lang: Lang, width: int | None, max_width: int | None) -> None:
        super().__init__(width=width, max_width=max_width)
        self._lang: Lang = lang

    @override
    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or f"{help_in(self._lang, 'Usage:')} ")

    @override
    def write_heading(self, heading: str) -> None:
        super().write_heading(help_in(self._lang, heading))

    @override
    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
        said = (wrapped(help_in(self._lang, part), self.width - len(indent)) for part in paragraphs)
        self.write("\n\n".join("\n".join(indent + line for line in lines) for lines in said))
        self.write("\n")

    @override
    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        listed = [(first, self._said(second)) for first, second in rows]
        most = max(display_width(first) for first, _ in listed)
        column = min(most, col_max) + col_spacing
        indent = " " * self.current_indent
        for first, second in listed:
            lines = wrapped(second, max(self.width - column - len(indent), 10))
            if display_width(first) + col_spacing > column:
                self.write(f"{indent}{first}\n")
            else:
                self.write(f"{indent}{padded(first, column)}{lines.pop(0)}\n")
            for line in lines:
                self.write(f"{indent}{' ' * column}{line}\n")

    def _said(self, text: str) -> str:
        words, bracket, extra = text.rpartition(EXTRA)
        if not bracket:
            return help_in(self._lang, text)
        name, colon, value = extra.partition(": ")
        return f"{help_in(self._lang, words)}{EXTRA}{help_in(self._lang, name)}{colon}{value}"
