"""Branches keep the contract of places, with real git and a real sandbox."""

from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.bootstrap.crews.company_crew import CompanyCrew
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.testing.benches.git_project import ENVIRONMENT, GitProject
from pm_orchestrator.testing.benches.place_bench import Ending, PlaceBench
from pm_orchestrator.testing.contracts.place_contract import FILES, PlaceContract
from pm_orchestrator.testing.scripted.demo_replies import Block, call, scripted
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers

pytestmark = pytest.mark.timeout(90)


class TestBranches(PlaceContract):
    @pytest.fixture
    @override
    async def bench(self, tmp_path: Path) -> PlaceBench:
        project = GitProject(tmp_path / "project")
        for name, text in FILES.items():
            project.write(name, text)
        project.commit("start")
        await init_at(project.path, adopt=False)
        home = str(tmp_path / "home")
        variables = {**ENVIRONMENT, "HOME": home, "XDG_STATE_HOME": home}
        app = await open_project(read_environment(variables), project.path)
        replies: dict[str, list[list[Block]]] = {}

        def tell(script: str, ending: Ending) -> None:
            turns = [[call("run_command", command=f"set -e; {script}")]]
            if ending == "delivers":
                turns.append([call("git_commit", message="Do it")])
            if ending != "breaks":
                turns.append([call("task_complete", summary="Done.")])
            replies[f"worker/01/{len(replies) + 1}"] = turns

        source = ScriptedAnswers(scripted(replies))
        return PlaceBench(app, CompanyCrew(app, {"workers": 1}, source), tell)
