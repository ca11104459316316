"""One company run from a request to its result."""

from pathlib import Path

import msgspec

from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.git.checkout import Checkout
from pm_orchestrator.adapters.git.command import Git, isolated_environment
from pm_orchestrator.adapters.git.run_repository import RunRepository
from pm_orchestrator.bootstrap.answers import answers
from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.company_floor import COMPANY, CompanyFloor
from pm_orchestrator.bootstrap.registry import adapter
from pm_orchestrator.bootstrap.sandboxes import ready_runtime
from pm_orchestrator.bootstrap.sessions import ledger_of, start_session
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import ticket_id
from pm_orchestrator.domain.report import RunResult
from pm_orchestrator.evidence.event_log import EventLog, Watcher
from pm_orchestrator.evidence.open_log import OpenLog
from pm_orchestrator.evidence.run_log import RunLogs
from pm_orchestrator.ports.engine import StepFailedError
from pm_orchestrator.ports.sandbox import SandboxRuntime, SandboxSpec
from pm_orchestrator.runner.company_run import company_run
from pm_orchestrator.runner.new_task import NewTask
from pm_orchestrator.runner.open_session import OpenSession
from pm_orchestrator.runner.run_directory import RunDirectory
from pm_orchestrator.runner.run_parts import RunParts
from pm_orchestrator.runner.steps import RunOrder
from pm_orchestrator.runner.task_life import Finding

MEGABYTE = 1024**2


class CompanyRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asks for."""

    instruction: str
    cassette: Path | None = None
    """Replay these answers instead of asking a provider."""
    workers: int | None = None
    model: str | None = None
    base: str = "HEAD"


async def run_company(
    app: Application, request: CompanyRequest, watch: Watcher, source: AnswerSource | None = None
) -> RunResult:
    """Carry out a request; when this returns or raises, nothing of it is running.

    Raises:
        PmError: the run could not be started or could not go on; its log says so too.
    """
    source = source or answers(app.environment, request.cassette)
    runtime = await ready_runtime(app)
    session = await start_session(app, request.model)
    try:
        parts = make_parts(app, app.paths.new_run(), runtime, watch)
        return await _run(app, request, parts, source, session)
    finally:
        await session.leave()


async def _run(
    app: Application,
    request: CompanyRequest,
    parts: RunParts,
    source: AnswerSource,
    session: OpenSession,
) -> RunResult:
    directory = parts.directory
    task = session.new_task(directory.run_id, request.instruction, COMPANY)
    order = await make_order(app, request, task, parts.logs)
    workers = request.workers or app.settings.company.max_workers
    floor = CompanyFloor(app, parts, order, source, workers)
    results: list[RunResult] = []

    async def work(log: OpenLog) -> Finding:
        try:
            async with floor.open(log, session.enter) as bodies:
                engine = adapter("engines", app.settings.company.engine)(
                    directory.journal, bodies, app.clock
                )
                result: RunResult = await engine.execute(company_run, order, RunResult)
        except PmError as error:
            # A person is told what went wrong, not in which step of ours it did.
            original = error.failure.error() if isinstance(error, StepFailedError) else error
            await parts.logs.line("errors.log", str(original))
            raise original from error
        results.append(result)
        return Finding(
            status=result.status,
            reason=result.reason,
            changes=result.changes,
            summary=result.report.evidence_summary,
            evidence_ids=floor.evidence_ids,
        )

    await session.carry_out(task, ledger_of(app, in_directory=False), work)
    return results[0]


async def make_order(
    app: Application, request: CompanyRequest, task: NewTask, logs: RunLogs
) -> RunOrder:
    """What the run is started with: the request, the settings and the user's checkout."""
    environment = isolated_environment(app.environment.search_path)
    git = Git(app.commands, app.clock, lambda line: logs.entry("git.log", line), environment)
    checkout = Checkout(git, app.paths.root)
    company = app.settings.company
    return RunOrder(
        run_id=task.run_id,
        session_id=task.session_id,
        task_id=task.task_id,
        ticket=ticket_id(app.clock.now(), app.ids.token(4)),
        instruction=app.masker.mask(request.instruction).text,
        project=str(app.paths.root),
        base_ref=request.base,
        target=await checkout.branch(),
        remote=await checkout.remote(),
        model=request.model or company.model,
        max_attempts=company.max_attempts,
        max_turns=company.max_turns,
    )


def make_parts(
    app: Application, directory: RunDirectory, runtime: SandboxRuntime, watch: Watcher
) -> RunParts:
    """What the phases of a run in `directory` share."""
    logs = RunLogs(directory.folder, app.masker, app.clock)
    events = EventLog(directory.folder / "events.jsonl", directory.run_id, app.masker, app.clock)
    events.watch(watch)
    sandbox = app.settings.sandbox
    return RunParts(
        settings=app.settings,
        paths=app.paths,
        directory=directory,
        files=app.files,
        repository=RunRepository(
            directory.repository,
            commands=app.commands,
            clock=app.clock,
            sink=lambda line: logs.entry("git.log", line),
            user_env=app.environment.variables,
        ),
        runtime=runtime,
        spec=SandboxSpec(
            name=directory.run_id,
            memory_bytes=sandbox.memory_mb * MEGABYTE,
            disk_bytes=sandbox.disk_mb * MEGABYTE,
        ),
        events=events,
        logs=logs,
        masker=app.masker,
        clock=app.clock,
    )
