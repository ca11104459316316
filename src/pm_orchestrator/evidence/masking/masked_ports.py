"""The bus and the engine write files of their own: what they are given is masked first.

Whichever technology is behind them, nothing else reaches it.
"""

from typing import Any, TypeVar

from typing_extensions import override

from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact, redact_error
from pm_orchestrator.ports.engine import Body, RunCode, RunEngine, StepContext
from pm_orchestrator.ports.message_queue import Delivery, MessageQueue

In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)


class MaskedQueue(MessageQueue):
    """A bus to whose messages no secret gets."""

    def __init__(self, queue: MessageQueue, masker: Masker) -> None:
        self._queue = queue
        self._masker = masker

    @override
    async def send(self, message: AgentMessage) -> None:
        await self._queue.send(redact(message, self._masker))

    @override
    async def claim(
        self, recipient: str, *, visibility_s: float, wait_s: float = 0.0
    ) -> Delivery | None:
        return await self._queue.claim(recipient, visibility_s=visibility_s, wait_s=wait_s)

    @override
    async def acknowledge(self, delivery: Delivery) -> bool:
        return await self._queue.acknowledge(delivery)

    @override
    async def release(self, recipient: str) -> int:
        return await self._queue.release(recipient)

    @override
    async def history(self, run_id: str) -> tuple[AgentMessage, ...]:
        return await self._queue.history(run_id)


class MaskedEngine(RunEngine):
    """An engine to whose journal no secret gets; its bodies are `masked_body`."""

    def __init__(self, engine: RunEngine, masker: Masker) -> None:
        self._engine = engine
        self._masker = masker

    @override
    async def execute(self, code: RunCode[In, Out], given: In, output: type[Out]) -> Out:
        return await self._engine.execute(code, redact(given, self._masker), output)


def masked_body(body: Body, masker: Masker) -> Body:
    """The same step; what it answers, or fails with, is masked before anybody keeps it."""

    async def masked(given: Any, context: StepContext) -> Any:
        try:
            return redact(await body(given, context), masker)
        except PmError as error:
            raise redact_error(error, masker) from error

    return masked
