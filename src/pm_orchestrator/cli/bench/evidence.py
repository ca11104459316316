"""One evidence record, against a bare write of as many bytes."""

from itertools import count

from pm_orchestrator.cli.bench.bench_place import BenchPlace
from pm_orchestrator.cli.bench.disk import raw_writes
from pm_orchestrator.cli.bench.ratios import Comparison, Ratio, measure
from pm_orchestrator.ports.recorder import Operation

RAW_LOG = "a line of output that a program printed while it worked\n" * 80
ALLOWED = 3.0


async def measure_evidence(place: BenchPlace) -> list[Ratio]:
    """A record, its raw log and its link in the chain."""
    opened = await place.open(place.folder)

    def operation(number: int) -> Operation:
        return Operation(
            type="bench", raw=f"{number}\n{RAW_LOG}", session_id="bench", task_id="task-bench"
        )

    first = await opened.recorder.record(operation(0))
    size = sum(
        (opened.paths.claude / p).stat().st_size
        for p in (f"evidence/{first.evidence_id}.json", "evidence/chain.jsonl", first.raw_logs)
    )
    number = count(1)

    async def raw() -> None:
        raw_writes(place.folder, 1, size)

    return [
        await measure(
            Comparison(name="evidence append", yardstick="raw write and fsync", allowed=ALLOWED),
            lambda: opened.recorder.record(operation(next(number))),
            raw,
        )
    ]
