"""Programs that a project's checks name, and that are on the user's path outside of /usr.

What nvm, rustup, pyenv or a person has installed at home is seen read-only, with the
installation around it: a program finds its libraries beside itself. A home directory, or
another place in which people keep more than programs, is never taken as one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.sandboxes.prepared.environments import (
    in_system,
    installation,
    installations,
    is_environment,
)

SPEAKING = (
    *("Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile", "package.json"),
    *("tox.ini", "noxfile.py", "pyproject.toml", "setup.cfg", "Taskfile.yml", "Rakefile"),
)
"""Files whose words may be programs of the checks."""
MEANT_BY = {
    "package.json": ("node", "npm", "npx"),
    "pnpm-lock.yaml": ("pnpm",),
    "yarn.lock": ("yarn",),
    "bun.lock": ("bun",),
    "bun.lockb": ("bun",),
    "Cargo.toml": ("cargo", "rustc"),
    "go.mod": ("go",),
    "Gemfile": ("ruby", "bundle"),
    "tox.ini": ("tox",),
    "uv.lock": ("uv",),
    "composer.json": ("php", "composer"),
    "mix.exs": ("mix", "elixir"),
    "pom.xml": ("mvn", "java"),
}
"""Programs that the checks of such a project run by whatever they call first."""
HOMES = {
    "cargo": {"RUSTUP_HOME": (".rustup", False), "CARGO_HOME": (".cargo", True)},
    "go": {"GOMODCACHE": ("go/pkg/mod", True)},
}
"""What a program keeps elsewhere: the variable that says where, where it is without one, and
whether the program writes there even when it only reads."""
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
PRIVATE = (".config", ".local/share", ".local/state", ".cache", ".ssh", ".gnupg")
"""At home, beside the home directory itself."""
WORD = re.compile(r"[A-Za-z0-9_][\w.+-]*")
LONGEST = 1024**2


class HostTools(msgspec.Struct, frozen=True, kw_only=True):
    """What comes along so that they can run."""

    places: Mapping[Path, bool] = {}
    """Directories, and whether they have to be writable."""
    folders: tuple[str, ...] = ()
    """Where programs are looked for."""
    variables: Mapping[str, str] = {}


class UserPath(msgspec.Struct, frozen=True, kw_only=True):
    """Where the user finds programs, and what of the user's must not be seen."""

    folders: tuple[Path, ...]
    home: Path
    variables: Mapping[str, str]
    own: tuple[Path, ...] = ()

    def holds_more(self, place: Path) -> bool:
        """Whether something of the user's that is no program is there or below it."""
        private = (self.home, *(self.home / name for name in PRIVATE), *self.own)
        return any(each.is_relative_to(place) for each in private)


def named_words(root: Path, more: Iterable[str] = ()) -> frozenset[str]:
    """Whatever a project's checks may call."""
    words = set(more)
    for name, programs in MEANT_BY.items():
        words |= set(programs) if (root / name).is_file() else set()
    for name in SPEAKING:
        path = root / name
        if path.is_file() and path.stat().st_size <= LONGEST:
            words |= set(WORD.findall(path.read_text("utf-8", "replace")))
    return frozenset(words)


def host_tools(words: frozenset[str], user: UserPath) -> HostTools:
    """Those of the programs that the system has not, from the first folder that has them."""
    there = {name for folder in SYSTEM_PATH for name in _programs(Path(folder), words)}
    places: dict[Path, bool] = {}
    folders: list[str] = []
    variables: dict[str, str] = {}
    for folder in user.folders:
        names = _programs(folder, words - there)
        if not names or in_system(folder):
            continue
        there |= names
        folders.append(str(folder))
        for name in sorted(names):
            for place in _around((folder / name), user):
                places.setdefault(place, False)
            for variable, (usual, writes) in HOMES.get(name, {}).items():
                kept = Path(user.variables.get(variable) or user.home / usual)
                if kept.is_dir() and not user.holds_more(kept):
                    places[kept] = writes
                    variables[variable] = str(kept)
    return HostTools(places=places, folders=tuple(folders), variables=variables)


def _programs(folder: Path, wanted: frozenset[str] | set[str]) -> set[str]:
    return {name for name in wanted if (folder / name).is_file()} if folder.is_dir() else set()


def _around(program: Path, user: UserPath) -> Iterator[Path]:
    """What has to be seen for one program, under the names by which it is reached."""
    for folder in dict.fromkeys((program.parent, program.resolve().parent)):
        if is_environment(folder.parent):
            yield folder.parent
            yield from (p for p in installations(folder.parent) if _may_be_seen(p, user))
        elif _may_be_seen(installation(folder), user):
            yield installation(folder)
        elif _may_be_seen(folder, user):
            yield folder


def _may_be_seen(place: Path, user: UserPath) -> bool:
    return not in_system(place) and not user.holds_more(place)
