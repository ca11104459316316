"""Choosing a sandbox runtime that is ready here."""

from pm_orchestrator.bootstrap.registry import SANDBOXES
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.sandbox import SandboxRuntime


async def ready_runtime(
    settings: Settings, site: AdapterSite, wanted: str | None = None
) -> SandboxRuntime:
    """The one that is wanted, or with `auto` the strongest that is ready; never none.

    Raises:
        PmError: E701 with the cure when nothing is ready.
    """
    wanted = wanted or settings.sandbox.runtime
    names = SANDBOXES.names if wanted == "auto" else (wanted,)
    problems: list[str] = []
    for name in names:
        runtime = SANDBOXES.load(name).create(site)
        problem = await runtime.problem()
        if problem is None:
            return runtime
        problems.append(problem)
    raise PmError(
        "sandbox_not_started",
        runtime=wanted,
        reason="no sandbox is ready",
        cure="; ".join(problems) + "; or use `run --solo`",
    )
