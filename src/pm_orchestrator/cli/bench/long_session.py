"""The last tasks of a long session, against the first of a new one.

Both are measured in turns: minutes lie between the first and the last task of one
session, and what else the machine did meanwhile would be measured too. The history is
made by the same code, task by task; only nobody waits for the disk.
"""

import asyncio
from pathlib import Path

from pm_orchestrator.cli.bench.bench_place import BenchPlace
from pm_orchestrator.cli.bench.disk import without_waiting
from pm_orchestrator.cli.bench.instant import InstantExecutors, ask, make_git_project
from pm_orchestrator.cli.bench.ratios import WARM_UP, Comparison, Measured, Ratio, compare
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import start_session
from pm_orchestrator.runner.sessions.open_session import OpenSession

TASKS = 2_000
MEASURED = 100
FILES = 50
ALLOWED = 1.2
TOLD_EVERY = 100


async def measure_long_session(place: BenchPlace) -> list[Ratio]:
    """Tasks 1,901 to 2,000 of one session, and 1 to 100 of another."""
    old, old_session = await _begin(place, "long")
    new, new_session = await _begin(place, "new")
    before = TASKS - MEASURED - WARM_UP
    with without_waiting():
        for done in range(before):
            if done % TOLD_EVERY == 0:
                place.tell(done, before)
            await ask(old, old_session)
    what = Comparison(
        name=f"task {TASKS:,} of a session",
        yardstick="its first tasks",
        allowed=ALLOWED,
        rounds=MEASURED,
    )
    ratio = await compare(what, _task(old, old_session), _task(new, new_session))
    for session in (old_session, new_session):
        await session.leave()
    return [ratio]


async def _begin(place: BenchPlace, name: str) -> tuple[Project, OpenSession]:
    project: Path = place.folder / name
    await asyncio.to_thread(make_git_project, place.environment, project, FILES)
    opened = await place.open(project)
    opened.executors = InstantExecutors()
    return opened, await start_session(opened)


def _task(opened: Project, session: OpenSession) -> Measured:
    return lambda: ask(opened, session)
