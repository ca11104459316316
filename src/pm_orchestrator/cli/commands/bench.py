"""`bench`: the product's speed as ratios, measured side by side in one run."""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import click
import msgspec

from pm_orchestrator.bootstrap.application import Application, open_application
from pm_orchestrator.bootstrap.project_init import init_at
from pm_orchestrator.cli.invocation import Invocation, invocation, json_option, run_async
from pm_orchestrator.domain.record import Record, to_file
from pm_orchestrator.domain.status import EXIT_ERROR
from pm_orchestrator.ports.process import Command
from pm_orchestrator.ports.recorder import Operation

ROUNDS = 20
RAW_LOG = "a line of output that a program printed while it worked\n" * 80

Measured = Callable[[], Awaitable[object]]


class Ratio(Record, frozen=True, kw_only=True):
    """One measurement: ours against its yardstick."""

    name: str
    yardstick: str
    ours_ms: float
    yardstick_ms: float
    ratio: float
    allowed: float


@click.command()
@json_option
@invocation
def command(call: Invocation, *, as_json: bool) -> int:
    """Measure start-up and evidence, each against a plain yardstick of this machine."""
    return run_async(_bench(call, as_json=as_json))


async def _bench(call: Invocation, *, as_json: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="pm-orchestrator-bench-") as name:
        folder = Path(name)
        environment = msgspec.structs.replace(call.environment, state_home=folder / "state")
        await init_at(folder, adopt=False)
        app = await open_application(environment, folder)
        ratios = [*await _start_up(app), await _evidence(app)]
    if as_json:
        call.screen.raw(to_file(ratios).decode().rstrip())
    else:
        for r in ratios:
            mark = "✓" if r.ratio <= r.allowed else "✗"
            call.screen.line(
                f"{mark} {r.name}: {r.ratio:.2f} × {r.yardstick} (at most {r.allowed:g} ×; "
                f"{r.ours_ms:.1f} ms against {r.yardstick_ms:.1f} ms)"
            )
    return 0 if all(r.ratio <= r.allowed for r in ratios) else EXIT_ERROR


async def _start_up(app: Application) -> list[Ratio]:
    def program(*arguments: str) -> Measured:
        command = Command(
            argv=(sys.executable, *arguments),
            cwd=app.paths.root,
            env=app.environment.variables,
            timeout_s=30,
        )
        return lambda: app.commands.run(command)

    nothing = program("-c", "pass")
    ours = {
        "--version": (program("-m", "pm_orchestrator", "--version"), 8.0),
        "--help": (program("-m", "pm_orchestrator", "--help"), 12.0),
    }
    return [
        await _compare(name, work, "python -c pass", nothing, allowed)
        for name, (work, allowed) in ours.items()
    ]


async def _evidence(app: Application) -> Ratio:
    def operation(number: int) -> Operation:
        return Operation(
            type="bench", raw=f"{number}\n{RAW_LOG}", session_id="bench", task_id="task-bench"
        )

    first = await app.recorder.record(operation(0))
    size = sum(
        (app.paths.claude / p).stat().st_size
        for p in (f"evidence/{first.evidence_id}.json", "evidence/chain.jsonl", first.raw_logs)
    )
    counter = iter(range(1, 10_000))

    async def raw() -> None:
        path = app.paths.root / f"raw-{next(counter)}"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(handle, b"x" * size)
        os.fsync(handle)
        os.close(handle)

    return await _compare(
        "evidence append",
        lambda: app.recorder.record(operation(next(counter))),
        "raw write and fsync",
        raw,
        3.0,
    )


async def _compare(
    name: str, ours: Measured, yardstick: str, plain: Measured, allowed: float
) -> Ratio:
    """Medians of both, taken in turns so that a busy moment hits both alike."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS + 2):
        for place, work in zip(times, (ours, plain), strict=True):
            start = time.perf_counter()
            await work()
            place.append((time.perf_counter() - start) * 1000)
    # The first rounds warm the caches.
    ours_ms, plain_ms = (statistics.median(t[2:]) for t in times)
    return Ratio(
        name=name,
        yardstick=yardstick,
        ours_ms=ours_ms,
        yardstick_ms=plain_ms,
        ratio=ours_ms / plain_ms,
        allowed=allowed,
    )
