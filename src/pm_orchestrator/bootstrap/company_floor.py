"""The floor a company works on: gateway, bus, workers and the bodies of the run's steps."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.gateway.server import LoopbackGateway
from pm_orchestrator.agents.manager import Manager
from pm_orchestrator.agents.merger import Merger
from pm_orchestrator.agents.worker import Desk, Worker
from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.registry import adapter
from pm_orchestrator.bootstrap.reviews import reviews_of
from pm_orchestrator.dispatch.pool import WorkerPool
from pm_orchestrator.dispatch.retry import RetryingModel
from pm_orchestrator.dispatch.worker_loop import serve
from pm_orchestrator.domain.agent import AgentMessage
from pm_orchestrator.domain.assignment import Assignment
from pm_orchestrator.domain.conversation import ConversationHistory
from pm_orchestrator.domain.phase import Phase
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.evidence.integrity import check, inventory
from pm_orchestrator.evidence.open_log import OpenLog
from pm_orchestrator.evidence.redaction import redact
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.engine import Body
from pm_orchestrator.ports.gateway import Exchange
from pm_orchestrator.ports.message_queue import MessageQueue
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.runner import steps
from pm_orchestrator.runner.clean_checkout import CleanCheckout
from pm_orchestrator.runner.execution_record import log_dispatch
from pm_orchestrator.runner.lifecycle import Announce
from pm_orchestrator.runner.mediated_model import MediatedModel
from pm_orchestrator.runner.phases import planning
from pm_orchestrator.runner.phases.analysis import RequirementAnalysis
from pm_orchestrator.runner.phases.decomposition import Decomposition
from pm_orchestrator.runner.phases.execution import Execution
from pm_orchestrator.runner.phases.qa import QualityAssurance
from pm_orchestrator.runner.phases.report import Reporting
from pm_orchestrator.runner.phases.validation import Validation
from pm_orchestrator.runner.receipts import Owner, Receipts
from pm_orchestrator.runner.run_parts import RunParts
from pm_orchestrator.runner.steps import PhaseEntered, RunOrder

COMPANY = "company"
"""Who works on the task, in its records."""
# Claims are not renewed; no attempt may outlive its own.
LONGEST_ATTEMPT_S = 86_400.0


class CompanyFloor:
    """Everything that lives as long as one run; `open` brings it to life."""

    def __init__(
        self, app: Application, parts: RunParts, order: RunOrder, source: AnswerSource, workers: int
    ) -> None:
        self._app = app
        self._parts = parts
        self._order = order
        self._log: OpenLog | None = None
        self._entered: Announce | None = None
        self._gateway = LoopbackGateway(source, app.ids, self._keep_exchange)
        queue = adapter("queues", parts.settings.company.message_queue)
        self._queue: MessageQueue = queue(parts.directory.bus, app.clock, app.ids)
        self._pool = WorkerPool(self._queue, app.clock, workers, order.run_id)
        self._receipts = Receipts(
            app.files,
            app.recorder,
            parts.directory.receipts,
            app.masker,
            Owner(session_id=order.session_id, task_id=order.task_id),
        )

    @asynccontextmanager
    async def open(
        self, log: OpenLog | None = None, entered: Announce | None = None
    ) -> AsyncGenerator[dict[str, Body]]:
        """Start gateway and workers; yields the bodies of the steps. All is gone afterwards.

        What happens is noted in the task's `log`, where there is one, and each phase is
        told to `entered`.
        """
        self._log, self._entered = log, entered
        async with AsyncExitStack() as stack:
            await self._gateway.start()
            stack.push_async_callback(self._gateway.close)
            for name in self._pool.workers:
                await stack.enter_async_context(_alive(self._serve(name)))
            await stack.enter_async_context(self._pool)
            try:
                yield self._bodies()
            finally:
                await self._log_messages()

    @property
    def evidence_ids(self) -> tuple[str, ...]:
        return tuple(self._receipts.evidence_ids.values())

    def _bodies(self) -> dict[str, Body]:
        parts, bind = self._parts, self._receipts.bind
        checkout = CleanCheckout(parts)
        execution = Execution(parts, self._pool, checkout)
        merger = Merger(parts.repository, lambda line: parts.logs.line("merge.log", line))
        qa = QualityAssurance(parts, merger, checkout)
        manager = Manager(self._mediated(self._model_for("manager")))
        reporting = Reporting(
            parts,
            reviews_of(self._app),
            lambda: inventory(self._app.paths.claude, self._app.head_file),
            lambda: self._receipts.evidence_ids,
        )
        return {
            steps.ENTER_PHASE.name: bind(steps.ENTER_PHASE, self._enter_phase),
            steps.ANALYSE.name: bind(steps.ANALYSE, RequirementAnalysis(parts, checkout).analyse),
            steps.DECOMPOSE.name: bind(steps.DECOMPOSE, Decomposition(parts, manager).decompose),
            steps.PLAN.name: bind(steps.PLAN, planning.plan),
            steps.ATTEMPT.name: bind(steps.ATTEMPT, execution.attempt),
            steps.EXAMINE.name: bind(steps.EXAMINE, execution.examine),
            steps.MERGE.name: bind(steps.MERGE, qa.merge),
            steps.CHECK.name: bind(steps.CHECK, qa.check),
            steps.VALIDATE.name: bind(
                steps.VALIDATE, Validation(parts, self._missing_evidence).validate
            ),
            steps.REPORT.name: bind(steps.REPORT, reporting.report),
        }

    def _mediated(self, model: ChatModel) -> ChatModel:
        """The model that helps the Runner to understand the task, with what it said on record."""
        if self._log is None:
            return model
        provider = self._parts.settings.company.adapter
        return MediatedModel(model, self._log, self._app.clock, provider)

    async def _enter_phase(self, given: PhaseEntered) -> PhaseEntered:
        if self._entered is not None:
            await self._entered(given.phase)
        if self._log is not None and given.phase is Phase.EXECUTION:
            await log_dispatch(self._log, COMPANY, self._order.instruction)
        await self._parts.events.publish("phase", given.phase)
        return given

    async def _missing_evidence(self) -> tuple[str, ...]:
        """Steps of this run whose evidence is not there or not intact."""
        report = await asyncio.to_thread(check, self._app.paths.claude, self._app.head_file)
        if report.intact:
            return ()
        return tuple(sorted({str(problem.path) for problem in report.problems}))

    async def _serve(self, name: str) -> None:
        parts = self._parts
        desk = Desk(
            runtime=parts.runtime,
            spec=parts.spec,
            repository=parts.repository,
            model_for=self._model_for,
            save_transcript=self._save_transcript,
            logs=parts.logs,
            events=parts.events,
            clock=parts.clock,
        )
        worker = Worker(name, desk)

        async def handle(message: AgentMessage) -> dict[str, Any]:
            assignment = msgspec.convert(message.payload["work"], Assignment, strict=True)
            # The reply is written to the bus: it is masked before it leaves the worker.
            result = redact(await worker.attempt(assignment), self._app.masker)
            return {"result": msgspec.to_builtins(result)}

        await serve(self._queue, name, handle, self._app.clock, visibility_s=LONGEST_ATTEMPT_S)

    def _model_for(self, agent: str) -> ChatModel:
        access = self._gateway.admit(agent)
        model = adapter("models", self._parts.settings.company.adapter)
        return RetryingModel(model(access.base_url, access.token), self._app.clock)

    async def _keep_exchange(self, exchange: Exchange) -> None:
        head = f"{exchange.agent} turn {exchange.turn} status {exchange.status}\n"
        body = exchange.request + b"\n" + exchange.response
        await self._app.recorder.record(
            Operation(
                type="model_exchange",
                raw=head + body.decode(errors="replace"),
                session_id=self._order.session_id,
                task_id=self._order.task_id,
                executor_id=exchange.agent,
            )
        )

    async def _save_transcript(self, place: Path, history: ConversationHistory) -> None:
        masked = redact(history, self._app.masker)
        await self._app.files.replace(self._parts.directory.folder / place, to_file(masked))

    async def _log_messages(self) -> None:
        for message in await self._queue.history(self._order.run_id):
            line = f"{message.timestamp} {message.type} {message.sender} -> {message.recipient}"
            await self._parts.logs.entry("messages.log", f"{line} {message.id}")


@asynccontextmanager
async def _alive(work: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Run `work` beside the body; it is over, whatever it did, when this is left."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
