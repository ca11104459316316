"""Permissions come back with the files, also where the content never changed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.rescue_bench import RescueBench

MODES = {"a.txt": 0o600, "b.txt": 0o444, "run.sh": 0o700, "c.txt": 0o644, "d.sh": 0o755}


@pytest.fixture
def bench(tmp_path: Path) -> RescueBench:
    project = GitProject(tmp_path / "project")
    for name, mode in MODES.items():
        project.write(name, f"{name}\n").chmod(mode)
    project.commit("start")
    return RescueBench(project.path, tmp_path / "state")


def chmod_only(root: Path) -> None:
    for name in MODES:
        (root / name).chmod(0o640)


def rewrite(root: Path) -> None:
    for name in MODES:
        (root / name).unlink()
        (root / name).write_text("other\n", encoding="utf-8")


def delete(root: Path) -> None:
    for name in MODES:
        (root / name).unlink()


@pytest.mark.parametrize("harm", [chmod_only, rewrite, delete])
async def test_permissions_come_back(bench: RescueBench, harm: Callable[[Path], None]) -> None:
    before = bench.state()
    assert {name: mode for name, (mode, _) in before.items()} == MODES
    saved = await bench.save()
    harm(bench.project)
    harmed = bench.state()
    assert harmed != before
    current, _ = await bench.undo(saved)
    assert bench.state() == before
    await bench.undo(current, "run_001/task-1.redone")
    assert bench.state() == harmed
