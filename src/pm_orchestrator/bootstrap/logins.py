"""Whether a person is logged in with a coding CLI: seen from outside, or asked of the CLI.

Looking costs nothing and starts nobody, so every start can afford it; what it does not see
may still be there (a keychain, a helper of a company), and only the CLI itself knows.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.evidence.look.plain_open import read_file
from pm_orchestrator.runner.layout import ProjectPaths


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """How one coding CLI knows its person."""

    program: str
    asks: tuple[str, ...]
    """Arguments with which it says whether somebody is logged in."""
    says: str
    """The field of its answer that does."""
    command: str
    """What a person types to log in."""
    variables: tuple[str, ...]
    """Each of them is a key, or leads to somebody else who has one."""
    home: str
    """Its folder in the home directory."""
    home_variable: str
    """Names another folder."""
    kept: str
    """The file in it that a login leaves."""
    settings: tuple[str, ...]
    """Files of settings in such a folder, the user's or the project's."""
    keys: frozenset[str]
    """Settings that bring a key."""

    def denied(self, said: bytes) -> bool:
        """Whether the answer of the CLI is a plain no."""
        try:
            answer: Any = json.loads(said)
        except ValueError:
            return False
        return isinstance(answer, dict) and cast("Any", answer).get(self.says) is False


LOGINS: Mapping[str, Login] = {
    "claude-code": Login(
        program="claude",
        asks=("auth", "status", "--json"),
        says="loggedIn",
        command="claude auth login",
        variables=(
            *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
            *("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"),
        ),
        home=".claude",
        home_variable="CLAUDE_CONFIG_DIR",
        kept=".credentials.json",
        settings=("settings.json", "settings.local.json"),
        keys=frozenset({"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport"}),
    )
}
"""By the executor's name; of others nothing is known."""


def login_in_sight(login: Login, environment: Environment, paths: ProjectPaths) -> bool:
    """Whether anything can be seen that lets the executor in."""
    variables = environment.variables
    folder = variables.get(login.home_variable)
    home = Path(folder) if folder else environment.home / login.home
    if any(variables.get(variable) for variable in login.variables) or (home / login.kept).exists():
        return True
    files = (place / file for place in (home, paths.claude) for file in login.settings)
    return any(_brings_key(settings, login) for settings in _objects(files))


def _brings_key(settings: Mapping[str, Any], login: Login) -> bool:
    given = settings.get("env")
    names: set[str] = set(cast("dict[str, Any]", given)) if isinstance(given, dict) else set()
    return not login.keys.isdisjoint(settings) or not names.isdisjoint(login.variables)


def _objects(files: Iterator[Path]) -> Iterator[dict[str, Any]]:
    """What the files hold; one that cannot be read brings nothing."""
    for file in files:
        try:
            document: Any = json.loads(read_file(file))
        except (OSError, ValueError):
            continue
        if isinstance(document, dict):
            yield cast("dict[str, Any]", document)
