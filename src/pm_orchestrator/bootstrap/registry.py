"""Which technologies there are: one line each, loaded when chosen.

What an adapter needs is asked of its factory; nobody here knows one from another.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.adapter import AdapterFactory

if TYPE_CHECKING:
    # Most commands need two or three of the families, and none needs the ports of all.
    from pm_orchestrator.ports.chat_model import ModelFactory
    from pm_orchestrator.ports.engine import EngineFactory
    from pm_orchestrator.ports.executor import ExecutorFactory
    from pm_orchestrator.ports.forge import ForgeFactory
    from pm_orchestrator.ports.message_queue import QueueFactory
    from pm_orchestrator.ports.sandbox import RuntimeFactory

F = TypeVar("F", bound=AdapterFactory)


class Family(Generic[F]):
    """Technologies of one kind: names, and where the factory of each is defined.

    `factory` says where the protocol of all of them is: a module of `ports`, and a name in it.
    """

    def __init__(self, name: str, factory: str, members: Mapping[str, str]) -> None:
        self.name = name
        self._factory = factory
        self._members = members

    @property
    def names(self) -> tuple[str, ...]:
        """In order of preference."""
        return tuple(self._members)

    def load(self, name: str) -> F:
        """The factory registered under `name`.

        Raises:
            PmError: E503 for a name that is not registered.
            TypeError: what is registered is no factory of this family.
        """
        if name not in self._members:
            raise PmError(
                "executor_invalid",
                executor=name,
                reason=f"there is no such entry among {self.name}",
                cure="use one of " + ", ".join(sorted(self._members)),
            )
        target = self._members[name]
        made, protocol = _named(target), _named(f"pm_orchestrator.ports.{self._factory}")
        # By its ancestors: the factories of several families have methods of the same names.
        if protocol not in made.__mro__:
            raise TypeError(f"{target} is no {protocol.__name__}")
        return cast("F", made())


def _named(target: str) -> type:
    module, _, attribute = target.partition(":")
    found: type = getattr(import_module(module), attribute)
    return found


MODELS: "Family[ModelFactory]" = Family(
    "models",
    "chat_model:ModelFactory",
    {
        "anthropic": "pm_orchestrator.adapters.models.anthropic:AnthropicModels",
        "openai": "pm_orchestrator.adapters.models.openai:OpenAIModels",
        "openai-responses": "pm_orchestrator.adapters.models.openai_responses:ResponsesModels",
        "gemini": "pm_orchestrator.adapters.models.gemini:GeminiModels",
        "ollama": "pm_orchestrator.adapters.models.ollama:OllamaModels",
    },
)
SANDBOXES: "Family[RuntimeFactory]" = Family(
    "sandboxes",
    "sandbox:RuntimeFactory",
    {
        "bwrap": "pm_orchestrator.adapters.sandboxes.bwrap:BwrapRuntimes",
    },
)
QUEUES: "Family[QueueFactory]" = Family(
    "queues",
    "message_queue:QueueFactory",
    {
        "file": "pm_orchestrator.adapters.queues.file_queue:FileQueues",
    },
)
ENGINES: "Family[EngineFactory]" = Family(
    "engines",
    "engine:EngineFactory",
    {
        "local": "pm_orchestrator.adapters.engines.local:LocalEngines",
    },
)
FORGES: "Family[ForgeFactory]" = Family(
    "forges",
    "forge:ForgeFactory",
    {
        "local": "pm_orchestrator.adapters.forges.local_review:LocalForges",
    },
)
EXECUTORS: "Family[ExecutorFactory]" = Family(
    "executors",
    "executor:ExecutorFactory",
    {
        "claude-code": "pm_orchestrator.adapters.executors.claude_code:ClaudeCodeFactory",
    },
)
