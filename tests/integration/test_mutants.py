"""`make mutants` finds what a weak test lets live, and forgets no entry of what is called equal."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = '''"""Planted."""

MOST = 3


def is_long(text: str) -> bool:
    """Nothing here says what happens just at the limit."""
    return len(text) > MOST
'''
WEAK_TEST = """
from pm_orchestrator.gates.limit import is_long


def test_long() -> None:
    assert is_long("much too long")
    assert not is_long("")
"""
EQUAL = """
[[equal]]
module = "gates/limit.py"
was = "MOST = {}"
now = "MOST = 4"
reason = "Planted."
"""


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    product = tmp_path / "src" / "pm_orchestrator"
    (product / "gates").mkdir(parents=True)
    (product / "__init__.py").touch()
    (product / "gates" / "__init__.py").touch()
    (product / "gates" / "limit.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_limit.py").write_text(WEAK_TEST, encoding="utf-8")
    (tmp_path / "scripts" / "mutants").mkdir(parents=True)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    return tmp_path


def mutants(root: Path, equal: str) -> "subprocess.CompletedProcess[str]":
    (root / "scripts" / "mutants" / "equal.toml").write_text(equal, encoding="utf-8")
    # The planted product is gone before its coverage could be shown.
    unmeasured = {name: value for name, value in os.environ.items() if name[:3] != "COV"}
    return subprocess.run(
        [sys.executable, "-m", "scripts.mutants", "gates", "--mutants", "all", "--root", str(root)],
        cwd=ROOT,
        env=unmeasured,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


def test_what_a_weak_test_lets_live_is_named(planted: Path) -> None:
    done = mutants(planted, EQUAL.format(3))

    lived = [line.strip() for line in done.stdout.splitlines() if line.startswith("     +")]
    assert lived == ["+ return len(text) >= MOST"], done.stderr
    assert "gates/limit.py:8 in is_long" in done.stdout
    assert "4 changes, 1 known to be equal, 2 killed, 1 lived: 33.3 %" in done.stdout
    assert done.returncode == 1


def test_an_entry_that_nothing_in_the_code_is_like_is_an_error(planted: Path) -> None:
    done = mutants(planted, EQUAL.format(2))

    assert "nothing in the code is like this any more" in done.stderr
    assert "MOST = 2" in done.stderr
    assert done.returncode == 2
