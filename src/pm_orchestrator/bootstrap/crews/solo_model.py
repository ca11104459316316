"""A model of any vendor as solo's executor: a gateway before it, a sandbox around its commands."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from msgspec.structs import replace

from pm_orchestrator.adapters.sandboxes.host_hands import HostHands
from pm_orchestrator.agents.solo.conversations import Conversations
from pm_orchestrator.agents.solo.model_executor import HeldHands, ModelExecutor, SoloDesk
from pm_orchestrator.agents.solo.solo_toolbox import allowed_in
from pm_orchestrator.bootstrap.crews.solo_gateway import AGENT, SoloTape, solo_gateway
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.sandboxing.project_needs import sandbox_spec
from pm_orchestrator.bootstrap.sandboxing.ready_sandbox import ready_runtime
from pm_orchestrator.bootstrap.shipped_models import price_of, room_of
from pm_orchestrator.bootstrap.sites import site_in
from pm_orchestrator.bootstrap.traffic.gateway_source import model_behind
from pm_orchestrator.bootstrap.traffic.toolless_models import with_text_tools
from pm_orchestrator.dispatch.retry import RetryingModel
from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.company.spending import cost_of
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.executor import Executor, ExecutorTask
from pm_orchestrator.ports.process import Command
from pm_orchestrator.ports.sandbox import SandboxRuntime
from pm_orchestrator.runner.project.project import Project

MINUTE = 60.0
IDENTITY = {
    "user.name": ("AUTHOR_NAME", "COMMITTER_NAME"),
    "user.email": ("AUTHOR_EMAIL", "COMMITTER_EMAIL"),
}


def model_executor(project: Project, adapter: str, tape: SoloTape | None = None) -> Executor:
    """The executor that works with a model of this adapter."""
    folder, own = project.paths.state / "conversations", project.settings.budgets.prices

    def dollars_for(name: str, usage: TokenUsage) -> float | None:
        price = price_of(name, own)
        return None if price is None else float(cost_of(usage, price))

    return ModelExecutor(
        SoloDesk(
            name=adapter,
            model=partial(_model, project, adapter, tape),
            hands=partial(_hands, project),
            conversations=Conversations(project.files, folder, project.masker, project.clock),
            clock=project.clock,
            room_of=room_of,
            cost_of=dollars_for,
        )
    )


@asynccontextmanager
async def _model(
    project: Project, adapter: str, tape: SoloTape | None, task: ExecutorTask
) -> AsyncGenerator[ChatModel]:
    """The model behind the gateway, asked with patience."""
    settings, told = project.settings, task.traffic.parked if task.traffic else None
    async with solo_gateway(project, adapter, task, tape) as gateway:
        asked = model_behind(gateway, AGENT, adapter, models=settings.model_calls)
        model = with_text_tools(asked, adapter, project)
        longest = settings.company.busy_minutes * MINUTE
        yield RetryingModel(model, project.clock, longest, told)


@asynccontextmanager
async def _hands(project: Project, task: ExecutorTask) -> AsyncGenerator[HeldHands]:
    """The project directory itself in a sandbox; where there is none, commands are asked about."""
    root = project.paths.root
    environment = read_environment(project.variables)
    runtime = await _runtime(project)
    if runtime is None:
        executor = project.settings.executor
        yield HeldHands(
            hands=HostHands(project.commands, root, environment.keyless),
            allowed=allowed_in(executor.allowed_commands, executor.allowed_tools),
        )
        return
    spec = await sandbox_spec(project.settings, site_in(project, project.paths.state), task.task_id)
    sandbox = await runtime.open(
        replace(
            spec,
            bind_workspace=root,
            # What lies in the project is there already, and is the user's to be changed.
            directories=tuple(each for each in spec.directories if each.at.startswith("/")),
            files=(),
            known_as=root,
            variables={**spec.variables, **await _identity(project, environment.keyless)},
        )
    )
    try:
        yield HeldHands(hands=sandbox)
    finally:
        await sandbox.close()


async def _runtime(project: Project) -> SandboxRuntime | None:
    """None where none is ready, and none was asked for by its name."""
    try:
        return await ready_runtime(project.settings, site_in(project, project.paths.state))
    except PmError:
        if project.settings.sandbox.runtime != "auto":
            raise
        return None


async def _identity(project: Project, variables: dict[str, str]) -> dict[str, str]:
    """Who the user is to git, so that a commit they ask for is theirs."""
    argv = ("git", "config", "--get-regexp", r"^user\.(name|email)$")
    try:
        asked = await project.commands.run(
            Command(argv=argv, cwd=project.paths.root, env=variables, timeout_s=10)
        )
    except PmError:
        return {}
    found: dict[str, str] = {}
    for line in asked.stdout.decode(errors="replace").splitlines():
        key, _, value = line.partition(" ")
        found |= {f"GIT_{name}": value for name in IDENTITY.get(key, ())}
    return found
