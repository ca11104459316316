"""Durable execution: what was finished stays finished, whoever dies.

Run code is a coroutine over this port. It uses no clock, no randomness, no I/O
of its own; every effect is a step, and a step that finished is never run again.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from pm_orchestrator.domain.errors import ERROR_CLASSES, NextStep, PmError, may_pass
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.ports.adapter import AdapterFactory, AdapterSite

In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)
T = TypeVar("T")

MAX_PAYLOAD = 256 * 1024
"""Larger things travel by reference to the store."""


class StepPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How often a step that fails for a passing reason is tried.

    A step that was cut off by the end of its process is always done again.
    """

    max_attempts: int = 1


class Step(msgspec.Struct, Generic[In, Out], frozen=True, kw_only=True):
    """A declaration; bootstrap binds the implementation by `name`."""

    name: str
    input: type[In]
    output: type[Out]
    policy: StepPolicy = StepPolicy()


class StepContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a step's body knows about itself."""

    key: str
    attempt: int


Body = Callable[[Any, StepContext], Awaitable[Any]]
"""The implementation of a step: takes its input record, returns its output record."""


class StepFailure(Record, frozen=True, kw_only=True):
    """An error as it crosses the journal: all that is needed to say it again."""

    slug: str
    params: dict[str, str]
    next_step: NextStep = "stop"

    def error(self) -> PmError:
        """The original error, as far as it could be kept."""
        return ERROR_CLASSES[self.next_step](self.slug, **self.params)


LONGEST_PARAM = 4000
"""Characters kept of each parameter of a failure."""


def failure_of(error: PmError) -> StepFailure:
    """What is kept of an error."""
    params = {
        name: cut_between_words(str(value), LONGEST_PARAM) for name, value in error.params.items()
    }
    return StepFailure(slug=error.slug, params=params, next_step=error.next_step)


class StepFailedError(PmError):
    """A step failed; `failure` is what went wrong inside it, `__cause__` the error if it is here.

    One that is `passing` was not recorded: the step is done again when the run is resumed.
    """

    def __init__(self, key: str, failure: StepFailure) -> None:
        self.failure = failure
        super().__init__("step_failed", key=key, reason=str(failure.error()).rstrip("."))

    @property
    def passing(self) -> bool:
        return may_pass(self.failure.error())

    def original(self) -> PmError:
        """The error from inside the step: itself, or as far as it was kept."""
        cause = self.__cause__
        return cause if isinstance(cause, PmError) else self.failure.error()


class Engine(Protocol):
    """One run's view of the engine. Cancellation arrives as asyncio.CancelledError."""

    async def step(self, step: Step[In, Out], given: In, *, key: str) -> Out:
        """The step's recorded result; runs it only if there is none.

        Keys are unique in a run and derived from data.

        Raises:
            StepFailedError: E201. A failure for good is recorded, so a resumed run sees it
                again. One that may pass is not: run code lets its other branches come to
                their end and raises it, without another step.
            PmError: E204 when the key was used before with another input.
        """
        ...

    async def all(self, coroutines: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Run together; results in the order given. One failure cancels the others."""
        ...

    def now(self) -> datetime:
        """The time when the run last took in a result: the same again on replay."""
        ...


RunCode = Callable[[Engine, In], Coroutine[Any, Any, Out]]


class RunEngine(Protocol):
    """What carries out run code from its start, or from where it was cut off."""

    async def execute(self, code: RunCode[In, Out], given: In, output: type[Out]) -> Out: ...


class EngineFactory(AdapterFactory, Protocol):
    """Opens the engine of the one run that the site is of."""

    def open(self, site: AdapterSite, bodies: Mapping[str, Body]) -> RunEngine: ...
