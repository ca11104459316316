"""`--help` in the language of the person: click lays it out, the catalogue has the words."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import click
from typing_extensions import override

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.cli.terminal.text_table import display_width, padded
from pm_orchestrator.cli.terminal.text_width import wrapped
from pm_orchestrator.domain.catalogue.help_texts import help_in
from pm_orchestrator.domain.text import Lang

LANGUAGES: tuple[Lang, ...] = ("en", "ja")
OPTION = "--lang"
LANGUAGE_HELP = "Language of the texts."
EXTRA = "  ["
"""How click sets off what it knows of an option by itself."""

F = TypeVar("F", bound=Callable[..., Any])


def asked_language(arguments: Sequence[str]) -> Lang | None:
    """What `--lang` says, wherever it stands: `--help` is answered before it would be read."""
    words = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    said = [after for word, after in pairwise(words) if word == OPTION]
    said += [word.partition("=")[2] for word in words if word.startswith(f"{OPTION}=")]
    return next((lang for lang in LANGUAGES if lang in said), None)


def language_option(function: F) -> F:
    """`--lang` of a group, for the sake of its help; its commands read it themselves."""
    chosen = click.Choice(LANGUAGES)
    return click.option(OPTION, type=chosen, expose_value=False, help=LANGUAGE_HELP)(function)


def in_both_languages(command: click.Command) -> click.Command:
    """The command, and all below it, with help in both languages."""
    command.context_class = SpokenContext
    if isinstance(command, click.Group):
        for below in command.commands.values():
            in_both_languages(below)
    return command


class SpokenContext(click.Context):
    """Knows the language: `obj` of the outermost context is what was asked for."""

    @override
    def make_formatter(self) -> click.HelpFormatter:
        asked: Lang | None = self.obj
        lang = asked or read_environment().lang or "en"
        if lang == "en":
            return super().make_formatter()
        return SpokenFormatter(lang, self.terminal_width, self.max_content_width)


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
