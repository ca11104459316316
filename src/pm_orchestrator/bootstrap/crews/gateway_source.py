"""Where the gateway's answers come from: a cassette, or the provider with the user's key."""

from pathlib import Path

from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.gateway.cassette import load_cassette
from pm_orchestrator.adapters.gateway.replay import Replay
from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.domain.errors import PmError


def answers(environment: Environment, cassette: Path | None) -> AnswerSource:
    """Replay `cassette` if one is given, else ask the provider.

    Raises:
        PmError: E211 when there is neither a cassette nor a key; E604 for a bad cassette.
    """
    if cassette is not None:
        return Replay(load_cassette(cassette))
    if environment.anthropic_key is None:
        raise PmError(
            "provider_not_set",
            what="ANTHROPIC_API_KEY",
            provider="anthropic",
            cure="set it in the environment, or use `run --solo` with your own coding CLI",
        )
    return Forward(environment.anthropic_base_url, environment.anthropic_key.reveal())
