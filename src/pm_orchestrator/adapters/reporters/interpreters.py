"""Where the Pythons of a project keep their packages, and what is laid there for a gate.

A line in a `.pth` file is run by every Python that starts with such a folder. So a test
runner can be asked for its results without a variable, which a tool on the way may drop,
and without an argument, which a project may have its own opinion about.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from pm_orchestrator.ports.tree_views import PatchedFile

REPORTER = Path(__file__).with_name("test_reporter.py")
NAME = "pm_orchestrator_test_report"
"""As what the reporter is imported there."""
PROGRAMS = ("python3", "python")
ENVIRONMENTS = (".venv", "venv", "env")
MOST = 12
"""Folders; each costs a mount."""


def package_folders(root: Path, search_path: str) -> tuple[Path, ...]:
    """The package folders of the project's own environments and of Pythons on the path."""
    found = dict.fromkeys(
        folder.resolve()
        for prefix in _prefixes(root, search_path)
        for folder in _folders(prefix)
        if folder.is_dir()
    )
    return tuple(found)[:MOST]


def reporter_files(report: Path) -> Mapping[str, PatchedFile]:
    """What has to lie in a package folder so that test runners report to `report`."""
    line = f"import {NAME}; {NAME}.report_to({str(report)!r})\n"
    return {
        f"{NAME}.py": PatchedFile(content=REPORTER.read_bytes()),
        f"{NAME}.pth": PatchedFile(content=line.encode()),
    }


def _prefixes(root: Path, search_path: str) -> Iterator[Path]:
    yield from (root / name for name in ENVIRONMENTS)
    for folder in search_path.split(os.pathsep):
        for program in PROGRAMS if folder else ():
            place = Path(folder, program)
            if place.is_file():
                # An environment is beside the link, an installation where it leads.
                yield place.parent.parent
                yield place.resolve().parent.parent
        if Path(folder).name == "shims":
            yield from sorted(Path(folder).parent.glob("versions/*"))


def _folders(prefix: Path) -> Iterator[Path]:
    yield from sorted(prefix.glob("lib/python3*/site-packages"))
    if prefix == Path("/usr"):
        yield from sorted(Path("/usr/local/lib").glob("python3*/dist-packages"))
