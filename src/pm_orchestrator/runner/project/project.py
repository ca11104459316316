"""A project, opened: its settings, and every port that work in it goes through.

The use cases take this and nothing else, so commands, the conversation and whatever
comes later call the same functions; which technology is behind a port is not seen here.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from pm_orchestrator.domain.setup.providers import Provider
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.ports.checkout import Checkout
from pm_orchestrator.ports.clock import Clock, IdSource
from pm_orchestrator.ports.executor import ExecutorFactory
from pm_orchestrator.ports.ownership import Owners
from pm_orchestrator.ports.process import CommandRunner
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.rescue import Rescue
from pm_orchestrator.ports.saved_files import SavedFiles
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.layout import ProjectPaths, RunDirectory
from pm_orchestrator.runner.places.beside.neighbours import Neighbours
from pm_orchestrator.runner.places.record_guard import RecordGuard
from pm_orchestrator.runner.places.workspace import Workspace
from pm_orchestrator.runner.project.crew import Crew, TaskOptions
from pm_orchestrator.runner.records.task_run import Way

if TYPE_CHECKING:
    from pm_orchestrator.domain.setup.model_list import ModelRegistry
    from pm_orchestrator.ports.commit_history import CommitHistory
    from pm_orchestrator.ports.forge import Forge
    from pm_orchestrator.ports.tree_differences import TreeDifferences

PROJECT = "project"
"""Stands for the session of what is done outside of any."""


class WatchedDirectory(Protocol):
    """The project directory for one run: looked at, saved and put back."""

    @property
    def workspace(self) -> Workspace: ...

    @property
    def rescue(self) -> Rescue: ...

    @property
    def saved_files(self) -> SavedFiles: ...

    @property
    def neighbours(self) -> Neighbours: ...

    def history(self) -> "CommitHistory":
        """What of the work is in branches, tags and commits."""
        ...

    def differences(self) -> "TreeDifferences":
        """How saved trees differ."""
        ...

    def guard(self) -> RecordGuard:
        """Watches over the project's records and the policy in force."""
        ...

    def remember(self) -> None:
        """Keep what was seen for the next task; losing it costs only time."""
        ...


class Project(msgspec.Struct, kw_only=True, eq=False):
    """What a project's work stands on; made once per process and project."""

    paths: ProjectPaths
    settings: Settings
    variables: Mapping[str, str]
    """The user's environment, for programs that run as the user would run them."""
    head_file: Path
    """The copy of the evidence chain's head, outside the project."""
    clock: Clock
    ids: IdSource
    files: DurableFiles
    own_files: DurableFiles
    """The same as given, without a mask: for a file that is the user's, as the settings are."""
    owners: Owners
    commands: CommandRunner
    masker: Masker
    recorder: EvidenceRecorder
    book: TaskLogBook
    is_alive: Callable[[str], bool]
    """Whether the owner of a session lives."""
    has_key: Callable[[Provider], bool]
    models: "Callable[[], ModelRegistry]"
    """The models a person can choose from."""
    executors: ExecutorFactory
    crews: "Callable[[Project, Way, TaskOptions], Crew]"
    """The crew for a way of working; raises E211 or E503 when it cannot work here."""
    watched: Callable[[RunDirectory], WatchedDirectory]
    repository: Callable[[RunDirectory], Repository]
    """A run's own repository."""
    checkout: Callable[[RunDirectory | None], Checkout]
    """The user's repository; what is asked of it is logged with the run."""
    reviews: "Callable[[], Forge]"
    """Where finished runs are put before a person."""
