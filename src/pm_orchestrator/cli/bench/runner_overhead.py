"""The Runner around an executor that returns at once, against the least it could cost.

The yardstick is what nobody can save: one look at the tree, which is what `git status`
does, and the fsyncs that the records need. They are counted while the Runner works
and made again, bare and one after the other.
"""

import asyncio
import os

from pm_orchestrator.cli.bench.bench_place import BenchPlace
from pm_orchestrator.cli.bench.disk import counted_syncs, raw_writes, run_git
from pm_orchestrator.cli.bench.instant import InstantExecutors, make_git_project, run_instant_task
from pm_orchestrator.cli.bench.ratios import Comparison, Ratio, measure
from pm_orchestrator.runner.project.project_sessions import start_session

SIZES = (200, 5_000)
ALLOWED = 4.0
RECORD = 512
"""Bytes per bare write; most of our records are longer."""
SETTLED_S = 2.1
"""Files younger than the coarsest file clock are read again, by git as by us."""


async def measure_runner_overhead(place: BenchPlace) -> list[Ratio]:
    """A small project and a large one."""
    return [await _measure(place, files) for files in SIZES]


async def _measure(place: BenchPlace, files: int) -> Ratio:
    project = place.folder / f"project-{files}"
    raw = place.folder / f"raw-{files}"
    raw.mkdir()
    await asyncio.to_thread(make_git_project, place.environment, project, files)
    opened = await place.open(project)
    opened.executors = InstantExecutors()
    session = await start_session(opened)
    # What was made for the measurement is on the disk before it begins, for both alike.
    await asyncio.to_thread(os.sync)
    await asyncio.sleep(SETTLED_S)
    made = 0

    async def ours() -> None:
        nonlocal made
        with counted_syncs() as counted:
            await run_instant_task(opened, session)
        made = counted.made

    async def plain() -> None:
        run_git(place.environment, project, "status", "--porcelain")
        raw_writes(raw, made, RECORD)

    what = Comparison(
        name=f"runner overhead, {files} files",
        yardstick="git status and as many raw fsyncs",
        allowed=ALLOWED,
    )
    try:
        return await measure(what, ours, plain)
    finally:
        await session.leave()
