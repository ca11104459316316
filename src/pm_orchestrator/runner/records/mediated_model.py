"""A model that helps the Runner to understand a task, with each exchange in the task's log.

It speaks between the user and the Runner, so what it was asked and what it said are
events of the task (`05`, LLM_MEDIATION). It decides nothing.
"""

from typing_extensions import override

from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest, TokenUsage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.log_contents import MediationRequest, MediationResponse
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.clock import Clock

SUMMARY_LENGTH = 100


class MediatedModel(ChatModel):
    """Asks `inner`; both events are one write, after the answer, because the provider counts then.

    An exchange that failed is one too.
    """

    def __init__(self, inner: ChatModel, log: OpenLog, clock: Clock, provider: str) -> None:
        self._inner = inner
        self._log = log
        self._clock = clock
        self._provider = provider

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        asked_at, began = iso(self._clock.now()), self._clock.monotonic()
        try:
            reply = await self._inner.chat(request)
        except PmError as error:
            await self._note(request, asked_at, began, f"failed {error.code}", TokenUsage())
            raise
        await self._note(request, asked_at, began, _kind_of(reply), reply.usage)
        return reply

    async def _note(
        self, request: ChatRequest, asked_at: str, began: float, kind: str, usage: TokenUsage
    ) -> None:
        last = request.messages[-1].text if request.messages else ""
        asked = MediationRequest(
            provider=self._provider,
            model=request.model,
            prompt_summary=cut_between_words(" ".join(last.split()), SUMMARY_LENGTH),
            tokens_input=usage.input_tokens,
        )
        answered = MediationResponse(
            provider=self._provider,
            model=request.model,
            response_type=kind,
            tokens_output=usage.output_tokens,
            latency_ms=round((self._clock.monotonic() - began) * 1000),
        )
        await self._log.add(asked, answered, began=asked_at)


def _kind_of(reply: ChatReply) -> str:
    """The tool it called, or that it only spoke."""
    return next((call.name for call in reply.message.tool_calls), "text")
