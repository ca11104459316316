"""Where the gateway's answers come from: a cassette, or the vendors with the user's keys."""

from collections.abc import Iterable
from pathlib import Path

from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.gateway.cassette import load_cassette
from pm_orchestrator.adapters.gateway.replay import Replay
from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.adapters.gateway.vendors import Vendors
from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.settings import CompanySettings


def models_in(company: CompanySettings) -> tuple[str, ...]:
    """The model adapters that a company may ask."""
    other = company.fallback
    return (company.adapter,) if other is None else (company.adapter, other.adapter)


def answers(
    environment: Environment, adapters: Iterable[str], cassette: Path | None
) -> AnswerSource:
    """Replay `cassette` if one is given, else ask the vendors of the model `adapters`.

    Raises:
        PmError: E211 when there is neither a cassette nor a key; E604 for a bad cassette.
    """
    if cassette is not None:
        return Replay(load_cassette(cassette))
    return Vendors({name: _vendor(environment, name) for name in adapters})


def _vendor(environment: Environment, name: str) -> AnswerSource:
    upstream = MODELS.load(name).upstream
    if not upstream.is_ready(environment.variables):
        raise PmError(
            "provider_not_set",
            what=upstream.key_variable,
            provider=name,
            cure="set it in the environment, or use `run --solo` with your own coding CLI",
        )
    return Forward(upstream, environment.variables)
