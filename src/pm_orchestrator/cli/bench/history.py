"""Sessions with a history: the tasks are done by the same code, only nobody waits for the disk.

Minutes lie in a long one, so it is made once and shared by all measurements that look at it.
"""

import asyncio

from pm_orchestrator.cli.bench.bench_place import BenchPlace, History
from pm_orchestrator.cli.bench.disk import without_waiting
from pm_orchestrator.cli.bench.instant import InstantExecutors, make_git_project, run_instant_task
from pm_orchestrator.runner.project.project_sessions import start_session

FILES = 50
TOLD_EVERY = 100


async def history(place: BenchPlace, name: str, tasks: int) -> History:
    """The history of that name, as it was left; where there is none yet, a new one of `tasks`."""
    made = place.histories.get(name)
    if made is None:
        made = await _make(place, name, tasks)
        place.histories[name] = made
    return made


async def _make(place: BenchPlace, name: str, tasks: int) -> History:
    project = place.common / name
    await asyncio.to_thread(make_git_project, place.environment, project, FILES)
    opened = await place.open(project)
    opened.executors = InstantExecutors()
    session = await start_session(opened)
    with without_waiting():
        for done in range(tasks):
            if done % TOLD_EVERY == 0 and tasks > TOLD_EVERY:
                place.tell(done, tasks)
            await run_instant_task(opened, session)
    await session.leave()
    return History(opened, session.session_id)
