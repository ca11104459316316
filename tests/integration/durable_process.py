"""A process with a durable run, to be killed: `durable_process.py JOURNAL EFFECTS STEPS`.

Each step's body appends its key to EFFECTS and prints it; steps whose number
divides by three run together with the next two.
"""

import asyncio
import sys
from pathlib import Path

from pm_orchestrator.adapters.engines.local import LocalEngine
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.engine import Engine, Step, StepContext


class Number(Record, frozen=True, kw_only=True):
    number: int


ADD = Step(name="add", input=Number, output=Number)


async def add_up(engine: Engine, steps: Number) -> Number:
    total = 0
    for first in range(0, steps.number, 3):
        results = await engine.all(
            [
                engine.step(ADD, Number(number=total + n), key=f"step-{n}")
                for n in range(first, min(first + 3, steps.number))
            ]
        )
        total = sum(result.number for result in results) % 1_000_003
    return Number(number=total)


async def main(journal: Path, effects: Path, steps: int) -> None:
    async def body(given: Number, context: StepContext) -> Number:
        with effects.open("a", encoding="utf-8") as file:
            file.write(f"{context.key} {context.attempt}\n")
        sys.stdout.write(f"{context.key}\n")
        sys.stdout.flush()
        await asyncio.sleep(0.002)
        return Number(number=given.number * 7 + 1)

    engine = LocalEngine(journal, {"add": body}, SystemClock())
    try:
        outcome = await engine.execute(add_up, Number(number=steps), Number)
    except PmError as error:
        sys.stdout.write(f"refused {error}\n")
        sys.exit(3)
    sys.stdout.write(f"outcome {outcome.number}\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
