"""What an engine with a journal promises on top: whatever happens, no finished step is repeated."""

import asyncio
from datetime import datetime

import pytest

from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.engine import MAX_PAYLOAD, Engine, StepContext, StepFailedError
from pm_orchestrator.testing.contracts.engine_contract import (
    ECHO,
    PASSING,
    Bodies,
    EngineContract,
    Execute,
    Value,
    one_step,
)


class StoppedError(Exception):
    """Raised by run code to leave a run unfinished."""


class DurableEngineContract(EngineContract):
    """Override `execute`: every call of it is a life of the same run."""

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

    async def test_a_failure_that_may_pass_is_not_recorded(self, execute: Execute) -> None:
        for error in PASSING:

            async def refuse(given: Value, context: StepContext, error: PmError = error) -> Value:
                raise error

            with pytest.raises(StepFailedError):
                await execute(one_step, Value(text="x"), Value, Bodies(refuse))
        bodies = Bodies()
        assert await execute(one_step, Value(text="x"), Value, bodies) == Value(text="x")
        assert bodies.calls == [("one", len(PASSING) + 1)]

    async def test_what_was_finished_beside_it_is_not_done_again(self, execute: Execute) -> None:
        async def code(engine: Engine, given: Value) -> Value:
            stopped: list[StepFailedError] = []

            async def branch(key: str) -> None:
                try:
                    for number in range(3):
                        await engine.step(ECHO, given, key=f"{key}{number}")
                except StepFailedError as error:
                    stopped.append(error)

            await engine.all([branch(key) for key in ("a", "b", "c")])
            if stopped:
                raise stopped[0]
            return await engine.step(ECHO, given, key="last")

        async def busy(given: Value, context: StepContext) -> Value:
            if context.key == "b1":
                raise RetryableError("model_unavailable", reason="busy")
            return given

        first, second = Bodies(busy), Bodies()
        with pytest.raises(StepFailedError) as caught:
            await execute(code, Value(), Value, first)
        assert caught.value.passing
        assert await execute(code, Value(), Value, second) == Value()
        others = {f"{branch}{number}" for branch in "ac" for number in range(3)}
        assert {key for key, _ in first.calls} == {"b0", "b1", *others}
        assert second.calls == [("b1", 2), ("b2", 1), ("last", 1)]

    async def test_a_failure_for_good_stays_after_one_that_may_pass(self, execute: Execute) -> None:
        errors = [
            PmError("disk", path="x", reason="full"),
            PmError("git_failed", operation="merge", reason="why"),
            AssertionError("a failure on record was tried again"),
        ]

        async def refuse(given: Value, context: StepContext) -> Value:
            raise errors[context.attempt - 1]

        bodies = Bodies(refuse)
        for slug in ("disk", "git_failed", "git_failed"):
            with pytest.raises(StepFailedError) as caught:
                await execute(one_step, Value(), Value, bodies)
            assert caught.value.failure.slug == slug
        assert bodies.calls == [("one", 1), ("one", 2)]

    async def test_a_run_can_be_stopped_while_a_failure_is_told(self, execute: Execute) -> None:
        """Whoever waits may be cancelled in the very moment in which the body fails."""

        async def busy(given: Value, context: StepContext) -> Value:
            run.cancel()
            # The run has the cancellation in its inbox, and has not looked yet.
            raise RetryableError("model_unavailable", reason="busy")

        run = asyncio.create_task(execute(one_step, Value(), Value, Bodies(busy)))
        with pytest.raises((asyncio.CancelledError, StepFailedError)):
            await run
        assert await execute(one_step, Value(), Value, Bodies()) == Value()

    async def test_a_result_of_another_type_is_a_failure(self, execute: Execute) -> None:
        async def lie(given: Value, context: StepContext) -> str:
            return "not a Value"

        with pytest.raises(StepFailedError) as caught:
            await execute(one_step, Value(), Value, Bodies(lie))
        assert caught.value.failure.params["kind"] == "TypeError"

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
