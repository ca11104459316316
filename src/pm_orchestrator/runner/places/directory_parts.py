"""What a project directory is worked on with."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pm_orchestrator.domain.company.supervision import WatchLimits
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.executor import Executor, Person
from pm_orchestrator.ports.gate_programs import Programs
from pm_orchestrator.ports.hands import Hands
from pm_orchestrator.ports.saved_files import SavedFiles
from pm_orchestrator.runner.places.beside.neighbours import Neighbours
from pm_orchestrator.runner.places.record_guard import RecordGuard
from pm_orchestrator.runner.places.workspace import Workspace
from pm_orchestrator.runner.records.notes import Notes

if TYPE_CHECKING:
    from pm_orchestrator.ports.commit_history import CommitHistory
    from pm_orchestrator.ports.gateway import ModelTraffic
    from pm_orchestrator.runner.places.judged.directory_gates import GateParts


class DirectoryParts(msgspec.Struct, frozen=True, kw_only=True):
    """What one executor in one directory works with."""

    root: Path
    executor: Executor
    hands: Hands
    """What the executor works with, in the directory."""
    workspace: Workspace
    neighbours: Neighbours
    guard: RecordGuard
    saved_files: SavedFiles
    programs: Programs
    history: "Callable[[], CommitHistory]"
    """Made when a commit or a ref was asked for."""
    gates: "Callable[[], GateParts]"
    """Made when a gate is to be run; many tasks need none."""
    settings: Settings
    masker: Masker
    clock: Clock
    log: OpenLog
    note: Notes
    events: EventSink
    run_id: str
    task_id: str
    instruction: str
    """As the user gave it; records hold it masked."""
    goes_on: bool = False
    """The task has had a run before, and is judged from what was there before that."""
    conversation: str | None = None
    """The executor's own session, where it goes on in one."""
    fresh_conversation: str | None = None
    """What a new one is called."""
    attended: bool = False
    """Somebody is there who can answer what the executor asks at its terminal."""
    person: Person | None = None
    """Who is asked what it may not decide by itself."""
    traffic: "ModelTraffic | None" = None
    """Has on record what passes between the executor and its model, where we see it."""
    timers: WatchLimits | None = None
    """Timers that mean the executor is stuck; None for the budget of the settings."""

    @property
    def limits(self) -> WatchLimits:
        """How long the executor may work, and be silent."""
        return self.timers or WatchLimits(
            seconds=float(self.settings.task_limits.seconds),
            silence_seconds=float(self.settings.timeouts.operation_timeout_seconds),
        )
