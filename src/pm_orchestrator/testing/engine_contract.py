"""What every engine promises, as tests; a new engine subclasses `EngineContract`."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeVar

import pytest

from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.engine import (
    MAX_PAYLOAD,
    Body,
    Engine,
    RunCode,
    Step,
    StepContext,
    StepFailedError,
    StepPolicy,
)


class Value(Record, frozen=True, kw_only=True):
    """What the contract's steps take and give."""

    text: str = ""
    numbers: tuple[int, ...] = ()


In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)

ECHO = Step(name="echo", input=Value, output=Value)
PATIENT = Step(name="echo", input=Value, output=Value, policy=StepPolicy(max_attempts=3))


class Execute(Protocol):
    """Starts the run, or resumes it after whatever happened to the last call."""

    async def __call__(
        self, code: RunCode[In, Out], given: In, output: type[Out], bodies: Mapping[str, Body]
    ) -> Out: ...


class Bodies(dict[str, Body]):
    """The step `echo`, which notes its calls and then does what it is told."""

    def __init__(self, act: Callable[[Value, StepContext], Awaitable[Any]] | None = None) -> None:
        self.calls: list[tuple[str, int]] = []
        self._act = act
        super().__init__(echo=self._echo)

    async def _echo(self, given: Value, context: StepContext) -> Any:
        self.calls.append((context.key, context.attempt))
        return given if self._act is None else await self._act(given, context)


async def one_step(engine: Engine, given: Value) -> Value:
    """The smallest run."""
    return await engine.step(ECHO, given, key="one")


class StoppedError(Exception):
    """Raised by run code to leave a run unfinished."""


class EngineContract:
    """Override `execute`."""

    @pytest.fixture
    def execute(self) -> Execute:
        raise NotImplementedError

    async def test_a_step_gives_what_its_body_gives(self, execute: Execute) -> None:
        bodies = Bodies()
        given = Value(text="雪 \x00 \U0001f409", numbers=(1, -(2**53)))
        assert await execute(one_step, given, Value, bodies) == given
        assert bodies.calls == [("one", 1)]

    async def test_a_finished_run_is_not_run_again(self, execute: Execute) -> None:
        given = Value(text="x")
        await execute(one_step, given, Value, Bodies())

        async def never(engine: Engine, given: Value) -> Value:
            raise AssertionError("a finished run was run again")

        assert await execute(never, given, Value, {}) == given

    async def test_a_finished_step_is_not_run_again(self, execute: Execute) -> None:
        async def two(engine: Engine, given: Value) -> Value:
            first = await engine.step(ECHO, Value(numbers=(1,)), key="first")
            return await engine.step(
                ECHO, Value(numbers=(*first.numbers, *given.numbers)), key="second"
            )

        async def half(engine: Engine, given: Value) -> Value:
            await engine.step(ECHO, Value(numbers=(1,)), key="first")
            raise StoppedError

        with pytest.raises(StoppedError):
            await execute(half, Value(numbers=(2,)), Value, Bodies())
        bodies = Bodies()
        assert await execute(two, Value(numbers=(2,)), Value, bodies) == Value(numbers=(1, 2))
        assert bodies.calls == [("second", 1)]

    async def test_a_failure_is_the_same_on_replay(self, execute: Execute) -> None:
        async def refuse(given: Value, context: StepContext) -> Value:
            raise PmError("git_failed", operation="merge", reason=ValueError("why"))

        bodies = Bodies(refuse)
        seen: list[tuple[str, str, dict[str, str]]] = []
        for _ in range(2):
            with pytest.raises(StepFailedError) as caught:
                await execute(one_step, Value(), Value, bodies)
            failure = caught.value.failure
            seen.append((str(caught.value), failure.slug, failure.params))
        assert seen[0] == seen[1]
        assert seen[0][1:] == ("git_failed", {"operation": "merge", "reason": "why"})
        assert seen[0][0] == "E201: step one failed: E801: git merge failed: why."
        assert bodies.calls == [("one", 1)]

    async def test_a_fault_in_a_body_is_a_failure_too(self, execute: Execute) -> None:
        async def break_down(given: Value, context: StepContext) -> Value:
            raise ZeroDivisionError("oops")

        bodies = Bodies(break_down)
        for _ in range(2):
            with pytest.raises(StepFailedError) as caught:
                await execute(one_step, Value(), Value, bodies)
            failure = caught.value.failure
            assert failure.slug == "step_crashed"
            assert failure.params == {"kind": "ZeroDivisionError", "reason": "oops"}
        assert bodies.calls == [("one", 1)]

    async def test_a_result_of_another_type_is_a_failure(self, execute: Execute) -> None:
        async def lie(given: Value, context: StepContext) -> str:
            return "not a Value"

        with pytest.raises(StepFailedError) as caught:
            await execute(one_step, Value(), Value, Bodies(lie))
        assert caught.value.failure.params["kind"] == "TypeError"

    async def test_run_code_can_go_on_after_a_failure(self, execute: Execute) -> None:
        async def code(engine: Engine, given: Value) -> Value:
            try:
                return await engine.step(ECHO, given, key="bad")
            except StepFailedError as error:
                return await engine.step(ECHO, Value(text=error.failure.slug), key="good")

        async def refuse_first(given: Value, context: StepContext) -> Value:
            if context.key == "bad":
                raise PmError("no_session")
            return given

        assert await execute(code, Value(), Value, Bodies(refuse_first)) == Value(text="no_session")

    async def test_a_passing_failure_is_tried_again(self, execute: Execute) -> None:
        async def code(engine: Engine, given: Value) -> Value:
            return await engine.step(PATIENT, given, key="busy")

        async def busy_twice(given: Value, context: StepContext) -> Value:
            if context.attempt < 3:
                raise RetryableError("model_unavailable", reason="busy")
            return given

        bodies = Bodies(busy_twice)
        assert await execute(code, Value(text="x"), Value, bodies) == Value(text="x")
        assert bodies.calls == [("busy", 1), ("busy", 2), ("busy", 3)]

    async def test_tries_run_out(self, execute: Execute) -> None:
        async def code(engine: Engine, given: Value) -> Value:
            return await engine.step(PATIENT, given, key="busy")

        async def busy(given: Value, context: StepContext) -> Value:
            raise RetryableError("model_unavailable", reason="busy")

        bodies = Bodies(busy)
        with pytest.raises(StepFailedError) as caught:
            await execute(code, Value(), Value, bodies)
        assert caught.value.failure.next_step == "retry"
        assert len(bodies.calls) == 3

    async def test_a_step_that_was_cut_off_is_done_again(self, execute: Execute) -> None:
        begun = asyncio.Event()

        async def hang_once(given: Value, context: StepContext) -> Value:
            if context.attempt == 1:
                begun.set()
                await asyncio.Event().wait()
            return given

        bodies = Bodies(hang_once)
        run = asyncio.create_task(execute(one_step, Value(text="x"), Value, bodies))
        await begun.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert await execute(one_step, Value(text="x"), Value, bodies) == Value(text="x")
        assert bodies.calls == [("one", 1), ("one", 2)]

    async def test_a_key_belongs_to_one_input(self, execute: Execute) -> None:
        async def code(engine: Engine, given: Value) -> Value:
            await engine.step(ECHO, Value(text="a"), key="same")
            return await engine.step(ECHO, Value(text="b"), key="same")

        with pytest.raises(PmError) as caught:
            await execute(code, Value(), Value, Bodies())
        assert (caught.value.code, caught.value.slug) == ("E204", "lifecycle_violation")

    async def test_a_changed_input_is_caught_on_resume(self, execute: Execute) -> None:
        async def before(engine: Engine, given: Value) -> Value:
            await engine.step(ECHO, Value(text="a"), key="same")
            raise StoppedError

        async def after(engine: Engine, given: Value) -> Value:
            return await engine.step(ECHO, Value(text="b"), key="same")

        with pytest.raises(StoppedError):
            await execute(before, Value(), Value, Bodies())
        with pytest.raises(PmError) as caught:
            await execute(after, Value(), Value, Bodies())
        assert caught.value.slug == "lifecycle_violation"

    async def test_the_same_request_twice_runs_once(self, execute: Execute) -> None:
        async def code(engine: Engine, given: Value) -> Value:
            pair = await engine.all([engine.step(ECHO, given, key="same") for _ in range(2)])
            third = await engine.step(ECHO, given, key="same")
            assert pair == [third, third]
            return third

        bodies = Bodies()
        assert await execute(code, Value(text="x"), Value, bodies) == Value(text="x")
        assert bodies.calls == [("same", 1)]

    async def test_another_run_input_is_refused(self, execute: Execute) -> None:
        await execute(one_step, Value(text="a"), Value, Bodies())
        with pytest.raises(PmError) as caught:
            await execute(one_step, Value(text="b"), Value, Bodies())
        assert caught.value.code == "E204"

    async def test_all_keeps_the_order_given(self, execute: Execute) -> None:
        async def code(engine: Engine, given: Value) -> Value:
            results = await engine.all(
                [engine.step(ECHO, Value(numbers=(n,)), key=f"n{n}") for n in given.numbers]
            )
            return Value(numbers=tuple(r.numbers[0] for r in results))

        async def later_is_faster(given: Value, context: StepContext) -> Value:
            for _ in range(20 - given.numbers[0]):
                await asyncio.sleep(0)
            return given

        numbers = tuple(range(20))
        outcome = await execute(code, Value(numbers=numbers), Value, Bodies(later_is_faster))
        assert outcome.numbers == numbers

    async def test_the_first_failure_cancels_the_others(self, execute: Execute) -> None:
        cancelled: list[str] = []

        async def code(engine: Engine, given: Value) -> Value:
            with pytest.raises(StepFailedError) as caught:
                await engine.all(
                    [engine.step(ECHO, given, key=k) for k in ("slow", "bad", "slower")]
                )
            return Value(text=caught.value.failure.slug, numbers=(len(cancelled),))

        async def act(given: Value, context: StepContext) -> Value:
            if context.key == "bad":
                raise PmError("no_session")
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                cancelled.append(context.key)
            return given

        outcome = await execute(code, Value(), Value, Bodies(act))
        assert outcome == Value(text="no_session", numbers=(2,))
        assert sorted(cancelled) == ["slow", "slower"]

    async def test_time_is_the_same_on_replay(self, execute: Execute) -> None:
        times: list[list[datetime]] = []

        async def code(engine: Engine, given: Value) -> Value:
            seen = [engine.now()]
            times.append(seen)
            for number in range(3):
                await engine.step(ECHO, given, key=f"n{number}")
                seen.append(engine.now())
            if len(times) < 3:
                raise StoppedError
            return given

        for _ in range(2):
            with pytest.raises(StoppedError):
                await execute(code, Value(), Value, Bodies())
        await execute(code, Value(), Value, Bodies())
        assert times[0] == times[1] == times[2]
        assert all(moment.utcoffset() is not None for moment in times[0])

    @pytest.mark.parametrize("where", ["input", "result", "outcome"])
    async def test_payloads_are_limited(self, execute: Execute, where: str) -> None:
        large = Value(text="x" * MAX_PAYLOAD)

        async def code(engine: Engine, given: Value) -> Value:
            await engine.step(ECHO, large if where == "input" else given, key="one")
            return large

        async def act(given: Value, context: StepContext) -> Value:
            return large if where == "result" else given

        with pytest.raises(PmError) as caught:
            await execute(code, Value(), Value, Bodies(act))
        error = caught.value
        if isinstance(error, StepFailedError):
            assert where == "result"
            error = error.failure.error()
        assert (error.code, error.slug) == ("E206", "payload_too_large")

    async def test_a_step_nobody_bound_is_refused(self, execute: Execute) -> None:
        with pytest.raises(PmError) as caught:
            await execute(one_step, Value(), Value, {})
        assert caught.value.slug == "step_unbound"
        assert await execute(one_step, Value(), Value, Bodies()) == Value()
