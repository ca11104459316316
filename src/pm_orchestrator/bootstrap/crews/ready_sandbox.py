"""Choosing a sandbox runtime that is ready here."""

from pm_orchestrator.bootstrap.registry import SANDBOXES
from pm_orchestrator.bootstrap.sites import site_in
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.sandbox import SandboxRuntime
from pm_orchestrator.runner.project.project import Project


async def ready_runtime(project: Project) -> SandboxRuntime:
    """The configured runtime, or with `auto` the strongest that is ready; never none.

    Raises:
        PmError: E701 with the cure when nothing is ready.
    """
    wanted = project.settings.sandbox.runtime
    names = SANDBOXES.names if wanted == "auto" else (wanted,)
    problems: list[str] = []
    for name in names:
        runtime = SANDBOXES.load(name).create(site_in(project, project.paths.state))
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
