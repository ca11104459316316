"""Raw logs are kept as long as the settings say: pruned when asked, and quietly once a day."""

from datetime import timedelta
from typing import TYPE_CHECKING

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.runner.project.project import Project

if TYPE_CHECKING:
    from pm_orchestrator.evidence.chain.pruning import PruneReport

EVERY = timedelta(days=1)
TIME = len("2026-01-15T09:00:00.000Z")


async def prune_evidence(
    project: Project, older_than: int | None = None, *, dry_run: bool = False
) -> "PruneReport":
    """Prune what is older than so many days, or than the settings want it kept.

    Raises:
        PmError: as `Pruning.prune`.
    """
    # Once a day at most.
    from pm_orchestrator.evidence.chain.pruning import Pruning, SessionsInUse

    days = older_than or project.settings.evidence_settings.retention_days
    sessions = SessionsInUse(entries=project.book.entries, in_use=project.is_alive)
    pruning = Pruning(project.files, project.recorder, project.paths.claude, sessions)
    return await pruning.prune(_ago(project, timedelta(days=days)), dry_run=dry_run)


async def prune_quietly(project: Project) -> None:
    """Keep to the settings without being asked, at most once a day.

    `state/pruning.log` has a line for each time. What goes wrong is in there too: it is no
    reason not to work, and the next day it is tried again.
    """
    log = project.paths.state / "pruning.log"
    try:
        last = project.files.read(log).splitlines()[-1][:TIME].decode(errors="replace")
    except (FileNotFoundError, IndexError):
        last = ""
    if _ago(project, EVERY) < last <= iso(project.clock.now()):
        return
    try:
        told = f"pruned {(await prune_evidence(project)).pruned}"
    except (PmError, OSError) as error:
        told = " ".join(str(error).split())
    project.files.note(log, f"{iso(project.clock.now())} {told}\n".encode())


def _ago(project: Project, time: timedelta) -> str:
    return iso(project.clock.now() - time)
