"""Workers that wait for each other, for tests of who works at the same time.

Who takes which sub-task depends on how fast each sandbox opens; a test that counts workers
without this counts how busy the machine is.
"""

import asyncio

import pytest

from pm_orchestrator.agents.worker import Worker
from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult

PATIENCE_S = 60.0
"""Long enough for a busy machine, shorter than a test's own limit."""


def begin_together(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    """Let the first `workers` attempts begin at once, or fail when fewer ever work at a time."""
    attempt, meeting, arrivals = Worker.attempt, asyncio.Barrier(workers), 0

    async def begin(worker: Worker, assignment: Assignment) -> AttemptResult:
        nonlocal arrivals
        arrivals += 1
        if arrivals <= workers:
            await asyncio.wait_for(meeting.wait(), PATIENCE_S)
        return await attempt(worker, assignment)

    monkeypatch.setattr(Worker, "attempt", begin)
