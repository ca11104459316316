"""The directories in which a project's tools have installed what it needs.

They lie ignored in the user's checkout, so no commit brings them along. Whatever git ignores
may as well be a secret or a product of an earlier build, so only two kinds are taken: what is
an environment by its own settings, and what a file beside it has a package manager install.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.sandboxes.prepared.environments import (
    in_system,
    installations,
    is_environment,
)
from pm_orchestrator.adapters.sandboxes.prepared.host_tools import (
    UserPath,
    host_tools,
    named_words,
)
from pm_orchestrator.adapters.sandboxes.prepared.products import Secret, products
from pm_orchestrator.ports.sandbox import HostDirectory, HostFile

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
BUILT = frozenset({"target", ".gradle", "_build", ".dart_tool"})
"""Tools rewrite the files in these. Whoever works in a sandbox of root's is somebody else, and
may not; a build from the beginning only takes longer."""
METADATA = ".egg-info"
"""What an installation in place leaves of a package's name, version and entry points."""
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
    files: tuple[HostFile, ...] = ()
    """What was built in the midst of the project's own files."""
    programs: tuple[str, ...] = ()
    """Folders in which programs are looked for besides."""
    variables: Mapping[str, str] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Those in the project, relative to it."""
        return tuple(each.at for each in self.directories if not each.at.startswith("/"))


def dependencies(
    root: Path,
    ignored: Iterable[str],
    user: UserPath,
    named: Iterable[str] = (),
    is_secret: Secret = lambda _: False,
) -> Dependencies:
    """What is prepared in the checkout at `root`, of which git ignores these paths.

    `named` are programs that checks call by the settings; `is_secret` reads a text.
    """
    ignored = frozenset(ignored)
    own = tuple(_prepared(root, ignored))[:MOST]
    tools = host_tools(named_words(root, named), user)
    outside = dict(tools.places)
    for name in own:
        for place in installations((root / name).resolve()) if is_environment(root / name) else ():
            if not in_system(place) and not user.holds_more(place):
                outside.setdefault(place, False)
    return Dependencies(
        directories=(
            *(_seen(root / name, name, writable=True) for name in own),
            *(_seen(at, str(at), writable=writes) for at, writes in _widest(outside, root).items()),
        ),
        files=products(root, ignored, SECRETS, is_secret),
        programs=(*_entered(root, own, user), *tools.folders),
        variables=tools.variables,
    )


def _widest(places: Mapping[Path, bool], root: Path) -> dict[Path, bool]:
    """Without those that another one shows, or the project itself."""
    return {
        place: writes
        for place, writes in places.items()
        if not place.is_relative_to(root) and places.keys().isdisjoint(place.parents)
    }


def _entered(root: Path, own: Iterable[str], user: UserPath) -> Iterator[str]:
    """The programs of an environment that the user has activated."""
    for name in own:
        if root / name / "bin" in user.folders:
            yield str(root / name / "bin")


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
    if folder.name in BUILT and os.geteuid() == 0:
        return False
    if folder.suffix == METADATA and (folder / "PKG-INFO").is_file():
        return True
    return is_environment(folder) or any((folder.parent / name).is_file() for name in manifests)


def _seen(source: Path, at: str, *, writable: bool) -> HostDirectory:
    names = sorted(entry.name for entry in source.iterdir() if not entry.is_dir())
    hidden = tuple(name for name in names if any(fnmatchcase(name, each) for each in SECRETS))
    return HostDirectory(source=source, at=at, hidden=hidden, writable=writable)
