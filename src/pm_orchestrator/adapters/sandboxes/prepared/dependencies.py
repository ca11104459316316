"""The directories in which a project's tools have installed what it needs.

They lie ignored in the user's checkout, so no commit brings them along. Whatever git ignores
may as well be a secret or a product of an earlier build, so only two kinds are taken: what is
an environment by its own settings, and what a file beside it has a package manager install.
"""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.sandboxes.prepared.environments import (
    in_system,
    installations,
    is_environment,
)
from pm_orchestrator.ports.sandbox import HostDirectory

INSTALLED_BY = {
    "node_modules": ("package.json",),
    ".yarn": ("package.json",),
    "bower_components": ("bower.json",),
    "vendor": ("composer.json", "go.mod", "Gemfile", "Cargo.toml"),
    "target": ("Cargo.toml",),
    ".gradle": ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    ".tox": ("tox.ini", "setup.cfg", "pyproject.toml"),
    ".nox": ("noxfile.py",),
    "deps": ("mix.exs",),
    "_build": ("mix.exs",),
    ".dart_tool": ("pubspec.yaml",),
    "elm-stuff": ("elm.json",),
    "Pods": ("Podfile",),
}
"""Directories by their names, and the files that speak for them."""
SECRETS = (
    *(".env", ".env.*", ".netrc", ".npmrc", ".yarnrc*", ".pypirc", "pip.conf", "pip.ini"),
    *("auth.json", "credentials*", ".git-credentials", "*.pem", "*.key"),
)
"""Where people and package managers keep tokens, at the top of what they install."""
MOST = 100
"""Directories; each costs a mount in every sandbox."""


class Dependencies(msgspec.Struct, frozen=True, kw_only=True):
    """What is taken along into sandboxes."""

    directories: tuple[HostDirectory, ...] = ()
    left_out: tuple[Path, ...] = ()
    """Installations that hold more than programs, such as a home directory."""

    @property
    def names(self) -> tuple[str, ...]:
        """Those in the project, relative to it."""
        return tuple(each.at for each in self.directories if not each.at.startswith("/"))


def dependencies(root: Path, ignored: Iterable[str], home: Path) -> Dependencies:
    """What is prepared in the checkout at `root`, of which git ignores these paths."""
    own = tuple(_prepared(root, ignored))[:MOST]
    outside = dict.fromkeys(
        place
        for name in own
        if is_environment(root / name)
        for place in installations((root / name).resolve())
        if not in_system(place) and not place.is_relative_to(root)
    )
    private = [place for place in outside if home.is_relative_to(place) or _holds(place, root)]
    shared = [place for place in outside if place not in private]
    return Dependencies(
        directories=(
            *(_seen(root / name, name, writable=True) for name in own),
            *(_seen(place, str(place), writable=False) for place in shared),
        ),
        left_out=tuple(private),
    )


def _prepared(root: Path, ignored: Iterable[str]) -> Iterator[str]:
    taken: set[str] = set()
    for path in sorted(ignored):
        name = path.rstrip("/")
        above = (parent.as_posix() for parent in Path(name).parents)
        if taken.isdisjoint(above) and (root / name).is_dir() and _is_installed(root / name):
            taken.add(name)
            yield name


def _is_installed(folder: Path) -> bool:
    manifests = INSTALLED_BY.get(folder.name, ())
    return is_environment(folder) or any((folder.parent / name).is_file() for name in manifests)


def _holds(place: Path, root: Path) -> bool:
    return root.is_relative_to(place)


def _seen(source: Path, at: str, *, writable: bool) -> HostDirectory:
    names = sorted(entry.name for entry in source.iterdir() if not entry.is_dir())
    hidden = tuple(name for name in names if any(fnmatchcase(name, each) for each in SECRETS))
    return HostDirectory(source=source, at=at, hidden=hidden, writable=writable)
