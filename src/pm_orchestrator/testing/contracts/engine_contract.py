"""What every engine promises, as tests; a new engine subclasses `EngineContract`.

One that keeps a journal subclasses `DurableEngineContract`, which promises more.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

import pytest

from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.engine import (
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
PASSING = (
    RetryableError("model_unavailable", reason="busy"),
    PmError("key_not_set", provider="anthropic", variable="ANTHROPIC_API_KEY"),
    PmError("model_refused", reason="no credit"),
    PmError("sandbox_gone", reason="killed"),
    PmError("disk", path="x", reason="no space left on device"),
    PmError("owner_alive", what="x", holder=1),
)
"""One of each kind that the world may mend by itself."""
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


class EngineContract:
    """What needs no journal. Override `execute`."""

    @pytest.fixture
    def execute(self) -> Execute:
        raise NotImplementedError

    async def test_a_step_gives_what_its_body_gives(self, execute: Execute) -> None:
        bodies = Bodies()
        given = Value(text="雪 \x00 \U0001f409", numbers=(1, -(2**53)))
        assert await execute(one_step, given, Value, bodies) == given
        assert bodies.calls == [("one", 1)]

    async def test_a_failure_says_what_went_wrong(self, execute: Execute) -> None:
        original = PmError("git_failed", operation="merge", reason=ValueError("why"))

        async def refuse(given: Value, context: StepContext) -> Value:
            raise original

        with pytest.raises(StepFailedError) as caught:
            await execute(one_step, Value(), Value, Bodies(refuse))
        failure = caught.value.failure
        assert (failure.slug, failure.params) == (
            "git_failed",
            {"operation": "merge", "reason": "why"},
        )
        assert str(caught.value) == "E201: step one failed: E801: git merge failed: why."
        assert not caught.value.passing

    @pytest.mark.parametrize("error", PASSING, ids=lambda error: error.slug)
    async def test_run_code_is_told_that_a_failure_may_pass(
        self, execute: Execute, error: PmError
    ) -> None:
        async def refuse(given: Value, context: StepContext) -> Value:
            raise error

        with pytest.raises(StepFailedError) as caught:
            await execute(one_step, Value(), Value, Bodies(refuse))
        assert caught.value.passing
        assert caught.value.original() is error

    async def test_a_failure_is_told_again_without_another_call(self, execute: Execute) -> None:
        async def code(engine: Engine, given: Value) -> Value:
            for _ in range(2):
                with pytest.raises(StepFailedError):
                    await engine.step(ECHO, given, key="bad")
            return given

        async def refuse(given: Value, context: StepContext) -> Value:
            raise PmError("no_session")

        bodies = Bodies(refuse)
        await execute(code, Value(), Value, bodies)
        assert bodies.calls == [("bad", 1)]

    async def test_the_same_request_later_runs_once(self, execute: Execute) -> None:
        async def code(engine: Engine, given: Value) -> Value:
            first = await engine.step(ECHO, given, key="same")
            assert await engine.step(ECHO, given, key="same") == first
            return first

        bodies = Bodies()
        assert await execute(code, Value(text="x"), Value, bodies) == Value(text="x")
        assert bodies.calls == [("same", 1)]

    async def test_others_come_to_their_end_beside_a_passing_failure(
        self, execute: Execute
    ) -> None:
        """As the one run does it: each branch catches its own failure."""

        async def code(engine: Engine, given: Value) -> Value:
            async def branch(key: str) -> str:
                try:
                    await engine.step(ECHO, given, key=key)
                    await engine.step(ECHO, given, key=f"{key} again")
                except StepFailedError:
                    return f"{key} stopped"
                return f"{key} done"

            return Value(text=", ".join(await engine.all([branch(k) for k in ("a", "b", "c")])))

        async def busy(given: Value, context: StepContext) -> Value:
            if context.key == "b":
                raise RetryableError("model_unavailable", reason="busy")
            await asyncio.sleep(0.01)
            return given

        outcome = await execute(code, Value(), Value, Bodies(busy))
        assert outcome.text == "a done, b stopped, c done"

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

    async def test_a_key_belongs_to_one_input(self, execute: Execute) -> None:
        async def code(engine: Engine, given: Value) -> Value:
            await engine.step(ECHO, Value(text="a"), key="same")
            return await engine.step(ECHO, Value(text="b"), key="same")

        with pytest.raises(PmError) as caught:
            await execute(code, Value(), Value, Bodies())
        assert (caught.value.code, caught.value.slug) == ("E204", "lifecycle_violation")

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

    async def test_a_step_nobody_bound_is_refused(self, execute: Execute) -> None:
        with pytest.raises(PmError) as caught:
            await execute(one_step, Value(), Value, {})
        assert caught.value.slug == "step_unbound"
        assert await execute(one_step, Value(), Value, Bodies()) == Value()
