"""Opening a project: settings read, and a technology put behind every port."""

from pathlib import Path
from typing import TYPE_CHECKING

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.stores.owner_files import LocalOwners
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import RandomIds, SystemClock
from pm_orchestrator.bootstrap.config import project_directory, settings_in_force
from pm_orchestrator.bootstrap.crews.crews import make_crew
from pm_orchestrator.bootstrap.crews.solo_executor import RegisteredExecutors
from pm_orchestrator.bootstrap.directory_watch import DirectoryWatches
from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.bootstrap.host_git import HostGit
from pm_orchestrator.bootstrap.registry import FORGES
from pm_orchestrator.bootstrap.sites import site_in
from pm_orchestrator.evidence.chain.links import ahead_path, chain_path
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.guard.held_settings import HeldSettings
from pm_orchestrator.evidence.masking.masked_files import MaskedFiles
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.ports.clock import Clock, IdSource
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.project.init_project import complete_structure, hide_records, move_in
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.sheltered_records import shelter_records

if TYPE_CHECKING:
    from pm_orchestrator.domain.setup.model_list import ModelRegistry


async def open_project(
    environment: Environment,
    path: Path,
    clock: Clock | None = None,
    ids: IdSource | None = None,
    commands: LocalCommands | None = None,
) -> Project:
    """Open a project for work.

    Raises:
        PmError: E101 to E105; nothing has been written then.
    """
    paths = ProjectPaths(project_directory(path))
    complete_structure(paths)
    project = _project(
        environment, paths, clock or SystemClock(), ids or RandomIds(), commands or LocalCommands()
    )
    await recover_evidence(environment, paths, project.files)
    await hide_records(paths, project.files)
    await move_in(project)
    await shelter_records(project)
    return project


def _project(
    environment: Environment,
    paths: ProjectPaths,
    clock: Clock,
    ids: IdSource,
    commands: LocalCommands,
) -> Project:
    head = head_file(environment, paths)
    settings = settings_in_force(paths, HeldSettings(stored_files(), paths.settings, head))
    masker = environment.masker
    as_given = LocalFiles(clock, float(settings.timeouts.deadlock_timeout_seconds))
    files = MaskedFiles(as_given, masker)
    recorder = EvidenceRecorder(files, clock, ids, masker, paths.claude, head)
    recorder.compresses = settings.evidence_settings.compression_enabled
    git = HostGit(paths.root, environment, commands, clock, masker)

    def is_alive(session_id: str) -> bool:
        from pm_orchestrator.adapters.stores.owner_survey import living_owner

        return living_owner(paths.owners / f"{session_id}.json") is not None

    project = Project(
        paths=paths,
        settings=settings,
        variables=environment.variables,
        head_file=head,
        clock=clock,
        ids=ids,
        files=files,
        own_files=as_given,
        owners=LocalOwners(),
        commands=commands,
        masker=masker,
        recorder=recorder,
        book=TaskLogBook(files, clock, paths.claude, masker, lives=is_alive),
        is_alive=is_alive,
        has_key=environment.has_key,
        models=_shipped_models,
        executors=RegisteredExecutors(),
        crews=make_crew,
        watched=DirectoryWatches(
            paths=paths,
            state_home=environment.state_home,
            head_file=head,
            git=git,
            as_given=as_given,
            masker=masker,
            clock=clock,
            recorder=recorder,
        ),
        repository=git.repository,
        checkout=git.checkout,
        reviews=lambda: FORGES.load(settings.company.forge).open(site_in(project, paths.state)),
    )
    return project


def _shipped_models() -> "ModelRegistry":
    # Only who chooses a model looks at the list.
    from pm_orchestrator.bootstrap.shipped_models import model_registry

    return model_registry()


def head_file(environment: Environment, paths: ProjectPaths) -> Path:
    """One file per project in the user's state directory, named by the project's path."""
    name = str(paths.root).strip("/").replace("/", "%") or "root"
    return environment.state_home / "heads" / f"{name}.json"


def stored_files() -> DurableFiles:
    """The files of a project that is only read, where nothing else of it is opened."""
    return LocalFiles(SystemClock())


async def recover_evidence(
    environment: Environment, paths: ProjectPaths, files: DurableFiles
) -> int:
    """Bring back what a power cut took."""
    head = head_file(environment, paths)
    await files.recover(chain_path(paths.claude), ahead_path(paths.claude, head))
    return 0
