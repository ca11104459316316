"""A gate in a copy: its command is turned there, and whatever leads back is noticed."""

from pathlib import Path

import pytest

from pm_orchestrator.gates.compare.base_place import (
    gate_files,
    leads_back,
    turned,
    turned_variables,
)

PROJECT, COPY = Path("/home/u/app"), Path("/tmp/pm-base-x/app")


@pytest.mark.parametrize(
    ("argument", "there"),
    [
        ("/home/u/app/scripts/test.sh", "/tmp/pm-base-x/app/scripts/test.sh"),
        ("--root=/home/u/app", "--root=/tmp/pm-base-x/app"),
        ("cd /home/u/app && make", "cd /tmp/pm-base-x/app && make"),
        ("/home/u/application/run", "/home/u/application/run"),
        ("/mnt/home/u/app/run", "/mnt/home/u/app/run"),
        ("./scripts/test.sh", "./scripts/test.sh"),
        ("/usr/bin/make", "/usr/bin/make"),
    ],
)
def test_a_command_is_turned_to_the_copy(argument: str, there: str) -> None:
    assert turned([argument], PROJECT, COPY) == (there,)


def test_variables_are_turned_too() -> None:
    given = {"PATH": "/home/u/app/bin:/usr/bin", "HOME": "/home/u", "ROOT": "/home/u/app"}
    assert turned_variables(given, PROJECT, COPY) == {
        "PATH": "/tmp/pm-base-x/app/bin:/usr/bin",
        "HOME": "/home/u",
        "ROOT": "/tmp/pm-base-x/app",
    }


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("FAIL /home/u/app/src/a.js", True),
        ("test:\n\tcd /home/u/app && node test.js", True),
        ("at x (/home/u/app/node_modules/jest/index.js:1)", False),
        ("/home/u/app/.venv/lib/python3.11/x.py", False),
        ("FAIL /tmp/pm-base-x/app/src/a.js", False),
        ("/home/u/app2/a.js", False),
    ],
)
def test_what_names_the_project_leads_back(text: str, back: bool) -> None:
    assert leads_back(text, PROJECT) is back


def test_the_files_of_a_gate(tmp_path: Path) -> None:
    for name in ("Makefile", "check.sh", "other.sh"):
        (tmp_path / name).write_text("", encoding="utf-8")
    found = gate_files(["sh", "check.sh", "-v"], "Makefile", tmp_path)
    assert found == [tmp_path / "Makefile", tmp_path / "check.sh"]
