"""Gates in the project directory, put together."""

import os
from pathlib import Path

from pm_orchestrator.adapters.views.copies import LocalCopies
from pm_orchestrator.adapters.views.overlay_views import OverlayViews, view_places
from pm_orchestrator.bootstrap.crews.solo_programs import SoloPrograms
from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.gates.compare.base_place import turned, turned_variables
from pm_orchestrator.ports.process import Command, CommandResult, DirectoryView
from pm_orchestrator.ports.saved_files import SavedFiles
from pm_orchestrator.runner.places.judged.directory_gates import GateParts
from pm_orchestrator.runner.project.project import Project


def gate_parts(
    project: Project, saved_files: SavedFiles, programs: SoloPrograms, run: Path
) -> GateParts:
    """What the gates of one run stand on; `run` is its directory."""
    variables = programs.variables

    async def run_in(gate: Gate, where: Path, views: tuple[DirectoryView, ...]) -> CommandResult:
        root, given = project.paths.root, dict(variables)
        if not views:
            # Nothing can be hidden from it, so it does without the folders that got newcomers.
            given = _without(
                {path.parent for path in (await programs.outside_changes()).newcomers}, given
            )
        return await project.commands.run(
            Command(
                argv=gate.argv if where == root else turned(gate.argv, root, where),
                cwd=where,
                env=_environment(given, root, where),
                timeout_s=float(project.settings.gates.timeout_seconds),
                views=views,
            )
        )

    return GateParts(
        root=project.paths.root,
        run_in=run_in,
        saved_files=saved_files,
        views=OverlayViews(
            project.commands, view_places(project.variables), variables.get("PATH", "")
        ),
        copies=LocalCopies(),
        outside_changes=programs.outside_changes,
        aside=run / "changed-by-gates",
    )


def _without(folders: set[Path], variables: dict[str, str]) -> dict[str, str]:
    path = variables.get("PATH", "").split(os.pathsep)
    kept = [folder for folder in path if Path(folder) not in folders]
    return {**variables, "PATH": os.pathsep.join(kept)} if folders else variables


def _environment(variables: dict[str, str], root: Path, where: Path) -> dict[str, str]:
    """The user's own environment; in a copy, Python looks there first.

    A project that is installed in editable mode would otherwise be taken from the project
    directory, and the copy would be judged by the code it was made to do without.
    """
    if where == root:
        return variables
    variables = turned_variables(variables, root, where)
    places = [str(where), str(where / "src"), variables.get("PYTHONPATH", "")]
    return {**variables, "PYTHONPATH": os.pathsep.join(p for p in places if p)}
