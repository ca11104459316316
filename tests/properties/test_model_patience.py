"""Retry and fallback, for every order of failures."""

from hypothesis import example, given, strategies as st
from typing_extensions import override

from pm_orchestrator.dispatch.retry import AGAIN_S, FallbackModel, RetryingModel, Standby
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
)
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.scripted.scripted_model import ScriptedModel

REPLY = ChatReply(message=Message(role="assistant", text="done"), usage=TokenUsage())
OTHER_REPLY = ChatReply(
    message=Message(role="assistant", text="done elsewhere"), usage=TokenUsage()
)
REQUEST = ChatRequest(model="first", system="", messages=(Message(role="user", text="go"),))

PROVIDER_ERRORS: dict[str, type[PmError]] = {
    "model_unavailable": RetryableError,
    "model_refused": PmError,
    "model_answer_unreadable": PmError,
}


def failure(slug: str, nth: int = 0) -> PmError:
    return PROVIDER_ERRORS[slug](slug, reason=f"number {nth}")


async def outcome(model: RetryingModel | FallbackModel) -> ChatReply | PmError:
    try:
        return await model.chat(REQUEST)
    except PmError as error:
        return error


class TimedModel(ScriptedModel):
    """Notes when it was asked."""

    def __init__(self, steps: list[ChatReply | PmError], clock: FakeClock) -> None:
        super().__init__(steps)
        self._clock = clock
        self.times: list[float] = []

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        self.times.append(self._clock.monotonic())
        return await super().chat(request)


ends = st.sampled_from(["reply", "model_refused", "model_answer_unreadable"])


@given(lost=st.integers(0, 8), end=ends)
@example(lost=3, end="reply")
@example(lost=4, end="reply")
async def test_retry(lost: int, end: str) -> None:
    """E-26 Retry with Exponential Backoff: after 1, 2 and 4 s, then the failure is reported."""
    clock = FakeClock()
    last: ChatReply | PmError = REPLY if end == "reply" else failure(end)
    steps: list[ChatReply | PmError] = [failure("model_unavailable", nth) for nth in range(lost)]
    model = TimedModel([*steps, last], clock)

    result = await outcome(RetryingModel(model, clock))

    assert model.times == [0.0, 1.0, 3.0, 7.0][: lost + 1]
    assert result == last if lost <= 3 else result is steps[3]
    # No wait follows the last attempt: a failure is reported as soon as it is certain.
    assert clock.monotonic() == model.times[-1]


step = st.sampled_from(["reply", *PROVIDER_ERRORS])


@given(primary=step, fallback=step, model=st.sampled_from([None, "second"]))
async def test_fallback(primary: str, fallback: str, model: str | None) -> None:
    """E-15 AI Adapter Fallback: a failing primary is followed by the fallback, before failing."""
    first = ScriptedModel([REPLY if primary == "reply" else failure(primary, 1)])
    second = ScriptedModel([OTHER_REPLY if fallback == "reply" else failure(fallback, 2)])

    result = await outcome(FallbackModel(first, second, Standby(FakeClock()), model))

    assert len(first.asked) == 1
    if primary == "reply":
        assert result == REPLY
        assert second.asked == []
        return
    assert [request.model for request in second.asked] == [model or "first"]
    if fallback == "reply":
        assert result == OTHER_REPLY
        return
    assert isinstance(result, PmError)
    assert result.code == "E606"
    assert "number 1" in result.what()
    assert "number 2" in result.what()
    hopeful = "model_unavailable" in (primary, fallback)
    assert isinstance(result, RetryableError) is hopeful


@given(slug=st.sampled_from(["cassette_mismatch", "evidence_not_collected"]))
async def test_fallback_is_only_for_providers(slug: str) -> None:
    """E-15 AI Adapter Fallback: what no other provider can cure is reported as it is."""
    params = {"agent": "a", "turn": 1, "reason": "r", "path": "p"}
    error, standby = PmError(slug, **params), Standby(FakeClock())
    unused = ScriptedModel([])
    assert await outcome(FallbackModel(ScriptedModel([error]), unused, standby)) is error
    assert unused.asked == []
    refusing = ScriptedModel([failure("model_refused")])
    assert await outcome(FallbackModel(refusing, ScriptedModel([error]), standby)) is error


def busy(seconds: float | None) -> PmError:
    said = "" if seconds is None else f"{seconds:g}"
    return RetryableError("model_busy", reason="HTTP 429", seconds=said)


class Heard:
    """What somebody at a screen is told."""

    def __init__(self) -> None:
        self.waits: list[tuple[float, str]] = []

    async def __call__(self, seconds: float, reason: str) -> None:
        self.waits.append((seconds, reason))


@given(waits=st.lists(st.integers(1, 300), max_size=6), lost=st.integers(0, 3))
async def test_a_busy_vendor_is_waited_for_and_no_try_is_lost(waits: list[int], lost: int) -> None:
    """E-26 Retry with Exponential Backoff: waiting for who is busy takes none of the retries."""
    clock, heard = FakeClock(), Heard()
    failures: list[ChatReply | PmError] = [failure("model_unavailable", n) for n in range(lost)]
    model = TimedModel([*map(busy, waits), *failures, REPLY], clock)
    assert await RetryingModel(model, clock, 3600, heard).chat(REQUEST) == REPLY
    # As long as was asked for, and not asked sooner.
    gaps = [b - a for a, b in zip(model.times, model.times[1:], strict=False)]
    assert gaps == [*map(float, waits), *[1.0, 2.0, 4.0][:lost]]
    assert heard.waits == [(float(wait), "HTTP 429") for wait in waits]


@given(waits=st.lists(st.none() | st.integers(0, 100), min_size=30, max_size=30))
async def test_waiting_has_an_end(waits: list[int | None]) -> None:
    """E-26 Retry with Exponential Backoff: who stays busy is given up, and says why."""
    clock, longest = FakeClock(), 200.0
    model = TimedModel([*map(busy, waits), *[busy(150)] * 400], clock)
    result = await outcome(RetryingModel(model, clock, longest))
    assert isinstance(result, RetryableError)
    assert result.slug == "model_busy"
    assert clock.monotonic() == model.times[-1] <= longest


async def test_who_is_told_to_wait_for_too_long_goes_to_the_fallback_at_once() -> None:
    """E-15 AI Adapter Fallback: a wait beyond the limit is a failure of the first model."""
    clock = FakeClock()
    first, second = TimedModel([busy(3601)], clock), ScriptedModel([OTHER_REPLY])
    model = FallbackModel(RetryingModel(first, clock, 3600), second, Standby(clock), "other")
    assert await outcome(model) == OTHER_REPLY
    assert clock.monotonic() == 0


@given(agents=st.lists(st.integers(0, 2), min_size=1, max_size=8))
async def test_who_failed_is_not_asked_again_by_anybody_for_a_while(agents: list[int]) -> None:
    """E-15 AI Adapter Fallback: all agents of a run share what one of them found out."""
    clock = FakeClock()
    standby = Standby(clock)
    first = ScriptedModel([failure("model_refused"), REPLY])
    second = ScriptedModel([OTHER_REPLY] * len(agents))
    models = [FallbackModel(first, second, standby) for _ in range(3)]
    for agent in agents:
        assert await outcome(models[agent]) == OTHER_REPLY
    assert len(first.asked) == 1
    clock.advance(AGAIN_S)
    assert await outcome(models[0]) == REPLY


async def test_one_answer_that_cannot_be_read_says_nothing_of_the_next() -> None:
    first = ScriptedModel([failure("model_answer_unreadable"), REPLY])
    model = FallbackModel(first, ScriptedModel([OTHER_REPLY]), Standby(FakeClock()))
    assert [await outcome(model), await outcome(model)] == [OTHER_REPLY, REPLY]


async def test_where_neither_answers_the_first_is_asked_first_the_next_time() -> None:
    first = ScriptedModel([failure("model_unavailable", 1), REPLY])
    second = ScriptedModel([failure("model_unavailable", 2)])
    model = FallbackModel(first, second, Standby(FakeClock()))
    assert isinstance(await outcome(model), RetryableError)
    assert await outcome(model) == REPLY
