"""Initialising a project as an operation of the Runner: with its evidence."""

from pathlib import Path

from pm_orchestrator.adapters.git.command import Git, isolated_environment
from pm_orchestrator.adapters.git.user.excluded import exclude
from pm_orchestrator.bootstrap.application import Application, open_application
from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.bootstrap.project_init import init_at
from pm_orchestrator.ports.recorder import Operation

PROJECT = "project"
"""Stands for the session of what is done outside of any."""

STATE_FILES = (".claude/repl.json", ".claude/repl.json.lock")


async def initialise(environment: Environment, project: Path, *, adopt: bool) -> list[Path]:
    """Make `project` a project, on the record; returns what was created.

    Raises:
        PmError: E210 when something is there and `adopt` was not asked for; E102 to E105.
    """
    made = await init_at(project, adopt=adopt)
    app = await open_application(environment, project)
    names = [path.relative_to(app.paths.root).as_posix() for path in made]
    await app.recorder.record(
        Operation(
            type="init_project",
            raw="\n".join(f"created {name}" for name in names) or "nothing was missing",
            session_id=PROJECT,
            task_id="init",
        )
    )
    await _keep_out_of_commits(app)
    return made


async def _keep_out_of_commits(app: Application) -> None:
    async def nowhere(_line: str) -> None:
        """There is no run whose log it could be."""

    git = Git(app.commands, app.clock, nowhere, isolated_environment(app.environment.search_path))
    for name in STATE_FILES:
        await exclude(git, app.paths.root, name)
