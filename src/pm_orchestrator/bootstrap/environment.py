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

from pm_orchestrator.domain.setup.providers import KEY_VARIABLES, Provider
from pm_orchestrator.domain.text import Lang


class Secret:
    """A key. It can be handed on, but not printed, not even in part."""

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value, for the one call that needs it."""
        return self._value

    @override
    def __repr__(self) -> str:
        return "SET"


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """What the process was started with."""

    search_path: str
    home: Path
    state_home: Path
    """`$XDG_STATE_HOME/pm-orchestrator`: things of the user that belong to no project."""
    lang: Lang | None
    """Asked for by PM_LANG or the locale; None when neither says."""
    anthropic_key: Secret | None
    openai_key: Secret | None
    anthropic_base_url: str
    variables: Mapping[str, str]
    """All of it, for a coding CLI that runs as the user would run it."""

    def has_key(self, provider: Provider) -> bool:
        """Whether the provider's key is SET; one that needs none has what it needs."""
        keys = {"openai": self.openai_key, "anthropic": self.anthropic_key}
        return provider not in keys or keys[provider] is not None

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
        anthropic_key=_key(given, "anthropic"),
        openai_key=_key(given, "openai"),
        anthropic_base_url=given.get("ANTHROPIC_BASE_URL") or "https://api.anthropic.com",
        variables=given,
    )


def _key(given: Mapping[str, str], provider: Provider) -> Secret | None:
    value = given.get(KEY_VARIABLES[provider])
    return Secret(value) if value else None


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
