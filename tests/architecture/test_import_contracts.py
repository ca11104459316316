"""Each import contract catches the violation it exists for.

A contract that matches nothing passes for ever. So the package is copied, one
forbidden import is planted, and the contract that should break must break.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = "pm_orchestrator"
Files = dict[str, str]

# The one door for child processes; several families go through it.
SHARED_BY_FAMILIES = {"processes", "reporters"}

PLANTED: dict[str, tuple[str, Files]] = {
    "runner-names-an-adapter": (
        "Only bootstrap names a technology",
        {"runner/planted.py": "import pm_orchestrator.adapters.system_clock"},
    ),
    "domain-knows-a-port": (
        "The layers point downwards",
        {"domain/planted.py": "import pm_orchestrator.ports.clock"},
    ),
    "worker-imports-manager": (
        "Agents speak over the bus, not by import",
        {"agents/worker.py": "import pm_orchestrator.agents.manager"},
    ),
    "gate-starts-a-process": (
        "The core does no I/O of its own",
        {"gates/planted.py": "import subprocess"},
    ),
    "cli-imports-web": (
        "The layers point downwards",
        {"web/__init__.py": "", "cli/planted.py": "import pm_orchestrator.web"},
    ),
    "bootstrap-uses-a-fake": (
        "Production never imports a fake",
        {"bootstrap/planted.py": "import pm_orchestrator.testing.memory.fake_clock"},
    ),
    "queue-knows-a-store": (
        "Adapter families do not know each other",
        {"adapters/queues/planted.py": "import pm_orchestrator.adapters.stores"},
    ),
    "a-room-nobody-planned": (
        "The layers point downwards",
        {"utils/__init__.py": ""},
    ),
    "two-modules-in-a-circle": (
        "No cycles at any depth",
        {
            "domain/here.py": "import pm_orchestrator.domain.there",
            "domain/there.py": "import pm_orchestrator.domain.here",
        },
    ),
}


def plant(package: Path, files: Files) -> None:
    """Add the planted lines; a module that exists keeps its own."""
    for name, line in files.items():
        path = package / name
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as module:
            module.write(f"\n{line}\n")


def broken_contracts(folder: Path) -> set[str]:
    """Run the linter as `make layers` does, on the copy in `folder`."""
    run = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    broken = set(re.findall(r"^(.+) BROKEN$", run.stdout, re.MULTILINE))
    assert run.returncode == (1 if broken else 0), run.stdout + run.stderr
    return broken


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / PACKAGE, tmp_path / PACKAGE, ignore=ignored)
    return tmp_path


def test_the_package_as_it_is_keeps_every_contract(folder: Path) -> None:
    assert broken_contracts(folder) == set()


@pytest.mark.long
@pytest.mark.parametrize(("contract", "files"), PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_violation_breaks_its_contract(folder: Path, contract: str, files: Files) -> None:
    plant(folder / PACKAGE, files)
    assert contract in broken_contracts(folder)


def test_every_adapter_family_is_kept_apart() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [apart] = [contract for contract in contracts if contract["id"] == "adapters-apart"]
    families = {
        path.parent.name for path in (ROOT / "src" / PACKAGE / "adapters").glob("*/__init__.py")
    }
    named = {module.rpartition(".")[2] for module in apart["modules"]}
    assert named == families - SHARED_BY_FAMILIES
