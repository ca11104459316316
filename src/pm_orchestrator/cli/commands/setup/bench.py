"""`bench`: the product's speed as ratios, measured side by side in one run."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
from msgspec.structs import replace

from pm_orchestrator.cli.bench.bench_place import BenchPlace, Measure
from pm_orchestrator.cli.bench.checks import measure_checks
from pm_orchestrator.cli.bench.evidence import measure_evidence
from pm_orchestrator.cli.bench.long_session import measure_long_session
from pm_orchestrator.cli.bench.ratios import Ratio
from pm_orchestrator.cli.bench.repl import measure_lists, measure_repl_start
from pm_orchestrator.cli.bench.runner_overhead import measure_runner_overhead
from pm_orchestrator.cli.bench.sandboxes import measure_sandboxes
from pm_orchestrator.cli.bench.solo_run import measure_solo_run
from pm_orchestrator.cli.bench.startup import measure_start_up
from pm_orchestrator.cli.invocation import Invocation, invocation, json_option, run_async
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.tasks.status import EXIT_ERROR

MEASURES: dict[str, Measure] = {
    "start-up": measure_start_up,
    "solo-run": measure_solo_run,
    "evidence": measure_evidence,
    "runner-overhead": measure_runner_overhead,
    "long-session": measure_long_session,
    "repl-start": measure_repl_start,
    "repl-lists": measure_lists,
    "sandboxes": measure_sandboxes,
    "checks": measure_checks,
}


@click.command()
@click.option(
    "--only",
    type=click.Choice(list(MEASURES)),
    metavar="NAME",
    help="Take this measurement alone; an unknown one lists them all.",
)
@json_option
@invocation
def command(call: Invocation, *, only: str | None, as_json: bool) -> int:
    """Measure speed as ratios: each part of the product against a yardstick of this machine."""
    return run_async(_bench(call, [only] if only else list(MEASURES), as_json=as_json))


async def _bench(call: Invocation, names: Sequence[str], *, as_json: bool) -> int:
    ratios: list[Ratio] = []
    with tempfile.TemporaryDirectory(prefix="pm-orchestrator-bench-") as common:
        place = _place(call, Path(common))
        for name in names:
            _tell(call, "bench_measuring", name=name)
            with tempfile.TemporaryDirectory(dir=common) as folder:
                found = await MEASURES[name](replace(place, folder=Path(folder)))
            ratios += found
            if not as_json:
                _show(call, found)
    if as_json:
        call.screen.data(ratios)
    return 0 if all(ratio.holds for ratio in ratios) else EXIT_ERROR


def _place(call: Invocation, common: Path) -> BenchPlace:
    def tell(done: int, of: int) -> None:
        _tell(call, "bench_history", done=done, of=of)

    return BenchPlace(
        folder=common, common=common, histories={}, environment=call.environment, tell=tell
    )


def _tell(call: Invocation, key: str, **values: object) -> None:
    """How far it is, for a person who waits."""
    if call.screen.is_terminal():
        call.screen.aside(say(key, call.lang, **values))


def _show(call: Invocation, ratios: Sequence[Ratio]) -> None:
    for r in ratios:
        call.screen.line(
            say(
                "bench_ratio",
                call.lang,
                mark="✓" if r.holds else "✗",
                name=r.name,
                ratio=f"{r.ratio:.2f}",
                yardstick=r.yardstick,
                allowed=f"{r.allowed:g}",
                ours=f"{r.ours_ms:.1f}",
                plain=f"{r.yardstick_ms:.1f}",
            )
        )
