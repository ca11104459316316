"""Which executor works: the registered one of the settings, in its wrapper."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.bootstrap.executor_mode import STUB, in_production, stub_wanted
from pm_orchestrator.bootstrap.registry import EXECUTORS, MODELS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.providers import DEFAULT_PROVIDER, KEY_VARIABLES
from pm_orchestrator.ports.executor import Executor, ExecutorConfig, ExecutorFactory
from pm_orchestrator.runner.places.asked.auto_resolving import AutoResolving, named_file, preferred
from pm_orchestrator.runner.project.project import Project

if TYPE_CHECKING:
    from pm_orchestrator.bootstrap.crews.solo_gateway import SoloTape
    from pm_orchestrator.ports.events import EventSink
    from pm_orchestrator.ports.gateway import ModelTraffic
    from pm_orchestrator.runner.records.notes import Notes


class RegisteredExecutors(ExecutorFactory):
    """Makes the executor that the settings name, or the stub a test environment asks for."""

    @override
    def create(self, config: ExecutorConfig) -> Executor:
        if stub_wanted(config.variables):
            return _stub(config)
        name = config.settings.name
        if config.by_model is not None and is_model(name):
            return config.by_model(name)
        made, vendor = EXECUTORS.load(name).create(config), vendor_of(name, config.variables)
        if config.metered is None or vendor is None:
            return made
        return config.metered(vendor, made)


def is_model(name: str) -> bool:
    """Whether a model API is meant, which works through a loop of ours."""
    return name in MODELS.names and name not in EXECUTORS.names


def vendor_of(name: str, variables: Mapping[str, str]) -> str | None:
    """Whose models a coding CLI asks with a key in the environment; None where it has a login."""
    if name not in EXECUTORS.names:
        return None
    factory = EXECUTORS.load(name)
    vendor = factory.vendor
    keys = {known: key for known, key in KEY_VARIABLES.items() if known == vendor}
    with_key = any(variables.get(key) for key in keys.values())
    past = any(variables.get(way) for way in factory.ways_past)
    return vendor if with_key and not past else None


def refuse_unready_model(
    project: Project, name: str, model: str | None, *, keyless: bool = False
) -> None:
    """Stop before anything is written about a task whose model cannot be asked.

    Raises:
        PmError: E211 without a model or the key of its vendor.
    """
    if not is_model(name):
        return
    if model is None:
        raise PmError("adapter_without_model", adapter=name)
    upstream = MODELS.load(name).upstream
    if not keyless and not upstream.is_ready(project.variables):
        raise PmError("key_not_set", provider=name, variable=upstream.key_variable)


def traffic_of(
    project: Project, name: str, note: "Notes", events: "EventSink"
) -> "ModelTraffic | None":
    """What has the exchanges with a model on record, where they go through us."""
    if not is_model(name) and vendor_of(name, project.variables) is None:
        return None
    from pm_orchestrator.runner.places.beside.recorded_traffic import RecordedTraffic

    return RecordedTraffic(note, events, project.masker)


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


def make_executor(
    project: Project, provider: str = DEFAULT_PROVIDER, tape: "SoloTape | None" = None
) -> Executor:
    """The executor of a solo task: the coding CLI of the settings, or the provider's own.

    Raises:
        PmError: E503 for a provider without one; no other is put in its place.
    """
    settings = project.settings.executor
    config = ExecutorConfig(
        settings=settings if provider == DEFAULT_PROVIDER else replace(settings, name=provider),
        variables=project.variables,
        clock=project.clock,
        by_model=lambda name: _by_model(project, name, tape),
        metered=lambda vendor, inner: _metered(project, vendor, inner),
    )
    inner = project.executors.create(config)
    rules = (preferred(config.settings.preferences), named_file)
    return AutoResolving(inner, rules, project.clock)


def _metered(project: Project, vendor: str, inner: Executor) -> Executor:
    # Without a key it is the user's own login, and nothing of this is needed.
    from pm_orchestrator.bootstrap.crews.solo_gateway import MeteredExecutor

    return MeteredExecutor(project, vendor, inner)


def tape_of(
    project: Project, provider: str, replay: Path | None, record: Path | None
) -> "SoloTape | None":
    """The cassette that was asked for.

    Raises:
        PmError: E210 for a coding CLI, which acts by itself; E604 for one that is no use.
    """
    if replay is None and record is None:
        return None
    name = project.settings.executor.name if provider == DEFAULT_PROVIDER else provider
    if not is_model(name):
        raise PmError("cassette_only_gateway", executor=name)
    from pm_orchestrator.bootstrap.crews.solo_gateway import SoloTape

    return SoloTape(project, replay, record)


def _by_model(project: Project, name: str, tape: "SoloTape | None") -> Executor:
    # A coding CLI brings all of this itself.
    from pm_orchestrator.bootstrap.crews.solo_model import model_executor

    return model_executor(project, name, tape)
