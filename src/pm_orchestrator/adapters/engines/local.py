"""The embedded engine: durable runs in this process, with a journal beside each run."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from typing_extensions import override

from pm_orchestrator.adapters.engines.journal import Journal
from pm_orchestrator.adapters.engines.journaled_run import JournaledRun, encode
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record, from_json
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.engine import Body, EngineFactory, RunCode, RunEngine

In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)


class LocalEngine(RunEngine):
    """Starts or resumes the one run whose journal is at `journal_path`."""

    def __init__(self, journal_path: Path, bodies: Mapping[str, Body], clock: Clock) -> None:
        self._path = journal_path
        self._bodies = bodies
        self._clock = clock

    @override
    async def execute(self, code: RunCode[In, Out], given: In, output: type[Out]) -> Out:
        """The run's outcome. A run that has one is not run again.

        The journal is owned from here until the return; a run that was cut off,
        or that raised, goes on from its journal at the next call.

        Raises:
            PmError: E402 while another process owns the run, or took it over; E204 when the
                run was started with another input or its code changed; E902 when the
                journal cannot be used.
        """
        payload = encode(given, type(given), "the run's input")
        journal = await Journal.open(self._path)
        try:
            recorded = await journal.begin(payload, self._clock.now().isoformat())
            if recorded.input != payload:
                raise PmError("run_input_changed")
            if recorded.outcome is not None:
                return from_json(output, recorded.outcome, source=str(self._path))
            run = JournaledRun(journal, recorded, self._bodies, self._clock)
            outcome = encode(await run.run(code, given), output, "the run's outcome")
            await journal.finish(outcome)
            return from_json(output, outcome, source=str(self._path))
        finally:
            journal.close()


class LocalEngines(EngineFactory):
    """The journal of a run lies in the run's own directory."""

    @override
    def open(self, site: AdapterSite, bodies: Mapping[str, Body]) -> RunEngine:
        return LocalEngine(site.directory / "journal.db", bodies, site.clock)
