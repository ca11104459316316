"""What a person sees who runs a case's checks in a terminal, before the work and after it."""

import os
from pathlib import Path

import msgspec

from pm_orchestrator.testing.corpus.case import Case, Colour
from pm_orchestrator.testing.corpus.projects import ProjectMaker, templates

# To Python an edited file is the cached one if its size and its second are the same.
UNCACHED = "export PYTHONDONTWRITEBYTECODE=1"

MINUTE_NS = 60 * 10**9


class Seen(msgspec.Struct, frozen=True):
    """The colours of the checks, and what they said last."""

    before: Colour
    after: Colour
    said: str


def see(case: Case, make: ProjectMaker, place: Path) -> Seen:
    """Run the checks, do the work, run them again."""
    root = make(case, place)
    checks = f"{UNCACHED}\n{templates()[case.project].checks}"
    before = make.ended(checks, root)
    _let_time_pass(root)
    work = make.ended(case.body, root)
    after = make.ended(checks, root)
    said = f"{before.stdout}{before.stderr}\n-- work\n{work.stdout}{work.stderr}"
    return Seen(
        _colour(before.returncode),
        _colour(after.returncode),
        f"{said}\n-- after\n{after.stdout}{after.stderr}",
    )


def _let_time_pass(root: Path) -> None:
    """To `make` a file that is written in the same tick as what is made of it is no newer."""
    for path in root.rglob("*"):
        about = path.lstat()
        earlier = (about.st_atime_ns, about.st_mtime_ns - MINUTE_NS)
        os.utime(path, ns=earlier, follow_symlinks=False)


def _colour(code: int) -> Colour:
    return "green" if code == 0 else "red"
