"""What lives as long as one run of the company: gateway, bus, workers, and what the run keeps."""

import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.gateway.metering import Metered
from pm_orchestrator.agents.manager import Manager
from pm_orchestrator.agents.merger import Merger
from pm_orchestrator.agents.reviewer import write_review
from pm_orchestrator.agents.worker import Desk, Worker
from pm_orchestrator.bootstrap.crews.company_workers import CompanyWorkers
from pm_orchestrator.bootstrap.crews.model_opinion import Recordable, second_voice
from pm_orchestrator.bootstrap.registry import QUEUES
from pm_orchestrator.bootstrap.shipped_models import room_of
from pm_orchestrator.bootstrap.sites import site_in
from pm_orchestrator.bootstrap.traffic.gateway_source import model_behind, new_gateway
from pm_orchestrator.bootstrap.traffic.toolless_models import with_text_tools
from pm_orchestrator.dispatch.pool import WorkerPool
from pm_orchestrator.dispatch.purse import Purse, in_time
from pm_orchestrator.dispatch.replies import result_payload, work_in
from pm_orchestrator.dispatch.retry import FallbackModel, RetryingModel, Standby
from pm_orchestrator.dispatch.slots import Slots, WaitingModel
from pm_orchestrator.dispatch.worker_loop import serve
from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.company.model_conversation import ConversationHistory
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.run_events import (
    ParkedDetail,
    ParkedEvent,
    SpentDetail,
    SpentEvent,
)
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.evidence.masking.masked_ports import MaskedQueue
from pm_orchestrator.evidence.masking.redaction import redact, redact_error
from pm_orchestrator.evidence.records.answer_book import AnswerBook
from pm_orchestrator.evidence.records.event_log import EventLog
from pm_orchestrator.evidence.records.model_exchanges import ExchangeRecords
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.evidence.records.task_facts import FactsBook
from pm_orchestrator.evidence.records.turn_journal import TurnJournal
from pm_orchestrator.gates.detect.setup_recipes import SetupRecipe
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.gateway import Exchange
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import SandboxRuntime, SandboxSpec
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.places.branches import COMPANY, Branches, BranchParts
from pm_orchestrator.runner.places.judged.checkout_gates import Checkouts
from pm_orchestrator.runner.project.evidence_checks import all_evidence, receipted
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.mediated_model import MediatedModel
from pm_orchestrator.runner.records.notes import Notes
from pm_orchestrator.runner.run.bodies import Others, bodies
from pm_orchestrator.runner.run.earlier_run import EarlierRun
from pm_orchestrator.runner.run.kept import KeptFiles
from pm_orchestrator.runner.run.phases.backlog import Backlog
from pm_orchestrator.runner.run.phases.integration import merging
from pm_orchestrator.runner.run.phases.proposals import proposed_by
from pm_orchestrator.runner.run.receipts import Receipts
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import RunOrder
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.part_logs import PartLogs
from pm_orchestrator.runner.tasks.hand_over import handover_of

T = TypeVar("T")
R = TypeVar("R")

LONGEST_ATTEMPT_S = 82_800.0
# Claims are not renewed; no attempt may outlive its own, with all that comes after it.
CLAIM_S = LONGEST_ATTEMPT_S + 3_600.0


class CompanyRun:
    """What lives as long as one run: gateway, bus, pool, and what the run keeps."""

    def __init__(
        self,
        project: Project,
        order: RunOrder,
        source: AnswerSource,
        sandboxes: tuple[SandboxRuntime, SandboxSpec, SetupRecipe | None],
        log: OpenLog,
        purse: Purse,
    ) -> None:
        self._project = project
        self._order = order
        self._adapter = order.adapter or project.settings.company.adapter
        self._runtime, self._spec, self._unbuilt = sandboxes
        executor = order.executor or project.settings.company.executor
        self._workers = CompanyWorkers(executor, site_in(project, project.paths.state))
        self._log = log
        self._directory = project.paths.run(order.run_id)
        folder = self._directory.folder
        self.logs = RunLogs(folder, project.masker, project.clock)
        self.events = EventLog(folder, order.run_id, project.masker, project.clock)
        self.kept = KeptFiles(project.files, self._directory.kept, project.masker)
        self._purse = purse
        self._standby = Standby(project.clock)
        self.gateway = new_gateway(Metered(source, purse), project.ids, self._keep_exchange)
        self._opinion = None
        if order.record is not None or order.replay is not None:
            # Nobody else is asked then, and whatever was asked is in the cassette.
            model = order.model or project.settings.company.model
            self._opinion = Recordable(source, self._adapter, model)
        queues = QUEUES.load(project.settings.company.message_queue)
        self._queue = MaskedQueue(queues.open(site_in(project, folder)), project.masker)
        self.pool = WorkerPool(self._queue, project.clock, order.workers, order.run_id)
        thinkers = project.settings.parallel_limits.subagents
        self._thinking = Slots([f"thinker-{number}" for number in range(1, thinkers + 1)])
        self._note = Notes(project.recorder, order, log.note_evidence)
        self._exchanges = ExchangeRecords(project.masker)
        self._receipts = Receipts(
            project.files, self._note, self._directory.receipts, project.masker
        )

    def place(self, repository: Repository) -> Branches:
        """Where the company works."""
        project, order = self._project, self._order
        return Branches(
            BranchParts(
                project=project.paths.root,
                base=order.base,
                repository=repository,
                handover=handover_of(project, order, repository),
                pool=self.pool,
                merger=Merger(repository, lambda line: self.logs.line("merge.log", line)),
                checkouts=Checkouts(
                    repository=repository,
                    runtime=self._runtime,
                    spec=self._spec,
                    timeout_s=float(project.settings.gates.timeout_seconds),
                    logs=self.logs,
                    unbuilt=self._unbuilt,
                ),
                events=self.events,
                logs=self.logs,
                log=self._log,
            )
        )

    def parts(self, place: Branches, session: OpenSession, earlier: EarlierRun | None) -> RunParts:
        """What the phases share."""
        project = self._project
        return RunParts(
            order=self._order,
            place=place,
            log=self._log,
            kept=self.kept,
            note=self._note,
            settings=project.settings,
            events=self.events,
            masker=project.masker,
            clock=project.clock,
            facts=FactsBook(project.files, project.paths.claude, project.masker),
            answers=AnswerBook(project.files, project.paths.claude, project.masker),
            entered=session.enter,
            check_evidence=lambda: all_evidence(
                project,
                self._note.hashes,
                (*self._log.evidence, *receipted(project, self._directory)),
            ),
            earlier=earlier,
            second_voice=second_voice(project, lambda: self._purse, self._opinion),
        )

    def part_logs(self, session: OpenSession) -> PartLogs:
        """The logs of the task's parts."""
        new_run = self._project.paths.new_run
        evidence_of = self._receipts.evidence_of
        return PartLogs(session, self._order, COMPANY, lambda: new_run().run_id, evidence_of)

    def bodies(self, parts: RunParts, part_logs: PartLogs) -> dict[str, Any]:
        project = self._project
        provider = self._adapter
        model = MediatedModel(self._model_for("manager"), self._log, project.clock, provider)
        split = proposed_by(Manager(model, room_of))

        async def split_in_time(parts: RunParts, requirement: Requirement) -> tuple[SubTask, ...]:
            return await in_time(self._purse, split(parts, requirement))

        others = Others(
            split=split_in_time,
            backlog=Backlog(project.files, project.paths.backlog, part_logs),
            put_forward=self._put_forward,
            merging=merging(parts),
        )
        bind = self._receipts.bind
        return bodies(parts, lambda step, work: bind(step, self._watched(work)), others)

    async def _put_forward(self, result: RunResult) -> None:
        review = write_review(result, self._order.target, iso(self._project.clock.now()))
        await self._project.reviews().propose(review)

    def _watched(self, work: Callable[[T], Awaitable[R]]) -> Callable[[T], Awaitable[R]]:
        """The same work; of a fault of ours the whole trace is kept for whoever mends it."""

        async def watched(given: T) -> R:
            try:
                return await work(given)
            except PmError:
                raise
            except Exception as bug:
                trace = "".join(traceback.format_exception(bug))
                await self.logs.line("errors.log", trace)
                raise

        return watched

    async def serve(self, name: str, repository: Repository) -> None:
        """Work as the worker `name` until cancelled."""
        desk = Desk(
            runtime=self._runtime,
            spec=self._workers.spec(self._spec, self.gateway),
            repository=repository,
            executor_for=lambda agent: self._workers.executor(agent, self.gateway, self._model_for),
            dismiss=self.gateway.dismiss,
            save_transcript=self._save_transcript,
            turns=self._turns,
            logs=self.logs,
            events=self.events,
            clock=self._project.clock,
            base=self._order.base,
            instruction=self._order.instruction,
            attempt_s=LONGEST_ATTEMPT_S,
        )
        worker = Worker(name, desk)

        async def handle(message: AgentMessage) -> dict[str, Any]:
            assignment = work_in(message)
            # The reply is written to the bus: it is masked before it leaves the worker.
            try:
                done = await in_time(self._purse, worker.attempt(assignment))
                result = redact(done, self._project.masker)
            except PmError as error:
                raise redact_error(error, self._project.masker) from error
            return result_payload(result)

        await serve(
            self._queue, name, self._watched(handle), self._project.clock, visibility_s=CLAIM_S
        )

    def _model_for(self, agent: str) -> ChatModel:
        project = self._project
        company = project.settings.company

        async def told(seconds: float, reason: str) -> None:
            detail = ParkedDetail(seconds=seconds, reason=reason)
            await self.events.publish(ParkedEvent(subject=agent, detail=detail))

        def retrying(name: str) -> ChatModel:
            calls = project.settings.model_calls
            asked = model_behind(self.gateway, agent, name, models=calls)
            model = with_text_tools(asked, name, project)
            waiting, longest = WaitingModel(model, self._thinking), company.busy_minutes * 60.0
            return RetryingModel(waiting, self._project.clock, longest, told)

        if company.fallback is None:
            return retrying(self._adapter)
        other = company.fallback
        return FallbackModel(
            retrying(self._adapter), retrying(other.adapter), self._standby, other.model
        )

    async def _keep_exchange(self, exchange: Exchange) -> None:
        await self._note.record(
            Operation(
                type="model_exchange",
                raw=self._exchanges.raw(exchange),
                session_id=self._order.session_id,
                task_id=self._order.task_id,
                executor_id=exchange.agent,
            )
        )

        spent = self._purse.spent
        told = SpentDetail(tokens=spent.tokens, cost=spent.cost, turns=spent.turns)
        await self.events.publish(SpentEvent(subject=exchange.agent, detail=told))

    async def _save_transcript(self, place: Path, history: ConversationHistory) -> None:
        masked = redact(history, self._project.masker)
        await self._project.files.replace(self._directory.folder / place, to_file(masked))

    def _turns(self, place: Path) -> TurnJournal:
        project = self._project
        return TurnJournal(project.files, self._directory.folder / place, project.masker)

    async def log_messages(self) -> None:
        """Put the bus's history into the run's own log."""
        for message in await self._queue.history(self._order.run_id):
            line = f"{message.timestamp} {message.type} {message.sender} -> {message.recipient}"
            await self.logs.entry("messages.log", f"{line} {message.id}")
