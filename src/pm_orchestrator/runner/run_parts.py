"""What the phases of one company run share, made once when the run is wired."""

import msgspec

from pm_orchestrator.domain.settings import Settings
from pm_orchestrator.evidence.masking import Masker
from pm_orchestrator.evidence.run_log import RunLogs
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import SandboxRuntime, SandboxSpec
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.run_directory import ProjectPaths, RunDirectory


class RunParts(msgspec.Struct, frozen=True, kw_only=True):
    """Ports and places of one run."""

    settings: Settings
    paths: ProjectPaths
    directory: RunDirectory
    files: DurableFiles
    repository: Repository
    runtime: SandboxRuntime
    spec: SandboxSpec
    events: EventSink
    logs: RunLogs
    masker: Masker
    clock: Clock
