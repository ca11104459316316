"""The closed set of providers, which one is used unasked, and which need a key."""

from typing import Literal, get_args

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.text import printed

Provider = Literal["claude-code", "openai", "anthropic"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)
DEFAULT_PROVIDER: Provider = "claude-code"
KEY_VARIABLES: dict[Provider, str] = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}
"""Where the key of a provider is read from; Claude Code looks after its own."""


def provider_named(name: str) -> Provider:
    """The provider of exactly this name.

    Raises:
        PmError: E210 for any other name.
    """
    for provider in PROVIDERS:
        if provider == name:
            return provider
    raise PmError("provider_unknown", provider=printed(name), known=", ".join(PROVIDERS))
