"""Each room that is trusted must be covered by itself."""

import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coverage import CoverageData

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "coverage_floors.py"
# The scripts are no package that could be imported.
FLOORS = runpy.run_path(str(SCRIPT))
ROOMS: tuple[str, ...] = FLOORS["ROOMS"]
room_of: Callable[[str], str | None] = FLOORS["room_of"]
shortfalls: Callable[[dict[str, Any]], list[str]] = FLOORS["shortfalls"]
main: Callable[[list[str]], int] = FLOORS["main"]


def report(**rooms: tuple[int, int, int, int]) -> dict[str, Any]:
    """Covered lines, lines, covered branches and branches of one file in each room."""
    names = ("covered_lines", "num_statements", "covered_branches", "num_branches")
    return {
        "files": {
            f"src/pm_orchestrator/{room}/some.py": {"summary": dict(zip(names, n, strict=True))}
            for room, n in rooms.items()
        }
    }


WELL = dict.fromkeys(ROOMS, (100, 100, 95, 100))


def test_enough_everywhere() -> None:
    assert shortfalls(report(**WELL)) == []


@pytest.mark.parametrize("room", ROOMS)
def test_one_room_is_enough_to_fail(room: str) -> None:
    few_branches = {**WELL, room: (1000, 1000, 94, 100)}
    assert shortfalls(report(**few_branches)) == [f"{room}: branches 94.00 % < 95 %"]
    few_lines = {**WELL, room: (90, 100, 100, 100)}
    assert shortfalls(report(**few_lines)) == []
    fewer_lines = {**WELL, room: (89, 100, 100, 100)}
    assert shortfalls(report(**fewer_lines)) == [f"{room}: all 94.50 % < 95 %"]


def test_a_room_nobody_measured_fails() -> None:
    without = {room: n for room, n in WELL.items() if room != "gates"}
    assert shortfalls(report(**without)) == ["gates: not measured"]
    assert len(shortfalls({"files": {}})) == len(ROOMS)


def test_other_rooms_do_not_help() -> None:
    others = {**WELL, "gates": (1, 100, 1, 100), "cli": (10**6, 10**6, 10**6, 10**6)}
    assert [line.split(":")[0] for line in shortfalls(report(**others))] == ["gates", "gates"]
    assert room_of("/elsewhere/pm_orchestrator/gates/a/b.py") == "gates"
    assert room_of("src/pm_orchestrator/__main__.py") is None
    assert room_of("tests/unit/test_x.py") is None


def test_no_data_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "absent")]) == 1
    assert "No coverage in" in capsys.readouterr().err


@pytest.mark.black_box
def test_a_real_measurement_that_saw_too_little_fails(tmp_path: Path) -> None:
    """R-22 Test Coverage: what is tested too little does not pass, room by room.

    The whole command, on data of a run that imported one module and used none of it.
    """
    measured = tmp_path / "data"
    data = CoverageData(str(measured))
    seen = ROOT / "src" / "pm_orchestrator" / "domain" / "tasks" / "phase.py"
    data.add_arcs({str(seen): [(-1, 1)]})
    data.write()
    ran = subprocess.run(
        [sys.executable, SCRIPT, measured], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert re.search(r"^Too little is tested: domain: all \d+\.\d\d % < 95 %$", ran.stderr, re.M)
    assert "Too little is tested: runner: not measured" in ran.stderr


@pytest.mark.black_box
def test_ci_asks_for_it() -> None:
    """R-22 Quality Assurance: nothing is released without its tests and their coverage."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in ("cov", "test-all"):
        rule = re.search(rf"^{target}: (?:static|install) .*\n((?:\t.*\n)+)", makefile, re.M)
        assert rule is not None
        lines = rule.group(1).splitlines()
        assert "--cov" in lines[0]
        assert lines[-1] == "\t@$(FLOORS)"
    assert "make cov" in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert "scripts/coverage_floors.py" in makefile
