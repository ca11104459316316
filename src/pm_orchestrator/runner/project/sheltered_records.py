"""Our records out of the way of the user's git: neither committed nor cleaned away."""

from pathlib import Path

from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.project.project import Project


def record_folders(paths: ProjectPaths) -> tuple[Path, ...]:
    """The folders that hold nothing but records."""
    claude = paths.claude
    return (claude / "logs", claude / "raw", claude / "evidence", paths.home)


async def shelter_records(project: Project) -> None:
    """Have git ignore the records and leave them where they are.

    Without a repository there is nothing to shelter from; one that comes later is seen
    when the project is opened.
    """
    await project.checkout(None).shelter(*record_folders(project.paths))
