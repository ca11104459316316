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
VENDOR_KEYS = frozenset(
    {
        *KEY_VARIABLES.values(),
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
    }
)
"""Variables with a key of a model vendor: secret whatever they look like, and for no program
but the one that asks the vendor."""


def provider_named(name: str) -> Provider:
    """The provider of exactly this name.

    Raises:
        PmError: E210 for any other name.
    """
    for provider in PROVIDERS:
        if provider == name:
            return provider
    raise PmError("provider_unknown", provider=printed(name), known=", ".join(PROVIDERS))
