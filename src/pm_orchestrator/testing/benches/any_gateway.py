"""A gateway that speaks every registered dialect, for tests."""

from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.gateway.server import LoopbackGateway
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.ports.clock import IdSource
from pm_orchestrator.ports.gateway import OnExchange


def any_gateway(
    source: AnswerSource,
    ids: IdSource,
    on_exchange: OnExchange | None = None,
    patience: float = 10.0,
) -> LoopbackGateway:
    """It answers out of `source`."""
    dialects = [MODELS.load(name).dialect for name in MODELS.names]
    return LoopbackGateway(source, dialects, ids, on_exchange, patience)
