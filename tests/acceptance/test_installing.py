"""What people install: the wheel in a fresh environment, with what it says it needs and no more."""

import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    PathDistribution,
    distribution,
)
from pathlib import Path
from zipfile import Path as ZipPath, ZipFile

import pytest

from pm_orchestrator import __version__
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

# What runs there is a copy.
pytestmark = pytest.mark.unmeasured

ROOT = Path(__file__).parents[2]
BUILD = ("build", "--wheel", "--offline", "--no-build-isolation", "--quiet", "--out-dir")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as a release is."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([Path(sys.executable).with_name("uv"), *BUILD, folder], cwd=ROOT, check=True)
    (built,) = folder.glob("*.whl")
    return built


def needed_by(package: Distribution, seen: set[str]) -> Iterator[Distribution]:
    """All that a package needs, what that needs included."""
    for line in package.requires or ():
        name, _, condition = line.partition(";")
        found = re.match(r"[\w.-]+", name)
        if found is None or found[0] in seen:
            continue
        try:
            needed = distribution(found[0])
        except PackageNotFoundError:
            # For another system, another Python, or an extra that nobody asked for.
            assert condition, line
            continue
        seen.add(found[0])
        yield needed
        yield from needed_by(needed, seen)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel in it, installed without a network."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    with ZipFile(wheel) as archive:
        (about,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        package = PathDistribution(ZipPath(archive, f"{about}/"))
        for needed in needed_by(package, set()):
            for top in {file.parts[0] for file in needed.files or () if file.parts[0] != ".."}:
                if not (site / top).exists():
                    (site / top).symlink_to(str(needed.locate_file(top)))
    uv = Path(sys.executable).with_name("uv")
    into = ("--offline", "--no-deps", "--quiet", "--python", str(home / "bin" / "python"))
    subprocess.run([uv, "pip", "install", *into, wheel], check=True)
    return home / "bin"


def call(
    installed: Path, environment: dict[str, str], *arguments: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [installed / "pm-orchestrator", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_both_names_are_installed_and_say_what_they_are(
    installed: Path, environment: dict[str, str]
) -> None:
    assert call(installed, environment, "--version").stdout == f"pm-orchestrator {__version__}\n"
    assert (installed / "pmo").exists()
    helped = call(installed, environment, "--help", "--lang", "ja")
    assert helped.stdout.startswith("使い方: "), helped.stderr
    where = "import pm_orchestrator; print(pm_orchestrator.__file__)"
    ran = subprocess.run(
        [installed / "python", "-c", where],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith(str(installed.parent))


def test_a_task_is_done_by_what_was_installed(
    installed: Path, environment: dict[str, str], project: Path, claude: ClaudeScript
) -> None:
    scripted = claude.does("echo '# Readme' > README.md")
    env = {**environment, "PATH": f"{scripted['PATH']}{os.pathsep}{installed}"}
    ran = call(installed, env, *("run", "--solo", "Create README.md", "--project", str(project)))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "[RESULT]  COMPLETE" in ran.stdout


@pytest.mark.long
def test_the_demo_runs_from_the_wheel(installed: Path, environment: dict[str, str]) -> None:
    ran = call(installed, environment, "demo")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "COMPLETE" in ran.stdout
