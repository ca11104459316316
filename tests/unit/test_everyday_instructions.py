"""Instructions as people type them, and what has to be so when they were carried out.

A row says whether an answer is wanted, a change, or whether the words leave it open; then what
is demanded: `+` a new file, `!` one that has to change, `-` one that has to go, or an effect by
its kind. What is only mentioned is demanded nowhere. A change may be read as open: what happens
decides then. Taken for a question it could be completed by talk.
"""

from pathlib import Path

import pytest

from pm_orchestrator.runner.instructions.requirement import Requirement, names_to_find, understand
from pm_orchestrator.runner.instructions.resolving import KnownFiles, resolve_names

TABLES = sorted(Path(__file__).with_name("instructions").glob("everyday_*.tsv"))
FILES = (
    *("README.md", "CHANGELOG.md", "LICENSE", "Makefile", "package.json", "pyproject.toml"),
    *("setup.cfg", ".eslintrc.json", ".github/workflows/ci.yml", ".env.example", ".gitignore"),
    *("Dockerfile", "main.py", "config.py", "src/app.py", "src/cart.py", "src/auth/login.py"),
    *("src/auth/token.py", "src/api/client.py", "src/utils/dates.js", "src/Button.tsx"),
    *("tests/test_cart.py", "tests/test_login.py", "docs/guide.md", "docs/install.md"),
    *("docs/設計.md", "docs/release notes.md", "議事録.txt", "scripts/deploy.sh", "bin/run"),
    *("scripts/build.sh", "data/users.csv", "templates/index.html", "static/style.css"),
    *("legacy/old.py", "legacy/notes.txt", "releases/v2/a.txt"),
)


def rows(table: Path) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for line in table.read_text("utf-8").splitlines():
        wanted, demanded, instruction = line.split("\t")
        found.append((wanted, demanded, instruction.replace("\\n", "\n")))
    return found


def read(instruction: str) -> Requirement:
    found = understand(instruction, "task-1")
    there = {n for n in names_to_find(found) if any(f == n or f.startswith(f"{n}/") for f in FILES)}
    known = KnownFiles(files=FILES, there=frozenset(there), root="/home/me/mono/pkg")
    return resolve_names(found, known, ())


def demands(found: Requirement) -> list[str]:
    made = {f"+{path}" for path in found.expected_files if path not in FILES}
    changed = {f"{'!' if path in FILES else '+'}{path}" for path in found.files_to_change}
    gone = {f"-{path}" for path in found.files_to_go}
    names = ((e.kind, f"{e.source}>{e.name}" if e.source else e.name) for e in found.effects)
    effects = {f"{kind}:{name}".replace("|", "¦") for kind, name in names}
    return sorted(made | changed | gone | effects)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_what_is_wanted(table: Path) -> None:
    """All rows of a table at once, and each that is read otherwise by name."""
    otherwise: dict[str, tuple[str, list[str]]] = {}
    for wanted, demanded, instruction in rows(table):
        found = read(instruction)
        talk = "answer" if found.wants_answer else "open" if found.unsure else "change"
        kind = talk == wanted or (talk, wanted) == ("open", "change")
        if not kind or demands(found) != [name for name in demanded.split(", ") if name]:
            otherwise[instruction] = talk, demands(found)
    assert otherwise == {}
