"""No file grows past what a person reads in one go."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_LINES = 400


def over_budget(root: Path) -> list[str]:
    """Name every Python file of `root` that is too long, with its length."""
    lengths = {
        path.relative_to(root): len(path.read_text("utf-8").splitlines())
        for folder in ("src", "tests", "scripts")
        for path in sorted((root / folder).rglob("*.py"))
    }
    return [f"{path}: {lines} lines" for path, lines in lengths.items() if lines > MOST_LINES]


def test_no_file_is_over_the_budget() -> None:
    assert over_budget(ROOT) == []


@pytest.mark.parametrize(("lines", "found"), [(400, []), (401, ["src/long.py: 401 lines"])])
def test_a_file_over_the_budget_is_named(tmp_path: Path, lines: int, found: list[str]) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "long.py").write_text("x = 1\n" * lines, "utf-8")
    assert over_budget(tmp_path) == found
