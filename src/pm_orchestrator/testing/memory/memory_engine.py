"""An engine without a journal: it runs the bodies and remembers what was asked of it."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record, from_json, to_json
from pm_orchestrator.ports.engine import (
    Body,
    Engine,
    Step,
    StepContext,
    StepFailedError,
    StepFailure,
    failure_of,
)
from pm_orchestrator.testing.memory.fake_clock import START

In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)
T = TypeVar("T")


class MemoryEngine(Engine):
    """Payloads go through JSON as in a journal; a key that is used twice is an error.

    What a body fails with reaches run code as from any engine: wrapped, and as far as it is kept.
    """

    def __init__(self, bodies: Mapping[str, Body]) -> None:
        self._bodies = bodies
        self.keys: list[str] = []

    @override
    async def step(self, step: Step[In, Out], given: In, *, key: str) -> Out:
        assert key not in self.keys, f"{key} is used twice"
        self.keys.append(key)
        sent = from_json(step.input, to_json(given))
        try:
            answer = await self._bodies[step.name](sent, StepContext(key=key, attempt=1))
        except PmError as error:
            failure = from_json(StepFailure, to_json(failure_of(error)))
            raise StepFailedError(key, failure) from error
        return from_json(step.output, to_json(answer))

    @override
    async def all(self, coroutines: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(coroutine) for coroutine in coroutines]
        except ExceptionGroup as failed:
            first = failed.exceptions[0]
            raise first from first.__cause__
        return [task.result() for task in tasks]

    @override
    def now(self) -> datetime:
        return START
