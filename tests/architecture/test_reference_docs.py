"""The pages say what the code says, and name only commands that exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pm_orchestrator.cli.program import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def reference(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "reference.py", *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_pages_are_up_to_date() -> None:
    run = reference("--check")
    assert run.returncode == 0, run.stderr


def test_a_stale_page_is_found_and_written_anew(tmp_path: Path) -> None:
    page = tmp_path / "errors.md"
    page.write_text("| E101 | something else |\n", "utf-8")
    assert reference("--check", "--into", str(tmp_path)).returncode == 1
    assert reference("--into", str(tmp_path)).returncode == 0
    assert reference("--check", "--into", str(tmp_path)).returncode == 0
    assert "| E101 | `no_claude_dir` |" in page.read_text("utf-8")


def commands_in(page: str) -> set[str]:
    """The commands a reader of `page` is told to type."""
    return set(re.findall(r"`pm-orchestrator ([a-z][a-z-]*)", page))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_commands_that_exist(page: Path) -> None:
    assert commands_in(page.read_text("utf-8")) - set(COMMANDS) == set()


def test_commands_are_found_in_a_page() -> None:
    page = "run `pm-orchestrator init --adopt`, then `pm-orchestrator evidence verify`"
    assert commands_in(page) == {"init", "evidence"}
