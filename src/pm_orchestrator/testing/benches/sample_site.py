"""The demo's sample project, opened for a company run in a test."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from typing_extensions import Unpack

from pm_orchestrator.bootstrap.crews.company_crew import CompanyCrew
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.demo.sample_project import INSTRUCTION, SampleProject
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.run_events import RunEvent
from pm_orchestrator.ports.clock import Clock, IdSource
from pm_orchestrator.runner.project.crew import TaskOptions
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.tasks.resume import resume_run
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.scripted.demo_replies import Block, scripted
from pm_orchestrator.testing.scripted.scripted_answers import Script, ScriptedAnswers

Replies = Mapping[str, list[list[Block]]]


class Site:
    """A project, and what happened in it."""

    def __init__(self, app: Project, sample: SampleProject) -> None:
        self.app = app
        self.root = sample.root
        self.remote = sample.remote
        self.events: list[RunEvent] = []
        self.answers: Callable[[Script], ScriptedAnswers] = ScriptedAnswers

    async def run(
        self,
        replies: Replies,
        instruction: str = INSTRUCTION,
        **options: Unpack[TaskOptions],
    ) -> RunResult:
        """Send the demo's instruction, or another, through the product with scripted models."""
        self.answer_with(replies)
        options["watch"] = self.events.append
        return await run_task(self.app, instruction, way="company", **options)

    async def resume(self, replies: Replies, run_id: str) -> RunResult:
        """Take up a run that was cut off."""
        self.answer_with(replies)
        return await resume_run(self.app, run_id, watch=self.events.append)

    def answer_with(self, replies: Replies) -> None:
        """Let scripted models answer from now on."""
        source = self.answers(scripted(replies))
        self.app.crews = lambda project, _, options: CompanyCrew(project, options, source)


async def open_site(
    folder: Path,
    clock: Clock | None = None,
    ids: IdSource | None = None,
    state: str = "state",
) -> Site:
    """Make the sample project in `folder`; nothing is written outside it.

    `state` is where the user's state goes: `pm-orchestrator` is where a program finds it
    whose XDG_STATE_HOME is `folder`.
    """
    environment = msgspec.structs.replace(read_environment(), state_home=folder / state)
    sample = SampleProject(folder)
    sample.root.mkdir(parents=True)
    await init_at(sample.root, adopt=False)
    app = await open_project(environment, sample.root, clock, ids)
    await sample.create(app.commands, environment.variables)
    return Site(app, sample)
