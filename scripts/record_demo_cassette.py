"""Records the cassette of `pm-orchestrator demo` from its script, through the real product.

Run it when a prompt or a tool has changed: `make cassette`.
"""

import asyncio
import tempfile
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.gateway.cassette import save_cassette
from pm_orchestrator.adapters.gateway.recording import Recording
from pm_orchestrator.bootstrap.crews.company_crew import CompanyCrew
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.demo.sample_project import INSTRUCTION, SampleProject
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.scripted.demo_replies import REPLIES, scripted
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers

CASSETTE = Path("src/pm_orchestrator/cli/demo/cassette.json")


async def main() -> None:
    """Run the demo's instruction with scripted models and keep what they said."""
    recording = Recording(ScriptedAnswers(scripted(REPLIES)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = msgspec.structs.replace(read_environment(), state_home=folder / "state")
        sample = SampleProject(folder)
        sample.root.mkdir()
        await init_at(sample.root, adopt=False)
        app = await open_project(environment, sample.root)
        await sample.create(app.commands, environment.variables)
        app.crews = lambda project, _, options: CompanyCrew(project, options, recording)
        result = await run_task(app, INSTRUCTION, way="company")
    print(result.status, result.reason.say())
    if result.status == "COMPLETE":
        save_cassette(CASSETTE, recording.cassette)


asyncio.run(main())
