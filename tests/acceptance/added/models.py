"""A vendor to be added: it speaks a protocol we know, at another address, with another key."""

from typing_extensions import override

from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.ports.chat_model import ModelFactory, Upstream
from pm_orchestrator.ports.dialect import Dialect


class Added(ModelFactory):
    @property
    @override
    def upstream(self) -> Upstream:
        return Upstream(
            base_url="http://127.0.0.1:9", url_variable="ADDED_URL", key_variable="OPENAI_API_KEY"
        )

    @property
    @override
    def dialect(self) -> Dialect:
        return AnthropicMessages()
