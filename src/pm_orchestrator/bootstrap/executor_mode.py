"""The guard before everything: executors for tests never work in production."""

from collections.abc import Mapping

MODE = "PM_EXECUTOR_MODE"
STUB = "recovery-stub"
FORBIDDEN = f"[FATAL] {STUB} is forbidden in production"
WARNING = f"WARNING: {STUB} enabled (test-only)"


def stub_wanted(variables: Mapping[str, str]) -> bool:
    """Whether the environment asks for the recovery stub."""
    return _meant(variables, MODE) == STUB


def is_unknown(variables: Mapping[str, str]) -> bool:
    """Whether the environment asks for a mode that there is not."""
    return _meant(variables, MODE) not in {"", STUB}


def in_production(variables: Mapping[str, str]) -> bool:
    """Whether this is a production environment, by either name."""
    return "production" in {_meant(variables, name) for name in ("PM_ENV", "NODE_ENV")}


def _meant(variables: Mapping[str, str], name: str) -> str:
    """Nobody means another environment by a capital or a space."""
    return variables.get(name, "").strip().lower()
