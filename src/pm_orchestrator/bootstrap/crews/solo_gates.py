"""Gates in the project directory, put together."""

import os
from pathlib import Path

from pm_orchestrator.adapters.views.copies import LocalCopies
from pm_orchestrator.adapters.views.overlay_views import OverlayViews, view_places
from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.gates.compare.base_place import turned, turned_variables
from pm_orchestrator.ports.process import Command, CommandResult, DirectoryView
from pm_orchestrator.ports.saved_files import SavedFiles
from pm_orchestrator.runner.places.judged.directory_gates import GateParts
from pm_orchestrator.runner.project.project import Project


def gate_parts(project: Project, saved_files: SavedFiles, run: Path) -> GateParts:
    """What the gates of one run stand on; `run` is its directory."""

    async def run_in(gate: Gate, where: Path, views: tuple[DirectoryView, ...]) -> CommandResult:
        root = project.paths.root
        return await project.commands.run(
            Command(
                argv=gate.argv if where == root else turned(gate.argv, root, where),
                cwd=where,
                env=_environment(project, where),
                timeout_s=float(project.settings.gates.timeout_seconds),
                views=views,
            )
        )

    return GateParts(
        root=project.paths.root,
        run_in=run_in,
        saved_files=saved_files,
        views=OverlayViews(
            project.commands, view_places(project.variables), project.variables.get("PATH", "")
        ),
        copies=LocalCopies(),
        aside=run / "changed-by-gates",
    )


def _environment(project: Project, where: Path) -> dict[str, str]:
    """The user's own environment; in a copy, Python looks there first.

    A project that is installed in editable mode would otherwise be taken from the project
    directory, and the copy would be judged by the code it was made to do without.
    """
    variables = dict(project.variables)
    if where == project.paths.root:
        return variables
    variables = turned_variables(variables, project.paths.root, where)
    places = [str(where), str(where / "src"), variables.get("PYTHONPATH", "")]
    return {**variables, "PYTHONPATH": os.pathsep.join(p for p in places if p)}
