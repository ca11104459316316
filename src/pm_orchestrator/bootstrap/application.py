"""A project, opened: settings read, and the parts every kind of work shares."""

from pathlib import Path
from typing import TYPE_CHECKING

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.stores.owner_files import LocalOwners
from pm_orchestrator.adapters.stores.owner_survey import living_owner
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import RandomIds, SystemClock
from pm_orchestrator.bootstrap.config import load_settings, project_directory
from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.bootstrap.project_init import hide_records
from pm_orchestrator.bootstrap.project_structure import check_structure
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.evidence.chain.links import ahead_path, chain_path
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.look.stat_cache import StatCache
from pm_orchestrator.evidence.masking.masker import Masker, secret_literals
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.ports.clock import Clock, IdSource
from pm_orchestrator.ports.executor import ExecutorFactory
from pm_orchestrator.ports.ownership import Owners
from pm_orchestrator.ports.process import CommandRunner
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.layout import ProjectPaths

if TYPE_CHECKING:
    from pm_orchestrator.bootstrap.crew import CrewMaker
    from pm_orchestrator.runner.places.workspace import LastLook


class Application:
    """What a project's work stands on; made once per process and project."""

    def __init__(
        self,
        environment: Environment,
        paths: ProjectPaths,
        settings: Settings,
        clock: Clock | None = None,
        ids: IdSource | None = None,
    ) -> None:
        self.environment = environment
        self.paths = paths
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        self.ids: IdSource = ids or RandomIds()
        self.files: DurableFiles = LocalFiles(self.clock)
        self.owners: Owners = LocalOwners()
        self.commands: CommandRunner = LocalCommands()
        self.executors: ExecutorFactory | None = None
        """Takes the place of the registered executors."""
        self.crews: CrewMaker | None = None
        """Takes the place of the crews a project is worked on by."""
        self.last_look: LastLook | None = None
        """What the last task of this process has seen of the project."""
        self.stat_cache: StatCache | None = None
        """Contents of the project's files that were hashed already; read when first needed."""
        self.masker = Masker(secret_literals(environment.variables))
        self.recorder = EvidenceRecorder(
            self.files, self.clock, self.ids, self.masker, paths.claude, self.head_file
        )
        self.book = TaskLogBook(
            self.files, self.clock, paths.claude, self.masker, lives=self.is_alive
        )

    def is_alive(self, session_id: str) -> bool:
        """Whether the owner of a session lives."""
        return living_owner(self.paths.owners / f"{session_id}.json") is not None

    @property
    def head_file(self) -> Path:
        """The copy of the evidence chain's head, outside the project."""
        return head_file(self.environment, self.paths)


def head_file(environment: Environment, paths: ProjectPaths) -> Path:
    """One file per project in the user's state directory, named by the project's path."""
    name = str(paths.root).strip("/").replace("/", "%") or "root"
    return environment.state_home / "heads" / f"{name}.json"


async def recover_evidence(environment: Environment, paths: ProjectPaths) -> int:
    """Bring back what a power cut took, where nothing else of the project is opened."""
    head = head_file(environment, paths)
    chain, ahead = chain_path(paths.claude), ahead_path(paths.claude, head)
    await LocalFiles(SystemClock()).recover(chain, ahead)
    return 0


async def open_application(
    environment: Environment,
    project: Path,
    clock: Clock | None = None,
    ids: IdSource | None = None,
) -> Application:
    """Open a project for work.

    Raises:
        PmError: E101 to E105; nothing has been written then.
    """
    paths = ProjectPaths(project_directory(project))
    check_structure(paths)
    application = Application(environment, paths, load_settings(paths), clock, ids)
    await recover_evidence(environment, paths)
    await hide_records(paths, application.files)
    return application
