"""The one reader of the environment."""

from pathlib import Path

import pytest

from pm_orchestrator.bootstrap.environment import read_environment


@pytest.mark.parametrize(
    ("variables", "lang"),
    [
        ({}, None),
        ({"LANG": "C.UTF-8"}, None),
        ({"LANG": "POSIX"}, None),
        ({"LC_ALL": "C", "LANG": "ja_JP.UTF-8"}, None),
        ({"LC_ALL": "", "LC_MESSAGES": "ja_JP.eucJP@x", "LANG": "C"}, "ja"),
        ({"LANG": "jam_JM"}, "en"),
        ({"PM_LANG": "ja-JP"}, "ja"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "en_US", "LC_ALL": "ja_JP"}, "ja"),
        ({"LANG": "ja_JP", "PM_LANG": "en"}, "en"),
        ({"PM_LANG": "ja", "LC_ALL": "C"}, "ja"),
    ],
)
def test_the_language(variables: dict[str, str], lang: str | None) -> None:
    assert read_environment(variables).lang == lang


def test_places_and_keys() -> None:
    given = {"HOME": "/h", "PATH": "/bin", "ANTHROPIC_API_KEY": "sk-ant-" + "x" * 30}
    environment = read_environment(given)
    assert environment.state_home == Path("/h/.local/state/pm-orchestrator")
    assert environment.search_path == "/bin"
    assert environment.has_key("anthropic")
    assert environment.keyless == {"HOME": "/h", "PATH": "/bin"}
    elsewhere = read_environment({**given, "XDG_STATE_HOME": "/s"})
    assert elsewhere.state_home == Path("/s/pm-orchestrator")
    assert not read_environment({"ANTHROPIC_API_KEY": ""}).has_key("anthropic")


def test_a_key_is_never_printed() -> None:
    secret = "sk-ant-" + "x" * 30
    environment = read_environment({"ANTHROPIC_API_KEY": secret, "HOME": "/h"})
    assert secret not in repr(environment)
    assert secret not in f"{environment}"
