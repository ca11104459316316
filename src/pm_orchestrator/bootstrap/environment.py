"""The one reader of the process environment.

Everything else receives what it needs as an argument, so a test can hand in any
environment and no module depends on a variable nobody told it about.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.setup.providers import KEY_VARIABLES, VENDOR_KEYS, Provider
from pm_orchestrator.domain.text import Lang


class Environment(msgspec.Struct, frozen=True, kw_only=True):
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
