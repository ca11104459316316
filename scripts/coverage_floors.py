"""Fails when a room whose word others trust is not covered well enough by the tests.

The total that pytest-cov checks would let a badly tested room hide behind the others.
Both figures of a room must reach the floor: lines with branches, and branches alone.

Usage: coverage_floors.py [DATA_FILE]
"""

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coverage import Coverage, CoverageException

FLOOR = 95.0
ROOMS = ("domain", "evidence", "gates", "runner")
ROOT = Path(__file__).parents[1]
Counts = tuple[int, int]
"""Covered, and all there are."""


def room_of(path: str) -> str | None:
    """The room a file belongs to, wherever the checkout is."""
    parts = Path(path).parts
    if "pm_orchestrator" not in parts:
        return None
    inside = parts[parts.index("pm_orchestrator") + 1 :]
    return inside[0] if len(inside) > 1 else None


def counts(report: Mapping[str, Any]) -> dict[str, dict[str, Counts]]:
    """For each room its lines with branches and its branches, out of coverage's JSON report."""
    found: dict[str, dict[str, Counts]] = {}
    for path, file in report["files"].items():
        room, summary = room_of(path), file["summary"]
        if room not in ROOMS:
            continue
        branches = (summary["covered_branches"], summary["num_branches"])
        lines = (summary["covered_lines"], summary["num_statements"])
        sums = found.setdefault(room, {"all": (0, 0), "branches": (0, 0)})
        sums["branches"] = _add(sums["branches"], branches)
        sums["all"] = _add(_add(sums["all"], branches), lines)
    return found


def shortfalls(report: Mapping[str, Any]) -> list[str]:
    """What is below the floor, one sentence each; a room nobody measured is."""
    found = counts(report)
    short: list[str] = []
    for room in ROOMS:
        if room not in found:
            short.append(f"{room}: not measured")
            continue
        for name, pair in found[room].items():
            if percent(pair) < FLOOR:
                short.append(f"{room}: {name} {percent(pair):.2f} % < {FLOOR:g} %")
    return short


def percent(pair: Counts) -> float:
    """How much is covered; of nothing, nothing."""
    covered, everything = pair
    return 100.0 * covered / everything if everything else 0.0


def _add(one: Counts, other: Counts) -> Counts:
    return one[0] + other[0], one[1] + other[1]


def read_report(data_file: Path) -> Mapping[str, Any]:
    """Coverage's JSON report of what a data file holds.

    Raises:
        CoverageException: there is nothing in it.
    """
    measured = Coverage(data_file=str(data_file), config_file=str(ROOT / "pyproject.toml"))
    measured.load()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.json"
        measured.json_report(outfile=str(page))
        return json.loads(page.read_text("utf-8"))


def main(arguments: list[str]) -> int:
    """Print every room's figures; 1 when one of them is too low."""
    data_file = Path(arguments[0]) if arguments else ROOT / ".coverage"
    try:
        report = read_report(data_file)
    except CoverageException as error:
        print(f"No coverage in {data_file}: {error}", file=sys.stderr)
        return 1
    for room, sums in sorted(counts(report).items()):
        figures = ", ".join(f"{name} {percent(pair):.2f} %" for name, pair in sums.items())
        print(f"coverage of {room}: {figures}")
    short = shortfalls(report)
    for line in short:
        print(f"Too little is tested: {line}", file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
