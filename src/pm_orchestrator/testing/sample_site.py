"""The demo's sample project, opened for a company run in a test."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from pm_orchestrator.bootstrap.application import Application, open_application
from pm_orchestrator.bootstrap.company import CompanyRequest, run_company
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.project_init import init_at
from pm_orchestrator.cli.demo.sample_project import INSTRUCTION, SampleProject
from pm_orchestrator.domain.report import RunResult
from pm_orchestrator.ports.clock import Clock, IdSource
from pm_orchestrator.ports.events import RunEvent
from pm_orchestrator.testing.demo_replies import Block, scripted
from pm_orchestrator.testing.scripted_answers import ScriptedAnswers

Replies = Mapping[str, list[list[Block]]]


class Site:
    """A project, and what happened in it."""

    def __init__(self, app: Application, sample: SampleProject) -> None:
        self.app = app
        self.root = sample.root
        self.remote = sample.remote
        self.events: list[RunEvent] = []

    async def run(self, replies: Replies, **request: object) -> RunResult:
        """Send the demo's instruction through the product with scripted models."""
        asked = msgspec.convert({"instruction": INSTRUCTION, **request}, CompanyRequest)
        source = ScriptedAnswers(scripted(replies))
        return await run_company(self.app, asked, self.events.append, source)


async def open_site(folder: Path, clock: Clock | None = None, ids: IdSource | None = None) -> Site:
    """Make the sample project in `folder`; nothing is written outside it."""
    environment = msgspec.structs.replace(read_environment(), state_home=folder / "state")
    sample = SampleProject(folder)
    sample.root.mkdir(parents=True)
    await init_at(sample.root, adopt=False)
    app = await open_application(environment, sample.root, clock, ids)
    await sample.create(app.commands, environment.variables)
    return Site(app, sample)
