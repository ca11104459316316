"""Room and permission where we write: the project, the state directory, the temporary one."""

import os
import shutil
import tempfile
from pathlib import Path

from pm_orchestrator.bootstrap.doctor.surroundings import Finding, Surroundings
from pm_orchestrator.bootstrap.doctor.waiting import in_own_thread

LITTLE_BYTES = 1024**3
"""Below this it is said."""
TOO_LITTLE_BYTES = 100 * 1024**2
"""Below this no task should begin."""


async def places(surroundings: Surroundings) -> list[Finding]:
    """Each place by itself: one may be on a disk that hangs."""
    variables = surroundings.environment.variables
    wanted = (
        ("project directory", surroundings.paths.root, ""),
        ("state directory", surroundings.environment.state_home, " (XDG_STATE_HOME)"),
        (
            "temporary directory",
            Path(variables.get("TMPDIR") or tempfile.gettempdir()),
            " (TMPDIR)",
        ),
    )
    return [
        await in_own_thread(lambda n=name, p=path, v=variable: _look(surroundings, n, p, v))
        for name, path, variable in wanted
    ]


def _look(surroundings: Surroundings, name: str, path: Path, variable: str) -> Finding:
    there = _nearest(path)
    try:
        # An unnamed file: it leaves nothing behind, and permissions alone do not tell.
        with tempfile.TemporaryFile(dir=there) as probe:
            probe.write(b"x")
        free = shutil.disk_usage(there).free
    except OSError as error:
        params = {"path": path, "reason": error.strerror, "variable": variable}
        return surroundings.found(name, "problem", "place_read_only", **params)
    if free < TOO_LITTLE_BYTES:
        return surroundings.found(name, "problem", "place_low", path=path, free=_size(free))
    if free < LITTLE_BYTES:
        return surroundings.found(name, "note", "place_low", path=path, free=_size(free))
    return surroundings.found(name, "ok", "place", path=path, free=_size(free))


def _nearest(path: Path) -> Path:
    """The directory itself, or the one it would be made in."""
    for candidate in (path, *path.parents):
        if os.path.lexists(candidate):
            return candidate
    return Path("/")


def _size(count: int) -> str:
    return f"{count / 1024**3:.1f} GB" if count >= 1024**3 else f"{count / 1024**2:.0f} MB"
