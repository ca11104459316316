"""Which directory is worked in, and that nothing is done in one that is no project."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, strategies as st

from pm_orchestrator.bootstrap.project_modes import ProjectChoice, ProjectMode, resolve
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.project.init_project import (
    check_structure,
    required_files,
    required_folders,
)

NAMES = ("CLAUDE.md", "settings.json", "agents", "rules")


@given(st.sets(st.sampled_from(NAMES)), st.sets(st.sampled_from(NAMES)), st.booleans())
def test_an_incomplete_project_stops_everything(
    present: set[str], wrong_kind: set[str], has_claude: bool
) -> None:
    """R-2 Project Resolution Validation: what is missing is named, and nothing is added."""
    with tempfile.TemporaryDirectory() as folder:
        paths = ProjectPaths(Path(folder))
        if has_claude:
            paths.claude.mkdir()
            for path in required_files(paths):
                if path.name in present:
                    path.write_bytes(b"{}")
            for path in required_folders(paths):
                if path.name in present and path.name in wrong_kind:
                    path.write_bytes(b"")
                elif path.name in present:
                    path.mkdir()
        before = sorted(Path(folder).rglob("*"))
        bad = {"agents", "rules"} & wrong_kind
        missing = [name for name in NAMES if name not in present or name in bad]
        if has_claude and not missing:
            check_structure(paths)
        else:
            with pytest.raises(PmError, match="E103" if has_claude else "E101") as caught:
                check_structure(paths)
            if has_claude:
                assert all(f".claude/{name}" in caught.value.what() for name in missing)
        assert sorted(Path(folder).rglob("*")) == before


@given(
    st.sampled_from(["cwd", "temp", "fixed"]),
    st.sampled_from(["none", "there", "gone", "file", "relative"]),
    st.booleans(),
)
def test_a_fixed_root_is_used_as_it_is_or_not_at_all(
    mode: ProjectMode, root: str, project: bool
) -> None:
    """R-32 Non-Volatile Project Root: never made, never replaced by a temporary one."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder) / "there"
        there.mkdir()
        (Path(folder) / "file").write_bytes(b"")
        roots = {
            "none": None,
            "there": there,
            "gone": Path(folder) / "gone",
            "file": Path(folder) / "file",
            "relative": Path("relative"),
        }
        choice = ProjectChoice(mode=mode, root=roots[root], project=there if project else None)
        contradicts = project and mode != "cwd"
        if contradicts or (mode == "fixed" and root != "there"):
            with pytest.raises(PmError, match=r"E102|E210"):
                resolve(choice)
        else:
            assume(mode != "temp")  # It makes a directory; looked at below.
            resolved = resolve(choice)
            assert resolved.path == (there if project or mode == "fixed" else Path.cwd())
            ignored = root != "none" and mode == "cwd"
            assert resolved.notices == (("root_ignored_cwd",) if ignored else ())
        assert sorted(entry.name for entry in Path(folder).iterdir()) == ["file", "there"]


def test_a_temporary_directory_is_new_and_said_to_be_volatile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-32 Non-Volatile Project Root: temp mode tells that it keeps no promise."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = [resolve(ProjectChoice(mode="temp")) for _ in range(2)]
    assert len({resolved.path for resolved in made}) == 2
    for resolved in made:
        assert resolved.path.parent == tmp_path
        assert resolved.notices == ("temp_is_volatile",)
