"""Which technologies there are: one line each, loaded when chosen."""

from importlib import import_module
from typing import Any

from pm_orchestrator.domain.errors import PmError

REGISTRY: dict[str, dict[str, str]] = {
    "models": {
        "anthropic": "pm_orchestrator.adapters.models.anthropic:AnthropicModel",
    },
    "sandboxes": {
        "bwrap": "pm_orchestrator.adapters.sandboxes.bwrap:BwrapRuntime",
    },
    "queues": {
        "file": "pm_orchestrator.adapters.queues.file_queue:FileQueue",
    },
    "engines": {
        "local": "pm_orchestrator.adapters.engines.local:LocalEngine",
    },
    "executors": {
        "claude-code": "pm_orchestrator.adapters.executors.claude_code:ClaudeCodeFactory",
    },
}


def adapter(family: str, name: str) -> Any:
    """The class registered under `name`.

    Raises:
        PmError: E503 for a name that is not registered.
    """
    known = REGISTRY[family]
    if name not in known:
        raise PmError(
            "executor_invalid",
            executor=name,
            reason=f"there is no such entry among {family}",
            cure="use one of " + ", ".join(sorted(known)),
        )
    module, _, attribute = known[name].partition(":")
    return getattr(import_module(module), attribute)
