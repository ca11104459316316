"""`--help` in the language of the person: click lays it out, the catalogue has the words."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import click
from typing_extensions import override

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.domain.text import Lang

LANGUAGES: tuple[Lang, ...] = ("en", "ja")
OPTION = "--lang"
LANGUAGE_HELP = "Language of the texts."

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
        from pm_orchestrator.cli.spoken_formatter import SpokenFormatter

        return SpokenFormatter(lang, self.terminal_width, self.max_content_width)
