"""The gateway: one loopback address through which every agent asks its models."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import AnswerSource, ModelAnswer, ModelQuestion
from pm_orchestrator.adapters.gateway.refusals import why_unanswered
from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.clock import IdSource
from pm_orchestrator.ports.dialect import Dialect
from pm_orchestrator.ports.gateway import (
    Access,
    Admission,
    Exchange,
    ModelGateway,
    OnExchange,
)

if TYPE_CHECKING:
    from pm_orchestrator.adapters.gateway.endpoint import Endpoint
    from pm_orchestrator.adapters.gateway.serving import LoopServer

TOKEN_LENGTH = 48
PING_SECONDS = 10.0


class LoopbackGateway(ModelGateway):
    """Serves `source` in `dialects` to admitted agents, inside the running event loop."""

    def __init__(
        self,
        source: AnswerSource,
        dialects: Sequence[Dialect],
        ids: IdSource,
        on_exchange: OnExchange | None = None,
        patience: float = PING_SECONDS,
    ) -> None:
        self._source = source
        self._dialects = dialects
        self._ids = ids
        self._on_exchange = on_exchange
        self._patience = patience
        self._admitted: dict[str, Admission] = {}
        self._usage: dict[str, TokenUsage] = {}
        self._failures: dict[str, PmError] = {}
        self._base_url = ""
        self._endpoint: Endpoint | None = None
        self._server: LoopServer | None = None

    @override
    async def start(self) -> None:
        # Imported here: the server's libraries cost more than most commands need in all.
        from pm_orchestrator.adapters.gateway.endpoint import Endpoint
        from pm_orchestrator.adapters.gateway.serving import LoopServer

        self._endpoint = Endpoint(
            self._source, self._dialects, self._admitted.get, self._keep, self._patience
        )
        self._server = LoopServer(self._endpoint.app())
        self._base_url = await self._server.start()

    @override
    async def close(self) -> None:
        self._admitted.clear()
        if self._endpoint is not None:
            await self._endpoint.close()
        if self._server is not None:
            await self._server.close()
        await self._source.close()

    @override
    def admit(self, agent: str, adapter: str = "") -> Access:
        if not self._base_url:
            raise RuntimeError("the gateway has not been started")
        token = f"pm-{self._ids.token(TOKEN_LENGTH)}"
        self._admitted[token] = Admission(agent=agent, adapter=adapter)
        return Access(base_url=self._base_url, token=token)

    @property
    @override
    def port(self) -> int:
        return int(self._base_url.rpartition(":")[2])

    @override
    def dismiss(self, agent: str) -> None:
        for token in [t for t, given in self._admitted.items() if given.agent == agent]:
            del self._admitted[token]

    @override
    def failure(self, agent: str) -> PmError | None:
        return self._failures.get(agent)

    @override
    def usage(self, agent: str) -> TokenUsage:
        return self._usage.get(agent, TokenUsage())

    async def _keep(self, question: ModelQuestion, answer: ModelAnswer) -> None:
        used = answer.usage()
        so_far = self.usage(question.agent)
        # Counted first: the tokens are spent even if the exchange cannot be recorded.
        self._usage[question.agent] = so_far + used
        failed = why_unanswered(question.dialect, answer)
        self._failures.pop(question.agent, None)
        if failed is not None:
            self._failures[question.agent] = failed
        if self._on_exchange is None:
            return
        await self._on_exchange(
            Exchange(
                agent=question.agent,
                turn=question.turn,
                status=answer.status,
                request=question.body,
                response=answer.body,
                usage=used,
            )
        )
