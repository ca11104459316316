"""What the adapters of a project may build on."""

from pathlib import Path

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.runner.project.project import Project


def site_in(project: Project, directory: Path) -> AdapterSite:
    """For an adapter with files in `directory`, where it has any."""
    environment = read_environment(project.variables)
    return AdapterSite(
        project=project.paths.root,
        directory=directory,
        variables=environment.keyless,
        search_path=environment.search_path,
        clock=project.clock,
        ids=project.ids,
        files=project.files,
        commands=project.commands,
    )
