"""`--help` of every command, in both languages and on terminals of 80 and 120 columns."""

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from pm_orchestrator.cli.program import COMMANDS, program
from pm_orchestrator.cli.terminal.text_table import display_width
from pm_orchestrator.testing.programs.called_program import Program

JAPANESE = re.compile(r"[ぁ-んァ-ヶ一-龠]")
ENGLISH = re.compile(r"[A-Za-z]{2,},? [a-z]{2,} [a-z]{2,}")
"""Three words in a row; a command to type has two at most."""
ALONE = re.compile(r" +--?[a-z]\S*(?: / --\S+)?(?: [\w\[\]|-]+)?")
WIDTHS = (80, 120)


def paths(command: click.Command, *above: str) -> Iterator[tuple[str, ...]]:
    yield above
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from paths(below, *above, name)


PATHS = list(paths(program))


def helped(path: tuple[str, ...], lang: str, width: int = 80) -> str:
    ran = CliRunner().invoke(program, [*path, "--help"], obj=lang, terminal_width=width)
    assert ran.exit_code == 0, ran.output
    return ran.output


def test_every_command_is_walked() -> None:
    assert len(PATHS) > len(COMMANDS)
    assert ("evidence", "verify") in PATHS


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_text_is_japanese(path: tuple[str, ...]) -> None:
    page = helped(path, "ja", 400)
    usage, *texts = [line for line in page.split("\n") if line.strip()]
    assert usage.startswith("使い方:")
    assert "オプション:" in texts
    for line in texts:
        # An option that fills its column has its text on the next line.
        if not line.endswith(":") and not ALONE.fullmatch(line):
            assert JAPANESE.search(line), line
        assert not ENGLISH.search(re.sub(r"`[^`]*`", "", line)), line
    assert "[default:" not in page


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_english_stays_english(path: tuple[str, ...]) -> None:
    page = helped(path, "en")
    assert page.startswith("Usage:")
    assert not JAPANESE.search(page)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_it_fits_the_terminal(path: tuple[str, ...], lang: str, width: int) -> None:
    page = helped(path, lang, width)
    assert max(map(display_width, page.split("\n"))) <= width
    assert not any(line.lstrip().startswith(("。", "、", ")", "」")) for line in page.split("\n"))


def test_the_language_is_asked_for_anywhere(program: Program) -> None:
    for words in (
        ("--lang", "ja", "run", "--help"),
        ("run", "--help", "--lang", "ja"),
        ("run", "--lang=ja", "-h"),
        ("evidence", "--help", "--lang", "ja"),
    ):
        assert program(*words).out.startswith("使い方: "), words
    assert program("run", "--help", env={"PM_LANG": "ja"}).out.startswith("使い方: ")
    assert program("run", "--help", "--lang", "en", env={"PM_LANG": "ja"}).out.startswith("Usage: ")
    # The same word before a command is for the command too.
    assert "プロジェクト" in program("--lang", "ja", "doctor", "--project", "/").out
