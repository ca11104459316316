"""What is there already is adopted: ours is added, theirs stays as written."""

import json
from pathlib import Path

import pytest

from pm_orchestrator.bootstrap.config import load_settings, parse_settings
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.project.init_project import REQUIRED, lacks_our_parts, with_our_blocks


def claude(root: Path, settings: str | None) -> Path:
    """A project of Claude Code's."""
    folder = root / ".claude"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("# Theirs\n", encoding="utf-8")
    if settings is not None:
        (folder / "settings.json").write_text(settings, encoding="utf-8")
    return folder


@pytest.mark.parametrize("theirs", ["{}", '{\n  "model": "opus"\n}', '{"model": "opus"}\n\n'])
async def test_our_blocks_are_added_to_their_settings(tmp_path: Path, theirs: str) -> None:
    folder = claude(tmp_path, theirs)
    made = await init_at(tmp_path, adopt=True)
    assert folder / "settings.json" in made
    assert (folder / "CLAUDE.md").read_text(encoding="utf-8") == "# Theirs\n"
    kept = json.loads((folder / "settings.json").read_bytes())
    assert {name: kept.get(name) for name in json.loads(theirs)} == json.loads(theirs)
    assert load_settings(ProjectPaths(tmp_path)).task_limits.files == 20


async def test_a_whole_project_stays_as_it_is(tmp_path: Path) -> None:
    await init_at(tmp_path, adopt=False)
    settings = tmp_path / ".claude" / "settings.json"
    before = settings.read_bytes()
    assert await init_at(tmp_path, adopt=True) == []
    assert settings.read_bytes() == before


@pytest.mark.parametrize(
    ("theirs", "code"),
    [("{", "E105"), ("[]", "E104"), ('{"tasklimits": {}}', "E104"), ('{"task_limits": 3}', "E104")],
)
async def test_settings_that_are_not_sound_are_left_alone(
    tmp_path: Path, theirs: str, code: str
) -> None:
    folder = claude(tmp_path, theirs)
    with pytest.raises(PmError) as refused:
        await init_at(tmp_path, adopt=True)
    assert refused.value.code == code
    assert (folder / "settings.json").read_text(encoding="utf-8") == theirs
    assert not (folder / "agents").exists()


async def test_nothing_is_adopted_unasked(tmp_path: Path) -> None:
    claude(tmp_path, None)
    with pytest.raises(PmError) as refused:
        await init_at(tmp_path, adopt=False)
    assert refused.value.slug == "already_initialised"


@pytest.mark.parametrize("theirs", ["{}", '{\n\t"theirs": 1\n}\n', '{"theirs": {}}\n\n'])
def test_what_is_added_stands_below_theirs_as_people_write_it(theirs: str) -> None:
    whole = with_our_blocks(theirs.encode(), Path("settings.json"), parse_settings).decode()
    head = theirs.rstrip()[:-1].rstrip()
    assert whole.startswith(head)
    comma = "" if head == "{" else ","
    assert whole.removeprefix(head).startswith(f'{comma}\n  "task_limits": {{\n    "')
    assert whole.endswith("\n  }\n}\n")
    assert list(json.loads(whole)) == [*json.loads(theirs), *REQUIRED]


@pytest.mark.parametrize(
    ("settings", "lacks"),
    [
        (None, True),
        ("{}", True),
        ('{"theirs": 1}', True),
        ("whole", False),
        # What cannot be read is said by whoever opens it.
        ("{", False),
        ("[]", False),
        ("a directory", False),
    ],
)
async def test_whether_what_is_ours_is_still_to_be_added(
    tmp_path: Path, settings: str | None, *, lacks: bool
) -> None:
    paths = ProjectPaths(tmp_path)
    assert not lacks_our_parts(paths), "there is nothing of anybody"
    await init_at(tmp_path, adopt=False)
    if settings != "whole":
        paths.settings.unlink()
    if settings == "a directory":
        paths.settings.mkdir()
    elif settings not in {None, "whole"}:
        paths.settings.write_text(settings or "", encoding="utf-8")
    assert lacks_our_parts(paths) is lacks
