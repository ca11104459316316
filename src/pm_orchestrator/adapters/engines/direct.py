"""An engine without a journal: for work that is over in one go, or is begun anew.

Nothing is encoded and nothing is written, so a run on it costs what its steps cost.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.engine import (
    Body,
    Engine,
    RunCode,
    RunEngine,
    Step,
    StepContext,
    StepFailedError,
    failure_of,
)

In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)
T = TypeVar("T")


class _Asked(msgspec.Struct, eq=False):
    """A key that was asked for, and how that ended."""

    step: str
    given: Record
    answer: Any = None
    failed: PmError | None = None


class DirectEngine(RunEngine, Engine):
    """Runs each body where it is asked for."""

    def __init__(self, bodies: Mapping[str, Body], clock: Clock) -> None:
        self._bodies = bodies
        self._clock = clock
        self._asked: dict[str, _Asked] = {}

    @override
    async def execute(self, code: RunCode[In, Out], given: In, output: type[Out]) -> Out:
        return await code(self, given)

    @override
    async def step(self, step: Step[In, Out], given: In, *, key: str) -> Out:
        asked = self._asked.get(key)
        if asked is None:
            asked = _Asked(step=step.name, given=given)
            await self._perform(step, key, asked)
            self._asked[key] = asked
        elif (asked.step, asked.given) != (step.name, given):
            raise PmError("lifecycle_violation", key=key)
        if asked.failed is not None:
            raise StepFailedError(key, failure_of(asked.failed)) from asked.failed
        return asked.answer

    async def _perform(self, step: Step[Any, Any], key: str, asked: "_Asked") -> None:
        body = self._bodies.get(step.name)
        if body is None:
            raise PmError("step_unbound", name=step.name)
        for attempt in range(1, step.policy.max_attempts + 1):
            try:
                asked.answer = await body(asked.given, StepContext(key=key, attempt=attempt))
            except PmError as error:
                asked.failed = error
                if not isinstance(error, RetryableError):
                    return
            else:
                asked.failed = None
                return

    @override
    async def all(self, coroutines: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        if len(coroutines) == 1:
            return [await coroutines[0]]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(coroutine) for coroutine in coroutines]
        except BaseExceptionGroup as failures:
            first = failures.exceptions[0]
            raise first from first.__cause__
        return [task.result() for task in tasks]

    @override
    def now(self) -> datetime:
        return self._clock.now()
