"""Which executor works: the registered one of the settings, in its wrapper."""

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.bootstrap.executor_mode import STUB, in_production, stub_wanted
from pm_orchestrator.bootstrap.registry import EXECUTORS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.providers import DEFAULT_PROVIDER, KEY_VARIABLES, Provider
from pm_orchestrator.ports.executor import Executor, ExecutorConfig, ExecutorFactory
from pm_orchestrator.runner.places.asked.auto_resolving import AutoResolving, named_file, preferred
from pm_orchestrator.runner.project.project import Project


class RegisteredExecutors(ExecutorFactory):
    """Makes the executor that the settings name, or the stub a test environment asks for."""

    @override
    def create(self, config: ExecutorConfig) -> Executor:
        if stub_wanted(config.variables):
            return _stub(config)
        name = config.settings.name
        if name in KEY_VARIABLES and name not in EXECUTORS.names:
            known = ", ".join(sorted(EXECUTORS.names))
            raise PmError("provider_without_executor", provider=name, known=known)
        return EXECUTORS.load(name).create(config)


def _stub(config: ExecutorConfig) -> Executor:
    if in_production(config.variables):
        # The program is stopped before it comes here; this holds for other callers.
        raise PmError(
            "executor_invalid",
            executor=STUB,
            reason="it is forbidden in production",
            cure="unset PM_EXECUTOR_MODE",
        )
    from pm_orchestrator.adapters.executors.recovery_stub import RecoveryStubFactory

    return RecoveryStubFactory().create(config)


def make_executor(project: Project, provider: Provider = DEFAULT_PROVIDER) -> Executor:
    """The executor of a solo task: the coding CLI of the settings, or the provider's own.

    Raises:
        PmError: E503 for a provider without one; no other is put in its place.
    """
    settings = project.settings.executor
    config = ExecutorConfig(
        settings=settings if provider == DEFAULT_PROVIDER else replace(settings, name=provider),
        variables=project.variables,
        clock=project.clock,
    )
    inner = project.executors.create(config)
    rules = (preferred(config.settings.preferences), named_file)
    return AutoResolving(inner, rules, project.clock)
