"""How directories of the host come to a sandbox: gathered first, and bound from there.

Who works in a sandbox is perhaps nobody who could go where they lie, as root's home is closed,
and what is written into them has to end somewhere with a size.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.adapters.processes.directory_view import SEEN
from pm_orchestrator.adapters.sandboxes.prepared.environments import is_environment
from pm_orchestrator.adapters.sandboxes.prepared.products import unseen_by_git
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Gathered
from pm_orchestrator.ports.sandbox import HostDirectory, HostFile

PLACES = ("/mnt", "/media", "/srv", "/opt", "/run", "/var")
"""Directories of any system, whose content a sandbox does not need; the first suits nearly all."""
GIT_IGNORES = "/home/worker/.config/git/ignore"


def gathered(
    directories: tuple[HostDirectory, ...], room: int, owner: int | None, needed: Iterable[Path]
) -> Gathered:
    """The order for the process that is to see them; it also finds what is `needed` besides.

    Raises:
        PmError: E701 when this system has no place to gather them.
    """
    kept = tuple(needed)
    places = (Path(place) for place in PLACES)
    free = (at for at in places if at.is_dir() and not any(k.is_relative_to(at) for k in kept))
    place = next(free, None)
    if place is None:
        reason, cure = "there is no place to gather directories", "run `mkdir /mnt`"
        raise PmError("sandbox_not_started", runtime="bwrap", reason=reason, cure=cure)
    sources = tuple((each.source, each.hidden, each.writable) for each in directories)
    return Gathered(place=place, room=room, owner=owner, sources=sources)


def as_gathered(directories: Iterable[HostDirectory], place: Path) -> tuple[HostDirectory, ...]:
    """The same, where the process finds them."""
    return tuple(
        replace(each, source=place / str(number) / SEEN) for number, each in enumerate(directories)
    )


def not_of_the_project(
    directories: Iterable[HostDirectory], files: Iterable[HostFile] = ()
) -> Mapping[str, str]:
    """A file by which git leaves them alone, whoever told the user's git so."""
    names = [f"{each.at}/" for each in directories if not each.at.startswith("/")]
    names += [each.at for each in files]
    return {GIT_IGNORES: "".join(f"{line}\n" for line in unseen_by_git(names))} if names else {}


def package_folders_of(directories: Iterable[HostDirectory], workspace: str) -> tuple[str, ...]:
    """Where the environments among them keep their packages, inside."""
    return tuple(
        str(Path(workspace, each.at) / packages.relative_to(each.source))
        for each in directories
        if each.writable and is_environment(each.source)
        for packages in sorted(each.source.glob("lib/python3*/site-packages"))
    )
