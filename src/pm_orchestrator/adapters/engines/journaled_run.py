"""One run on its way: hands out recorded answers, runs what has none.

Answers are handed over one at a time, in journal order, each when the run code
has come to rest. Bodies start only when nothing recorded is left to hand over:
so a resumed run makes the same moves as before, and a step that was cancelled
by a failure is not started again on the way to that failure.
"""

import asyncio
import hashlib
from collections import deque
from collections.abc import Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.engines.journal import (
    AnswerState,
    Journal,
    RecordedRun,
    StepAnswer,
    StepStart,
)
from pm_orchestrator.adapters.engines.settling import Settling
from pm_orchestrator.domain.errors import PmError, RetryableError, may_pass
from pm_orchestrator.domain.record import Record, from_json, to_json
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.engine import (
    MAX_PAYLOAD,
    Body,
    Engine,
    RunCode,
    Step,
    StepContext,
    StepFailedError,
    StepFailure,
    failure_of,
)

In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)
T = TypeVar("T")


def encode(record: Record, kind: type[Record], what: str) -> bytes:
    """The JSON of a payload that can be read back.

    Raises:
        PmError: E206 when it is too large; E302 when its JSON is not a `kind`.
        TypeError: it is not a `kind` in the first place.
    """
    if not isinstance(record, kind):
        raise TypeError(f"{what} is {type(record).__name__}, not {kind.__name__}")
    data = to_json(record)
    if len(data) > MAX_PAYLOAD:
        raise PmError("payload_too_large", what=what, actual=len(data), allowed=MAX_PAYLOAD)
    from_json(kind, data, source=what)
    return data


class _Call(msgspec.Struct, eq=False):
    """A key the run has asked for."""

    key: str
    step: Step[Any, Any]
    given: Record
    payload: bytes
    digest: str
    attempt: int = 0
    failures: int = 0
    ended: bool = False
    """The body has ended; its answer is in the journal or on the way there."""
    answer: StepAnswer | None = None
    """Set when the run takes it in."""
    passing: PmError | None = None
    """A failure that may pass: told to the run, and not to the journal."""
    waiters: list[asyncio.Future[None]] = []
    task: asyncio.Task[None] | None = None


class JournaledRun(Engine):
    """The engine as one run sees it."""

    def __init__(
        self, journal: Journal, recorded: RecordedRun, bodies: Mapping[str, Body], clock: Clock
    ) -> None:
        self._journal = journal
        self._bodies = bodies
        self._clock = clock
        self._now = datetime.fromisoformat(recorded.started_at)
        self._starts = {start.key: start for start in recorded.starts}
        self._answered = {answer.key for answer in recorded.answers}
        self._arrived = deque(recorded.answers)
        self._calls: dict[str, _Call] = {}
        self._wanted: dict[str, _Call] = {}
        self._settling = Settling(self._advance)
        self._main: asyncio.Task[Any] | None = None
        self._fatal: BaseException | None = None

    async def run(self, code: RunCode[In, Out], given: In) -> Out:
        """Run `code` to its end; no body is left running behind it."""
        self._main = self._settling.spawn(asyncio.create_task, code(self, given))
        try:
            outcome = await self._main
        except BaseException:
            if self._fatal is not None:
                raise self._fatal from None
            raise
        finally:
            for call in self._calls.values():
                if call.task is not None:
                    await self._settling.finish(call.task)
        if self._fatal is not None:
            raise self._fatal
        for answer in self._arrived:
            if answer.key not in self._calls:
                raise PmError("step_not_repeated", key=answer.key)
        return outcome

    @override
    async def step(self, step: Step[In, Out], given: In, *, key: str) -> Out:
        call = self._request(step, given, key)
        if call.answer is None and call.passing is None:
            await self._wait(call)
        if call.passing is not None:
            raise StepFailedError(key, failure_of(call.passing)) from call.passing
        answer = call.answer
        assert answer is not None
        if answer.state == "failed":
            raise StepFailedError(key, from_json(StepFailure, answer.answer, source=key))
        return from_json(step.output, answer.answer, source=key)

    @override
    async def all(self, coroutines: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [self._settling.spawn(group.create_task, c) for c in coroutines]
        except BaseExceptionGroup as failures:
            first = failures.exceptions[0]
            raise first from first.__cause__
        return [task.result() for task in tasks]

    @override
    def now(self) -> datetime:
        return self._now

    def _request(self, step: Step[Any, Any], given: Record, key: str) -> _Call:
        payload = encode(given, step.input, f"the input of step {key}")
        digest = hashlib.sha256(f"{step.name}\n".encode() + payload).hexdigest()
        call = self._calls.get(key)
        if call is None:
            call = _Call(key=key, step=step, given=given, payload=payload, digest=digest)
            start = self._starts.get(key)
            if start is not None:
                call.digest = start.digest
                call.attempt = start.attempt
                call.failures = start.failures
                call.ended = key in self._answered
        if call.digest != digest:
            raise PmError("lifecycle_violation", key=key)
        if not call.ended and step.name not in self._bodies:
            raise PmError("step_unbound", name=step.name)
        self._calls[key] = call
        return call

    async def _wait(self, call: _Call) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        call.waiters.append(waiter)
        if not call.ended and call.task is None:
            self._wanted[call.key] = call
        try:
            await waiter
        finally:
            call.waiters.remove(waiter)
            if not call.waiters:
                self._wanted.pop(call.key, None)
                if call.task is not None:
                    await self._settling.finish(call.task)

    def _advance(self) -> None:
        """The run is at rest: hand over the next answer, or start what is wanted."""
        while self._arrived:
            answer = self._arrived.popleft()
            call = self._calls.get(answer.key)
            if call is None:
                self._abort(PmError("step_not_repeated", key=answer.key))
                return
            call.answer = answer
            if call.waiters:
                self._now = datetime.fromisoformat(answer.at)
                for waiter in call.waiters:
                    waiter.set_result(None)
                return
        wanted, self._wanted = self._wanted, {}
        for call in wanted.values():
            call.task = asyncio.create_task(self._perform(call), name=f"step {call.key}")
            call.task.add_done_callback(lambda task, call=call: self._body_ended(task, call))

    async def _perform(self, call: _Call) -> None:
        ending: tuple[AnswerState, bytes] | None = None
        while ending is None:
            call.attempt += 1
            await self._journal.start(
                StepStart(
                    key=call.key,
                    name=call.step.name,
                    digest=call.digest,
                    input=call.payload,
                    attempt=call.attempt,
                    failures=call.failures,
                )
            )
            ending = await self._attempt(call)
            if call.passing is not None:
                self._tell(call)
                return
        state, data = ending
        call.ended = True
        answer = StepAnswer(
            key=call.key, state=state, answer=data, at=self._clock.now().isoformat()
        )
        self._journal.answer(answer, lambda _, error: self._committed(answer, error))

    async def _attempt(self, call: _Call) -> tuple[AnswerState, bytes] | None:
        """How the attempt ended, or None when it is to be repeated."""
        body = self._bodies[call.step.name]
        try:
            result = await body(call.given, StepContext(key=call.key, attempt=call.attempt))
            return "done", encode(result, call.step.output, f"the result of step {call.key}")
        except PmError as error:
            call.failures += isinstance(error, RetryableError)
            if isinstance(error, RetryableError) and (
                call.failures < call.step.policy.max_attempts
            ):
                return None
            if may_pass(error):
                call.passing = error
                return None
            return "failed", _failure(error)
        # The boundary of a step: a fault in its code fails the step, for good and on record.
        except Exception as error:  # noqa: BLE001
            crash = PmError("step_crashed", kind=type(error).__name__, reason=error)
            return "failed", _failure(crash)

    def _tell(self, call: _Call) -> None:
        """Hand a failure that is on no record to those who wait."""
        call.ended = True
        for waiter in call.waiters:
            # Unlike an answer it comes at any time, also to one that was just cancelled.
            if not waiter.done():
                waiter.set_result(None)

    def _committed(self, answer: StepAnswer, error: PmError | None) -> None:
        if error is not None:
            self._abort(error)
            return
        self._arrived.append(answer)
        self._settling.check()

    def _body_ended(self, task: asyncio.Task[None], call: _Call) -> None:
        call.task = None
        if not task.cancelled():
            error = task.exception()
            if error is not None:
                self._abort(error)
        elif call.waiters:
            # The body cancelled itself; nobody else will tell those who wait.
            self._abort(asyncio.CancelledError(f"step {call.key} was cut off"))

    def _abort(self, error: BaseException) -> None:
        """Stop the run for a reason that is no step's failure; run code cannot catch it."""
        self._fatal = self._fatal or error
        if self._main is not None:
            self._main.cancel()


def _failure(error: PmError) -> bytes:
    return to_json(failure_of(error))
