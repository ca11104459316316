"""What passes between a solo task's executor and its model: evidence, and news of every wait."""

from typing_extensions import override

from pm_orchestrator.domain.history.run_events import ParkedDetail, ParkedEvent
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.model_exchanges import ExchangeRecords
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.gateway import Exchange, ModelTraffic
from pm_orchestrator.runner.records.notes import Notes


class RecordedTraffic(ModelTraffic):
    """Of one run."""

    def __init__(self, note: Notes, events: EventSink, masker: Masker) -> None:
        self._note = note
        self._events = events
        self._records = ExchangeRecords(masker)

    @override
    async def exchanged(self, exchange: Exchange) -> None:
        await self._note("model_exchange", self._records.raw(exchange), by=exchange.agent)

    @override
    async def parked(self, seconds: float, reason: str) -> None:
        detail = ParkedDetail(seconds=seconds, reason=reason)
        await self._events.publish(ParkedEvent(subject="solo", detail=detail))
