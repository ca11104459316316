"""The one reader of the process environment.

Everything else receives what it needs as an argument, so a test can hand in any
environment and no module depends on a variable nobody told it about.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.setup.providers import KEY_VARIABLES, VENDOR_KEYS, Provider
from pm_orchestrator.domain.text import Lang

if TYPE_CHECKING:
    from pm_orchestrator.evidence.masking.masker import Masker

OURS = "pm_orchestrator"
INSTALLERS = frozenset({"pip", "setuptools", "wheel", "uv"})


class Environment(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What the process was started with."""

    search_path: str
    home: Path
    state_home: Path
    """`$XDG_STATE_HOME/pm-orchestrator`: things of the user that belong to no project."""
    lang: Lang | None
    """Asked for by PM_LANG or the locale; None when neither says."""
    variables: Mapping[str, str]
    """All of it, for a coding CLI that runs as the user would run it."""

    def has_key(self, provider: Provider) -> bool:
        """Whether the provider's key is SET; one that needs none has what it needs."""
        variable = KEY_VARIABLES.get(provider)
        return variable is None or bool(self.variables.get(variable))

    @cached_property
    def masker(self) -> "Masker":
        """The one for everything that is written and printed: what it learns holds for both."""
        from pm_orchestrator.evidence.masking.masker import Masker, secret_literals

        return Masker(secret_literals(self.variables))

    @property
    def keyless(self) -> dict[str, str]:
        """The variables without the keys of model vendors."""
        return {name: value for name, value in self.variables.items() if name not in VENDOR_KEYS}

    @override
    def __repr__(self) -> str:
        return f"Environment(home={self.home})"


def read_environment(variables: Mapping[str, str] | None = None) -> Environment:
    """Take a copy of the environment, or of the one given."""
    given = dict(os.environ if variables is None else variables)
    home = Path(given.get("HOME") or "/")
    state = given.get("XDG_STATE_HOME") or str(home / ".local" / "state")
    return Environment(
        search_path=given.get("PATH") or os.defpath,
        home=home,
        state_home=Path(state) / "pm-orchestrator",
        lang=_language(given),
        variables=given,
    )


def users_own(
    variables: Mapping[str, str], project: Path, prefix: Path = Path(sys.prefix)
) -> dict[str, str]:
    """The variables without a virtual environment that is there for this program alone.

    Whoever activated it to call us would otherwise have the project's checks run by our
    Python. One that holds more than us is the user's, and so is one of the project itself.
    """
    given = dict(variables)
    if prefix.is_relative_to(project) or not _is_only_ours(prefix):
        return given
    folders = given.get("PATH", "").split(os.pathsep)
    if "PATH" in given:
        given["PATH"] = os.pathsep.join(f for f in folders if f != str(prefix / "bin"))
    if given.get("VIRTUAL_ENV") == str(prefix):
        del given["VIRTUAL_ENV"]
        given.pop("VIRTUAL_ENV_PROMPT", None)
    return given


def _is_only_ours(prefix: Path) -> bool:
    """Whether nothing but this program was asked to be installed in an environment."""
    if not (prefix / "pyvenv.cfg").is_file():
        return False
    found = False
    for name in _asked_for(prefix):
        if name != OURS and name not in INSTALLERS:
            return False
        found = found or name == OURS
    return found


def _asked_for(prefix: Path) -> Iterator[str]:
    """What somebody asked to be installed there, and not only something that needed it."""
    # Plain names: every task looks, and there may be hundreds of packages.
    for version in _names(f"{prefix}/lib"):
        packages = f"{prefix}/lib/{version}/site-packages"
        for name in _names(packages) if version.startswith("python3") else ():
            if name.endswith(".dist-info") and Path(f"{packages}/{name}/REQUESTED").exists():
                yield name.partition("-")[0].lower()


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except OSError:
        return []


def _language(given: Mapping[str, str]) -> Lang | None:
    for name in ("PM_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = given.get(name, "")
        if value:
            # C and POSIX say nothing about a person's language.
            plain = re.split(r"[._@-]", value)[0]
            if plain in {"C", "POSIX"}:
                return None
            return "ja" if plain.lower() in {"ja", "japanese"} else "en"
    return None
