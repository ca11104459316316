"""Which technologies there are: one line each, loaded when chosen.

What an adapter needs is asked of its factory; nobody here knows one from another.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Generic, TypeVar

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.adapter import AdapterFactory
from pm_orchestrator.ports.chat_model import ModelFactory
from pm_orchestrator.ports.engine import EngineFactory
from pm_orchestrator.ports.executor import ExecutorFactory
from pm_orchestrator.ports.forge import ForgeFactory
from pm_orchestrator.ports.message_queue import QueueFactory
from pm_orchestrator.ports.sandbox import RuntimeFactory

F = TypeVar("F", bound=AdapterFactory)


class Family(Generic[F]):
    """Technologies of one kind: names, and where the factory of each is defined."""

    def __init__(self, name: str, factory: type[F], members: Mapping[str, str]) -> None:
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
        module, _, attribute = target.partition(":")
        made: type = getattr(import_module(module), attribute)
        factory: object = made()
        # By its ancestors too: the factories of several families have methods of the same names.
        if not isinstance(factory, self._factory) or self._factory not in made.__mro__:
            raise TypeError(f"{target} is no {self._factory.__name__}")
        return factory


MODELS = Family(
    "models",
    ModelFactory,
    {
        "anthropic": "pm_orchestrator.adapters.models.anthropic:AnthropicModels",
    },
)
SANDBOXES = Family(
    "sandboxes",
    RuntimeFactory,
    {
        "bwrap": "pm_orchestrator.adapters.sandboxes.bwrap:BwrapRuntimes",
    },
)
QUEUES = Family(
    "queues",
    QueueFactory,
    {
        "file": "pm_orchestrator.adapters.queues.file_queue:FileQueues",
    },
)
ENGINES = Family(
    "engines",
    EngineFactory,
    {
        "local": "pm_orchestrator.adapters.engines.local:LocalEngines",
    },
)
FORGES = Family(
    "forges",
    ForgeFactory,
    {
        "local": "pm_orchestrator.adapters.forges.local_review:LocalForges",
    },
)
EXECUTORS = Family(
    "executors",
    ExecutorFactory,
    {
        "claude-code": "pm_orchestrator.adapters.executors.claude_code:ClaudeCodeFactory",
    },
)
