"""The guard before everything: executors for tests never work in production."""

from collections.abc import Mapping

MODE = "PM_EXECUTOR_MODE"
STUB = "recovery-stub"
FORBIDDEN = f"[FATAL] {STUB} is forbidden in production"
WARNING = f"WARNING: {STUB} enabled (test-only)"


def stub_wanted(variables: Mapping[str, str]) -> bool:
    """Whether the environment asks for the recovery stub."""
    return variables.get(MODE) == STUB


def in_production(variables: Mapping[str, str]) -> bool:
    """Whether this is a production environment, by either name."""
    return "production" in {variables.get("PM_ENV"), variables.get("NODE_ENV")}
