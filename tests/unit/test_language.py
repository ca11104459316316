"""In which language people are answered, and what a bare call does."""

import pytest

from pm_orchestrator.cli import program
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.text import (
    Lang,
    Sentence,
    cut_between_words,
    language_of,
    printed,
)
from pm_orchestrator.evidence.masking.masker import Masker


@pytest.mark.parametrize(
    ("instruction", "lang"),
    [
        ("Create README.md", "en"),
        ("README.mdを作成してください", "ja"),
        ("README作成", "ja"),
        ("テスト追加。", "ja"),
        ("Rename 設定.txt to config.txt", "en"),
        ("", "en"),
        ("Füge eine Datei hinzu", "en"),
        ("漢 " * 200_000 + "x", "en"),
    ],
)
def test_the_language_of_an_instruction(instruction: str, lang: Lang) -> None:
    assert language_of(instruction) == lang


def test_the_instruction_decides_only_where_nobody_has_asked() -> None:
    undecided, asked = Screen(None, Masker()), Screen("en", Masker())
    assert undecided.lang == "en"
    for screen in (undecided, asked):
        screen.hear("ログイン画面を作って")
    assert (undecided.lang, asked.lang) == ("ja", "en")
    undecided.hear("Add a test")
    assert undecided.lang == "en"


@pytest.mark.parametrize(
    ("stdin", "stdout", "arguments"),
    [(True, True, ["repl"]), (False, True, []), (True, False, [])],
)
def test_a_bare_call_is_a_conversation_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, stdin: bool, stdout: bool, arguments: list[str]
) -> None:
    called: list[list[str]] = []

    def record(args: list[str], **_: object) -> int:
        called.append(args)
        return 0

    monkeypatch.setattr("sys.stdin.isatty", lambda: stdin)
    monkeypatch.setattr("sys.stdout.isatty", lambda: stdout)
    monkeypatch.setattr(program.program, "main", record)
    assert program.run([]) == 0
    assert called == [arguments]


def test_an_interruption_is_told_in_the_language_of_the_locale(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(**_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setenv("PM_LANG", "ja")
    monkeypatch.setattr(program.program, "main", interrupted)
    assert program.run(["status"]) == 2
    assert capsys.readouterr().err == "中断しました\n"


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("short", 10, "short"),
        ("one two three", 7, "one two"),
        ("one two three", 9, "one two"),
        ("one two three", 8, "one two"),
        ("key sk-ant-api03-AbCdEfGh is it", 20, "key"),
        ("x" * 30, 10, ""),
        ("日本語の文を切る", 4, "日本語の"),
    ],
)
def test_a_cut_leaves_no_half_of_a_key(text: str, most: int, kept: str) -> None:
    assert cut_between_words(text, most) == kept


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("README.md", "README.md"),
        ("a\x1b[2Jb\nc", "a?[2Jb?c"),
        ("あ" * 80, "あ" * 80),
        ("x" * 81, "x" * 80 + "…"),
    ],
)
def test_what_is_repeated_cannot_steer_a_terminal(text: str, shown: str) -> None:
    assert printed(text) == shown


@pytest.mark.parametrize("count", [0, 1, "1", 2, "11"])
def test_a_word_is_said_as_often_as_there_is_of_it(count: object) -> None:
    sentence = Sentence("{count} {count|file|files} of {of}", "{of} のうち {count} 件")
    word = "file" if str(count) == "1" else "files"
    assert sentence.say("en", count=count, of="{count|a|b}") == f"{count} {word} of {{count|a|b}}"
    assert sentence.say("ja", count=count, of="x") == f"x のうち {count} 件"
    # What stands between bars otherwise is left as it is.
    assert Sentence("a [b] | c {of}", "x").say("en", of=1) == "a [b] | c 1"
