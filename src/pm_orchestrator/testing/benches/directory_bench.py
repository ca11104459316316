"""A project directory with a scripted agent in it, with git and without."""

from collections.abc import Mapping
from pathlib import Path

from pm_orchestrator.bootstrap.crews.solo_crew import SoloCrew
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.testing.benches.git_project import ENVIRONMENT, GitProject
from pm_orchestrator.testing.benches.place_bench import Ending, PlaceBench, ShellAgent
from pm_orchestrator.testing.scripted.fake_executors import FixedExecutors


async def directory_bench(
    folder: Path, files: Mapping[str, str], *, with_git: bool = True
) -> PlaceBench:
    """A project with `files`, committed where there is git."""
    root = folder / "project"
    project = GitProject(root) if with_git else GitProject.at(root)
    for name, text in files.items():
        project.write(name, text)
    if with_git:
        project.commit("start")
    await init_at(root, adopt=False)
    home = str(folder / "home")
    variables = {**ENVIRONMENT, "HOME": home, "XDG_STATE_HOME": home}
    app = await open_project(read_environment(variables), root)
    agent = ShellAgent()
    app.executors = FixedExecutors(agent)

    def tell(script: str, ending: Ending) -> None:
        agent.script, agent.breaks = script, ending == "breaks"

    return PlaceBench(app, SoloCrew(app, {}), tell)
