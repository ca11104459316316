"""What tools are told at home: gates see it as it was before the task."""

import os
from pathlib import Path

import pytest

from pm_orchestrator.adapters.views import home_settings
from pm_orchestrator.adapters.views.home_settings import HomeSettings

SITE = ".local/lib/python3.12/site-packages"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put(tmp_path, ".npmrc", "fund=false\n")
    put(tmp_path, ".config/git/config", "[user]\nname = me\n")
    put(tmp_path, "notes.txt", "mine\n")
    put(tmp_path, "work/.env", "A=1\n")
    put(tmp_path, f"{SITE}/tool.py", "pass\n")
    return tmp_path


def put(home: Path, name: str, text: str) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def around(home: Path, name: str, text: str) -> dict[str, bytes]:
    """What is held of an edit, by path in the home."""
    noted = HomeSettings.of(home, home / "work")
    put(home, name, text)
    before = noted.before(home / "work")
    return {path.relative_to(home).as_posix(): text for path, text in before.items()}


@pytest.mark.parametrize(
    ("name", "was"),
    [
        (".npmrc", b"fund=false\n"),
        (".config/git/config", b"[user]\nname = me\n"),
        (".yarnrc", b""),
        (".config/pip/pip.conf", b""),
        (f"{SITE}/start.pth", b""),
        (f"{SITE}/usercustomize.py", b""),
    ],
)
def test_a_setting_that_was_edited_is_known_as_it_was(home: Path, name: str, was: bytes) -> None:
    assert around(home, name, "otherwise\n") == {name: was}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".npmrc", "fund=false\n"),
        ("notes.txt", "more\n"),
        ("work/.env", "A=2\n"),
        (f"{SITE}/tool.py", "1\n"),
        (".config/app/cache/deep.json", "{}"),
        (".bash_history", "x" * (home_settings.LARGEST + 1)),
    ],
    ids=["as it was", "no setting", "of the project", "imported only", "too deep", "too large"],
)
def test_anything_else_is_not(home: Path, name: str, text: str) -> None:
    assert around(home, name, text) == {}


def test_neither_is_what_is_no_plain_file(home: Path) -> None:
    noted = HomeSettings.of(home, home / "work")
    os.mkfifo(home / ".pipe")
    (home / ".broken").symlink_to("nowhere")
    assert noted.before(home / "work") == {}


def test_a_home_with_more_than_can_be_held_shows_nothing_as_new(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home_settings, "MOST_FILES", 1)
    assert around(home, ".a", "first in the order\n") == {}


def test_a_home_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert HomeSettings.of(tmp_path / "nowhere", tmp_path).files == {}
