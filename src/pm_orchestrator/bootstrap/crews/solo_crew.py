"""Solo, put together: one executor in the project directory, on an engine without a journal."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.engines.direct import DirectEngine
from pm_orchestrator.adapters.sandboxes.host_hands import HostHands
from pm_orchestrator.bootstrap.crews.model_opinion import second_voice
from pm_orchestrator.bootstrap.crews.solo_executor import (
    make_executor,
    refuse_unready_model,
    tape_of,
    traffic_of,
)
from pm_orchestrator.bootstrap.crews.solo_programs import SoloPrograms
from pm_orchestrator.domain.cancelling import to_its_end
from pm_orchestrator.domain.company.supervision import WatchLimits
from pm_orchestrator.domain.history.log_contents import ExecutorOutput, contents
from pm_orchestrator.domain.ids import conversation_id, ticket_id
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.evidence.records.answer_book import AnswerBook
from pm_orchestrator.evidence.records.event_log import EventLog
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.evidence.records.task_facts import FactsBook
from pm_orchestrator.runner.places.asked.asked_person import asked_person
from pm_orchestrator.runner.places.directory_parts import DirectoryParts
from pm_orchestrator.runner.places.project_directory import ProjectDirectory
from pm_orchestrator.runner.project.crew import Crew, Going, TaskOptions, Workplace
from pm_orchestrator.runner.project.evidence_checks import own_evidence
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import directory_to_itself
from pm_orchestrator.runner.project.selecting import ready_selection
from pm_orchestrator.runner.records.notes import Notes
from pm_orchestrator.runner.records.task_run import TaskRun
from pm_orchestrator.runner.run.bodies import Others, bodies, plainly
from pm_orchestrator.runner.run.kept import KeptInMemory
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import RunOrder
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.selection import Selection

if TYPE_CHECKING:
    from pm_orchestrator.dispatch.purse import Purse
    from pm_orchestrator.runner.places.judged.directory_gates import GateParts


class SoloCrew(Crew):
    """The configured executor, as the user would run it."""

    def __init__(self, project: Project, options: TaskOptions) -> None:
        """Choose the executor.

        Raises:
            PmError: E211 or E503 when it cannot work here.
        """
        self._project = project
        self._options = options
        replay, model = options.get("replay"), options.get("model")
        keyless = replay is not None
        self._chosen = ready_selection(project, model, options.get("adapter"), keyless=keyless)
        provider = self._chosen.provider
        self._tape = tape_of(project, provider, replay, options.get("record"))
        self._executor = make_executor(project, provider, self._tape)
        refuse_unready_model(project, self._executor.name, self._chosen.model, keyless=keyless)

    @property
    @override
    def name(self) -> str:
        return self._executor.name

    @property
    @override
    def in_directory(self) -> bool:
        return True

    @property
    @override
    def selection(self) -> Selection | None:
        return self._chosen

    @override
    async def ready(self) -> None:
        # Whoever could not work was refused when the crew was made.
        return

    @override
    def to_itself(self, held: OpenSession | None) -> AbstractAsyncContextManager[None]:
        return directory_to_itself(self._project, held, self.name)

    @override
    @asynccontextmanager
    async def at_work(
        self, task: TaskRun, going: Going, log: OpenLog, session: OpenSession
    ) -> AsyncGenerator[Workplace]:
        project, run = self._project, self._project.paths.runs / task.run_id
        events = EventLog(run, task.run_id, project.masker, project.clock)
        watch = self._options.get("watch")
        if watch is not None:
            events.watch(watch)
        watched = project.watched(project.paths.run(task.run_id))
        note = Notes(project.recorder, task, log.note_evidence)

        guard = watched.guard()
        programs = SoloPrograms(project)

        def gates() -> "GateParts":
            from pm_orchestrator.bootstrap.crews.solo_gates import gate_parts

            return gate_parts(project, watched.saved_files, programs, run)

        place = ProjectDirectory(
            DirectoryParts(
                root=project.paths.root,
                executor=self._executor,
                hands=HostHands(project.commands, project.paths.root, project.variables),
                workspace=watched.workspace,
                neighbours=watched.neighbours,
                guard=guard,
                saved_files=watched.saved_files,
                programs=programs,
                history=watched.history,
                gates=gates,
                settings=project.settings,
                masker=project.masker,
                clock=project.clock,
                log=log,
                note=note,
                events=events,
                run_id=task.run_id,
                task_id=task.task_id,
                instruction=going.instruction,
                goes_on=going.earlier is not None,
                conversation=going.conversation,
                fresh_conversation=conversation_id(project.ids.token(32)),
                attended=self._options.get("attended", False),
                person=asked_person(
                    self._options.get("person"), going.permitted, project.masker, note
                ),
                traffic=traffic_of(project, self._executor.name, note, events),
                timers=self._options.get("timers"),
            )
        )

        def meter() -> "Purse":
            from pm_orchestrator.bootstrap.traffic.run_purse import open_purse

            return open_purse(project, task, self._options.get("caps"))

        parts = RunParts(
            order=self._order(task, going),
            place=place,
            log=log,
            kept=KeptInMemory(),
            note=note,
            settings=_with_time(project.settings, self._options.get("timers")),
            events=events,
            masker=project.masker,
            clock=project.clock,
            facts=FactsBook(project.files, project.paths.claude, project.masker),
            answers=AnswerBook(project.files, project.paths.claude, project.masker),
            entered=session.enter,
            check_evidence=lambda: own_evidence(project, note.hashes, log.evidence, guard.lost),
            # What is recorded or replayed asks nobody besides.
            second_voice=None if self._tape is not None else second_voice(project, meter),
        )
        engine = DirectEngine(bodies(parts, plainly(note), Others()), project.clock)
        workplace = Workplace(
            order=parts.order, engine=engine, place=place, kept=parts.kept, accepted=[]
        )
        if project.settings.budgets.limits_days:
            meter().refuse_spent_day()
        before = len(list(contents(log.log.events, ExecutorOutput)))
        try:
            try:
                yield workplace
            finally:
                told = list(contents(log.log.events, ExecutorOutput))[before:]
                if any(output.tokens_used for output in told):
                    from pm_orchestrator.bootstrap.traffic.told_spending import note_told

                    note_told(project, parts.order, self._executor.name, told)
        except BaseException as error:
            from pm_orchestrator.runner.run.left_behind import note_left

            workplace.stopped.extend(await place.put_aside())
            _, cut = await to_its_end(note_left(parts))
            if cut:
                raise asyncio.CancelledError from error
            raise
        watched.remember()
        if self._tape is not None:
            await self._tape.put()

    def _order(self, task: TaskRun, going: Going) -> RunOrder:
        project = self._project
        return RunOrder(
            run_id=task.run_id,
            session_id=task.session_id,
            task_id=task.task_id,
            ticket=ticket_id(project.clock.now(), project.ids.token(4)),
            way="solo",
            instruction=going.instruction,
            project=str(project.paths.root),
            model=self._chosen.model,
            earlier=going.earlier,
        )


def _with_time(settings: Settings, timers: WatchLimits | None) -> Settings:
    """A person who gives an executor more time than the settings do means it."""
    limits = settings.task_limits
    if timers is None or timers.seconds <= limits.seconds:
        return settings
    return replace(settings, task_limits=replace(limits, seconds=int(timers.seconds)))
