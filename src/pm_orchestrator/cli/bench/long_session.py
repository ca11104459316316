"""The last tasks of a long session, against the first of a new one.

Both are measured in turns: minutes lie between the first and the last task of one
session, and what else the machine did meanwhile would be measured too.
"""

from pm_orchestrator.cli.bench.bench_place import BenchPlace, History
from pm_orchestrator.cli.bench.history import history
from pm_orchestrator.cli.bench.instant import run_instant_task
from pm_orchestrator.cli.bench.ratios import WARM_UP, Comparison, Measured, Ratio, measure
from pm_orchestrator.runner.project.project_sessions import sessions_of
from pm_orchestrator.runner.sessions.open_session import OpenSession

TASKS = 2_000
MEASURED = 100
ALLOWED = 1.2


async def measure_long_session(place: BenchPlace) -> list[Ratio]:
    """Tasks 1,901 to 2,000 of one session, and 1 to 100 of another."""
    old = await history(place, "long", TASKS - MEASURED - WARM_UP)
    new = await history(place, "new", 0)
    old_session, new_session = await _opened(old), await _opened(new)
    what = Comparison(
        name=f"task {TASKS:,} of a session",
        yardstick="its first tasks",
        allowed=ALLOWED,
        rounds=MEASURED,
    )
    try:
        return [await measure(what, _task(old, old_session), _task(new, new_session))]
    finally:
        for session in (old_session, new_session):
            await session.leave()


async def _opened(made: History) -> OpenSession:
    return await sessions_of(made.opened).open(made.session_id)


def _task(made: History, session: OpenSession) -> Measured:
    return lambda: run_instant_task(made.opened, session)
