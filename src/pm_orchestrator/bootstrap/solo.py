"""One solo task from an instruction to its end: one executor, the project directory."""

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.registry import adapter
from pm_orchestrator.domain.gate import Gate
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.evidence.event_log import EventLog, Watcher
from pm_orchestrator.ports.executor import Executor
from pm_orchestrator.ports.process import Command, CommandResult
from pm_orchestrator.runner.run_report import evidence_summary
from pm_orchestrator.runner.sessions import Sessions
from pm_orchestrator.runner.solo import SoloOrder, SoloTask
from pm_orchestrator.runner.task_life import Finding, TaskEnd, live


async def start_session(app: Application) -> str:
    """A new session in the project."""
    return await Sessions(app.book, app.clock, app.ids, app.paths.root).start()


async def run_solo(
    app: Application,
    instruction: str,
    *,
    model: str | None = None,
    session_id: str | None = None,
    watch: Watcher | None = None,
) -> TaskEnd:
    """Let the configured executor loose on one instruction and judge the result.

    Raises:
        PmError: the task could not be started or could not go on; its log says so too.
    """
    executor = _executor(app)
    sessions = Sessions(app.book, app.clock, app.ids, app.paths.root)
    session = session_id or await sessions.start()
    directory = app.paths.new_run()
    events = EventLog(directory.folder / "events.jsonl", directory.run_id, app.masker, app.clock)
    if watch is not None:
        events.watch(watch)
    task = sessions.new_task(session, directory.run_id, instruction, executor.name)
    solo = SoloTask(
        executor=executor,
        run_gate=lambda gate: _run_gate(app, gate),
        recorder=app.recorder,
        masker=app.masker,
        settings=app.settings,
        events=events,
    )
    order = SoloOrder(
        session_id=session,
        task_id=task.task_id,
        instruction=instruction,
        project=app.paths.root,
        model=model,
    )

    async def work() -> Finding:
        end = await solo.run(order)
        return Finding(
            status=end.outcome.status,
            reason=end.outcome.because(),
            changes=end.outcome.facts.changes,
            summary=evidence_summary(end.outcome, iso(app.clock.now())),
            evidence_ids=end.evidence_ids,
            claim=end.claim,
        )

    return await live(app.book, task, work)


def _executor(app: Application) -> Executor:
    settings = app.settings.executor
    return adapter("executors", settings.name)(
        app.commands,
        app.environment.variables,
        settings.permission_mode,
        settings.allowed_tools,
    )


async def _run_gate(app: Application, gate: Gate) -> CommandResult:
    return await app.commands.run(
        Command(
            argv=gate.argv,
            cwd=app.paths.root,
            env=app.environment.variables,
            timeout_s=float(app.settings.gates.timeout_seconds),
        )
    )
