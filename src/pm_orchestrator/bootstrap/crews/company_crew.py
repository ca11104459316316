"""The company, put together: gateway, bus, workers in sandboxes, and a journal."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.gateway.cassette import check_place
from pm_orchestrator.bootstrap.crews.company_run import CompanyRun
from pm_orchestrator.bootstrap.crews.company_workers import CompanyWorkers
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.registry import ENGINES
from pm_orchestrator.bootstrap.sandboxing.project_layer import project_layer
from pm_orchestrator.bootstrap.sandboxing.project_needs import sandbox_spec
from pm_orchestrator.bootstrap.sandboxing.ready_sandbox import ready_runtime
from pm_orchestrator.bootstrap.sites import site_in
from pm_orchestrator.bootstrap.traffic.gateway_source import (
    answers,
    models_in,
    put_into_cassette,
    recording_of,
)
from pm_orchestrator.bootstrap.traffic.run_purse import begun_purse
from pm_orchestrator.dispatch.sandbox_checkout import seeing_base
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.masking.masked_ports import MaskedEngine, masked_body
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.gates.detect.setup_recipes import SetupRecipe
from pm_orchestrator.ports.engine import RunEngine
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import SandboxRuntime, SandboxSpec
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.places.branches import COMPANY
from pm_orchestrator.runner.project.crew import Crew, Going, TaskOptions, Workplace
from pm_orchestrator.runner.project.evidence_checks import phase_reached
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import recovered
from pm_orchestrator.runner.records.task_run import TaskRun
from pm_orchestrator.runner.run.earlier_run import EarlierRun
from pm_orchestrator.runner.run.kept import KeptFiles
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import RunOrder
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.selection import Selection
from pm_orchestrator.runner.tasks.run_orders import RunOrders

REPLACED = "refs/pm/replaced/"
"""What something else has taken the place of."""


class CompanyCrew(Crew):
    """Manager, workers and merger, each model call through the gateway."""

    def __init__(
        self, project: Project, options: TaskOptions, source: AnswerSource | None = None
    ) -> None:
        """Take `source` for the models' answers, or what the options and the environment say."""
        self._project = project
        self._options = options
        self._source = source
        self._orders = RunOrders(project)

    @property
    @override
    def name(self) -> str:
        return COMPANY

    @property
    @override
    def in_directory(self) -> bool:
        return False

    @property
    @override
    def selection(self) -> Selection | None:
        return None

    @override
    async def ready(self) -> None:
        if self._source is None:
            models = models_in(self._project.settings.company, self._options.get("adapter"))
            replay, asked = self._options.get("replay"), self._project.settings.model_calls
            answers(read_environment(self._project.variables), models, replay, asked)
        record = self._options.get("record")
        if record is not None:
            check_place(record)
        project, company = self._project, self._project.settings.company
        site = site_in(project, project.paths.state)
        runtime = await ready_runtime(project.settings, site)
        workers = CompanyWorkers(self._options.get("executor") or company.executor, site)
        await workers.check(self._options.get("adapter") or company.adapter, runtime)

    @override
    @asynccontextmanager
    async def to_itself(self, held: OpenSession | None) -> AsyncGenerator[None]:
        # Branches are in nobody's way.
        await recovered(self._project, held)
        yield

    @override
    @asynccontextmanager
    async def at_work(
        self, task: TaskRun, going: Going, log: OpenLog, session: OpenSession
    ) -> AsyncGenerator[Workplace]:
        project, directory = self._project, self._project.paths.run(task.run_id)
        repository = project.repository(directory)
        if going.resumed:
            order = self._orders.read(task.run_id)
            # Steps that are done are not done again, and entering a phase is one.
            await session.enter(phase_reached(project, directory))
        else:
            order = await self._orders.make(task, going, self._options, repository)
        sandboxes = await _sandboxes(project, order)
        source = await self._answers(order, directory.folder)
        purse = begun_purse(project, order, self._options.get("caps"))
        run = CompanyRun(project, order, source, sandboxes, log, purse)
        watch = self._options.get("watch")
        if watch is not None:
            run.events.watch(watch)
        place, part_logs = run.place(repository), run.part_logs(session)
        stopped: list[str] = []
        async with AsyncExitStack() as stack:
            await run.gateway.start()
            stack.push_async_callback(run.gateway.close)

            parts = run.parts(place, session, self._earlier(order, run, repository))

            async def keep_everything(
                kind: type[BaseException] | None, _: object, __: object
            ) -> None:
                # By now nobody works any more, so this is all there will be.
                try:
                    stopped.extend(await place.put_aside())
                except PmError as error:
                    # What ended the run is what a person is told; the work is in its directory.
                    await run.logs.line("errors.log", str(error))
                if kind is not None:
                    await _note_left(parts, repository)

            stack.push_async_exit(keep_everything)

            async def close_parts(why: type[BaseException] | None, *_: object) -> None:
                stop = why is not None and issubclass(why, asyncio.CancelledError)
                await part_logs.leave(stopped=stop)

            stack.push_async_exit(close_parts)
            for worker in run.pool.workers:
                await stack.enter_async_context(_alive(run.serve(worker, repository)))
            await stack.enter_async_context(run.pool)
            stack.push_async_callback(run.log_messages)
            yield Workplace(
                order=order,
                engine=self._engine(directory, run.bodies(parts, part_logs)),
                place=place,
                kept=run.kept,
                accepted=parts.accepted,
                stopped=stopped,
            )
        if order.record is not None:
            await put_into_cassette(project, directory.folder, Path(order.record))

    def _engine(self, directory: RunDirectory, made: dict[str, Any]) -> RunEngine:
        project, masker = self._project, self._project.masker
        engines = ENGINES.load(project.settings.company.engine)
        bodies = {name: masked_body(body, masker) for name, body in made.items()}
        return MaskedEngine(engines.open(site_in(project, directory.folder), bodies), masker)

    async def _answers(self, order: RunOrder, folder: Path) -> AnswerSource:
        replay = None if order.replay is None else Path(order.replay)
        models = models_in(self._project.settings.company, order.adapter)
        source = self._source or answers(
            read_environment(self._project.variables),
            models,
            self._options.get("replay") or replay,
            self._project.settings.model_calls,
        )
        if order.record is None:
            return source
        return await recording_of(source, self._project, folder)

    def _earlier(
        self, order: RunOrder, run: CompanyRun, repository: Repository
    ) -> EarlierRun | None:
        if order.earlier is None:
            return None
        project, before = self._project, self._project.paths.run(order.earlier)
        kept = KeptFiles(project.files, before.kept, project.masker)
        return EarlierRun(kept, run.kept, repository, project.paths.root)


async def _sandboxes(
    project: Project, order: RunOrder
) -> tuple[SandboxRuntime, SandboxSpec, SetupRecipe | None]:
    """How sandboxes are made, and how a layer that they lack is."""
    settings, site = project.settings, site_in(project, project.paths.state)
    runtime = await ready_runtime(settings, site)
    wanted = await project_layer(settings, site, order.base, runtime.name)
    spec = await sandbox_spec(settings, site, order.run_id, wanted)
    spec = seeing_base(spec, project.paths.run(order.run_id).base)
    unbuilt = None if wanted is None or wanted.layer is not None else wanted.recipe
    return runtime, spec, unbuilt


async def _note_left(parts: RunParts, repository: Repository) -> None:
    """What the stopped workers have made so far, on their branches and beside them."""
    from pm_orchestrator.runner.run.left_behind import note_left

    refs = await repository.own_refs()
    made = (commit for ref, commit in refs.items() if not ref.startswith(REPLACED))
    await note_left(parts, tuple(dict.fromkeys(made)))


@asynccontextmanager
async def _alive(work: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Run `work` beside the body; it is over, whatever it did, when this is left."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
