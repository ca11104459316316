"""Who works on a task and where: what the use cases need to know of either way of working."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypedDict

import msgspec

from pm_orchestrator.domain.company.supervision import WatchLimits
from pm_orchestrator.domain.tasks.task import AskedLimits, TaskResult
from pm_orchestrator.evidence.records.event_log import EventWatcher
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.ports.engine import RunEngine
from pm_orchestrator.ports.executor import Person
from pm_orchestrator.runner.places.place import Place
from pm_orchestrator.runner.records.execution_record import Spoken
from pm_orchestrator.runner.records.task_run import TaskRun, Way
from pm_orchestrator.runner.run.kept import Kept
from pm_orchestrator.runner.run.steps import RunOrder
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.selection import Selection

if TYPE_CHECKING:
    from pm_orchestrator.domain.company.spending import Caps


class TaskOptions(TypedDict, total=False):
    """How to work, besides what on."""

    adapter: str | None
    """The model API that a company asks for this task alone; otherwise that of the settings."""
    executor: str | None
    """What a company's workers are for this task alone; otherwise that of the settings."""
    model: str | None
    """For this task alone; otherwise the selected one."""
    watch: EventWatcher | None
    timers: WatchLimits | None
    spoken: Spoken | None
    """The executor's conversation that a new task goes on in; by default it begins one."""
    limits: AskedLimits | None
    """What this task may do instead of what the settings allow."""
    caps: "Caps | None"
    """What this run may spend on models, whatever the settings say."""
    attended: bool
    """Somebody is there who can be asked."""
    person: Person | None
    """The same, as the executor asks them while it works."""
    ended: Callable[[TaskResult], None] | None
    """Told how the task ended, at every end, once its records are closed."""
    workers: int | None
    base: str
    """The commit a company starts from."""
    replay: Path | None
    """Answers come from this recording instead of a provider."""
    record: Path | None
    """Answers are recorded, to be put here when the task has come to its end."""


class Going(msgspec.Struct, frozen=True, kw_only=True):
    """What a run sets out with."""

    instruction: str
    earlier: str | None = None
    """The run of the same task before this one."""
    conversation: str | None = None
    """The executor's own session, where it goes on in one."""
    permitted: frozenset[str] = frozenset()
    """Calls that a person permitted the executor in this task, each in one line."""
    resumed: bool = False
    """The very run that was cut off is taken up again."""


class Workplace(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one run works with, alive."""

    order: RunOrder
    engine: RunEngine
    place: Place
    kept: Kept
    accepted: list[str]
    """Sub-tasks that were proved so far."""
    stopped: list[str] = msgspec.field(default_factory=list[str])
    """Refs that hold what there was when it was stopped."""


class Crew(Protocol):
    """One way of working, in an opened project."""

    @property
    def name(self) -> str:
        """Who works, for the records."""
        ...

    @property
    def in_directory(self) -> bool:
        """Whether the work is done in the project directory."""
        ...

    @property
    def selection(self) -> Selection | None: ...

    async def ready(self) -> None:
        """Pass if it can work; before anything is written about the task.

        Raises:
            PmError: E211 without a key, E701 without a sandbox, with the cure.
        """
        ...

    def to_itself(self, held: OpenSession | None) -> AbstractAsyncContextManager[None]:
        """The right to work; nobody who would be in the way has it at the same time.

        Raises:
            PmError: E402 naming who does.
        """
        ...

    def at_work(
        self, task: TaskRun, going: Going, log: OpenLog, session: OpenSession
    ) -> AbstractAsyncContextManager[Workplace]:
        """Bring the workplace to life; nothing of it is running afterwards."""
        ...


CrewMaker = Callable[[Way, TaskOptions], Crew]
