"""Values that an instruction states: those that are demanded, and those only spoken of."""

import pytest

from pm_orchestrator.domain.judging.value_change import ValueChange
from pm_orchestrator.runner.instructions.stated.value_changes import value_changes


def change(
    old: str, new: str, *files: str, reach: str = "somewhere", key: bool = False
) -> tuple[str, str, tuple[str, ...], str, bool]:
    return old, new, files, reach, key


def read(found: ValueChange) -> tuple[str, str, tuple[str, ...], str, bool]:
    return found.old, found.new, found.files, found.reach, found.old_may_be_a_key


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("Set timeout to 60 in config.yaml", change("", "60", "config.yaml")),
        ("In config.yaml, set retries to 5", change("", "5", "config.yaml")),
        ("In config.yaml set retries to 5", change("", "5", "config.yaml")),
        ("Please bump ruff to v0.6.0 in .pre-commit-config.yaml",
         change("", "v0.6.0", ".pre-commit-config.yaml")),
        ("Set the limit to 10,000.", change("", "10000")),
        ("config.yaml: timeout 30 → 45, retries stay as they are",
         change("30", "45", "config.yaml")),
        ("bump timeout 30 -> 45 in config.yaml", change("30", "45", "config.yaml")),
        ("timeout: 30 => 45 in config.yaml", change("30", "45", "config.yaml")),
        ("config.yaml の timeout: 30 → 45", change("30", "45", "config.yaml")),
        ("Change `timeout` to 60 in config.toml", change("", "60", "config.toml")),
        ("Change `level` to `debug` in 'config.toml'",
         change("level", "debug", "config.toml", key=True)),
        ("Change 'Install' in README.md to 'Set up'",
         change("Install", "Set up", "README.md", key=True)),
        ("Change the port in config.json from 8080 to 9090 and mention it in README.md",
         change("8080", "9090", "config.json")),
        ("Change the link to config.yaml from 'a' to 'b'", change("a", "b")),
        ('Replace all occurrences of "foo" with "bar" in README.md and docs/guide.md',
         change("foo", "bar", "README.md", "docs/guide.md", reach="everywhere")),
        ("Replace every `foo` with `bar`", change("foo", "bar", reach="everywhere")),
        ("Replace 'foo' by 'bar' everywhere in the docs", change("foo", "bar", reach="documents")),
        ("Replace all 'foo' with 'bar' in the error messages", change("foo", "bar")),
        ("Replace 'foo' with 'bar'", change("foo", "bar")),
        ("timeoutを６０に設定して", change("", "60")),
        ("config.json の port を 8080 から 9090 に変更してください",
         change("8080", "9090", "config.json")),
        ("a.md を直して、config.json の port を 8080 から 9090 に変更して",
         change("8080", "9090", "config.json")),
        ("config.tomlへのリンクを「a」から「b」に変更して", change("a", "b")),
        ("config.tomlの「level」を「debug」に変更して",
         change("level", "debug", "config.toml", key=True)),
        ("config.tomlの「level」を3にして", change("", "3", "config.toml")),
        ("文書の中の「Copy」をすべて「Unpack」に置き換えてください",
         change("Copy", "Unpack", reach="documents")),
        ("READMEの「旧名」を全て「新名」に置き換えて",
         change("旧名", "新名", "README", reach="everywhere")),
        ("エラー文の「foo」をすべて「bar」に置き換えて", change("foo", "bar")),
        ("「foo」を「bar」に置換してください", change("foo", "bar")),
    ],
)  # fmt: skip
def test_what_is_stated(
    instruction: str, expected: tuple[str, str, tuple[str, ...], str, bool]
) -> None:
    assert [read(found) for found in value_changes(instruction)] == [expected]


@pytest.mark.parametrize(
    "instruction",
    [
        "Set the timeout in config.yaml to one minute",
        "Set the timeout to 60 seconds in config.yaml",
        "Reduce the minimum coverage to 60%",
        "Set the date to 2024-01-01",
        "If the port is 8080, change it from 8080 to 9090",
        "Set the status to 'failed' when the job crashes",
        "Don't change the port from 8080 to 9090",
        "Explain how to change the port from 8080 to 9090",
        "Add an option to set the timeout to 60",
        "Change the commit message to 'Fix the parser'",
        "Make it configurable, for example set the timeout to 60",
        "Write a script that can stop it and set the port to 60",
        "Change the text from 'see a.md' to 'see b.md'",
        "Change config.yaml to 60",
        "Set up the project to 'strict'",
        "Fix the crash:\n```\nset timeout to 60\n```",
        "Fix this in 'a.py' and leave 'set x to 60' as it is",
        "timeoutを60秒に設定して",
        "8080を9090に変更しないでください",
        "portを8080から9090に変更した場合の影響を調べて",
        "コミットメッセージを「修正」に変更して",
        "例えばtimeoutを60にして",
    ],
)
def test_what_may_be_meant_otherwise(instruction: str) -> None:
    assert value_changes(instruction) == ()


def test_it_is_named_in_a_few_words() -> None:
    assert ValueChange(old="1", new="2", files=("a.yaml", "b")).say() == "a.yaml, b: 1 → 2"
    assert ValueChange(new="2").say() == "→ 2"


def test_the_verb_may_be_said_once_for_several() -> None:
    found = value_changes("In config.yaml set the timeout to 45 and the retries to 5")
    assert [value.new for value in found] == ["45", "5"]
    apart = value_changes("Set the timeout to 45 and talk to 5 people")
    assert [value.new for value in apart] == ["45"]
    assert value_changes("Explain the timeout and the way to 5") == ()
