"""E-26: what models used is counted in every dialect, and estimated where nobody says."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import (
    AnswerSource,
    ModelAnswer,
    ModelQuestion,
    answer_in_form,
)
from pm_orchestrator.adapters.gateway.metering import LONGEST_UNSAID, Metered
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
)
from pm_orchestrator.domain.company.spending import ABSURD, believed, tokens_at_most
from pm_orchestrator.domain.errors import CapReachedError, RetryableError
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.call_meter import CallMeter, Granted, ModelCall

REPLY = ChatReply(
    message=Message(role="assistant", text="Hello there, and good morning."),
    usage=TokenUsage(input_tokens=20, output_tokens=9, cached_tokens=5),
)
ASKED = ChatRequest(
    model="some-model",
    system="",
    messages=(Message(role="user", text="Say hello."),),
    max_tokens=900,
)
every_dialect = pytest.mark.parametrize("adapter", MODELS.names)


class Meter(CallMeter):
    """Grants `room`, or what is asked for, and remembers."""

    def __init__(self, room: int | None = None) -> None:
        self._room = room
        self.calls: list[ModelCall] = []
        self.settled: list[TokenUsage | None] = []

    @property
    @override
    def limits_answers(self) -> bool:
        return self._room is not None

    @override
    async def grant(self, call: ModelCall) -> Granted:
        self.calls.append(call)
        if self._room == 0:
            raise CapReachedError("tokens_cap_reached", most="", tokens="", cost="", run="")
        room = call.output_tokens if self._room is None else self._room
        return Granted(id="1", call=call, output_tokens=room)

    @override
    def settle(self, granted: Granted, used: TokenUsage | None) -> None:
        self.settled.append(used)


class Source(AnswerSource):
    """Answers by a function."""

    def __init__(self, answer: Callable[[ModelQuestion], Awaitable[ModelAnswer]]) -> None:
        self._answer = answer
        self.asked: list[ModelQuestion] = []
        self.closed = False

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        self.asked.append(question)
        return await self._answer(question)

    @override
    async def close(self) -> None:
        self.closed = True


async def says(question: ModelQuestion) -> ModelAnswer:
    return answer_in_form(REPLY, question)


def question_in(adapter: str, body: dict[str, Any] | None = None) -> ModelQuestion:
    dialect = MODELS.load(adapter).dialect
    written = to_json(dialect.write_request(ASKED) if body is None else body)
    path = dialect.path(ASKED)
    asked = dialect.read_request(written, path)
    return ModelQuestion(
        agent="worker/01/1", adapter=adapter, dialect=dialect, asked=asked, body=written, path=path
    )


@every_dialect
async def test_what_a_vendor_counts_is_counted_and_passed_on(adapter: str) -> None:
    """R-24, E-26: also what came out of its cache."""
    meter, source = Meter(), Source(says)
    metered = Metered(source, meter)
    question = question_in(adapter)
    answer = await metered.answer(question)
    assert answer.used == answer.usage() == REPLY.usage
    assert meter.settled == [REPLY.usage]
    (call,) = meter.calls
    assert (call.agent, call.adapter, call.model) == ("worker/01/1", adapter, "some-model")
    assert call.output_tokens == 900
    assert call.input_tokens == tokens_at_most(question.body)
    # Without a cap the question goes out as it came.
    assert source.asked[0].body == question.body
    await metered.close()
    assert source.closed
    # The same count, from the vendor's own words.
    written = question.dialect.write_answer(REPLY, "some-model")
    read = question.dialect.read_answer(written).usage
    assert (read.input_tokens, read.output_tokens) == (20, 9)
    assert read.cached_tokens == (0 if adapter == "ollama" else 5)


@every_dialect
async def test_an_answer_gets_no_more_room_than_was_granted(adapter: str) -> None:
    source = Source(says)
    await Metered(source, Meter(room=300)).answer(question_in(adapter))
    (sent,) = source.asked
    read = sent.dialect.read_request(sent.body, sent.path).request
    assert read.max_tokens == 300
    # And nothing else of it is different.
    assert msgspec.structs.replace(read, max_tokens=900) == sent.request


@every_dialect
async def test_who_names_no_limit_is_given_one_where_there_is_a_cap(adapter: str) -> None:
    dialect, source, meter = MODELS.load(adapter).dialect, Source(says), Meter(room=300)
    body = dialect.write_request(ASKED)
    for name in dialect.room:
        body.pop(name.partition(".")[0], None)
    await Metered(source, meter).answer(question_in(adapter, body))
    assert meter.calls[0].output_tokens == LONGEST_UNSAID
    (sent,) = source.asked
    assert dialect.read_request(sent.body, sent.path).request.max_tokens == 300


async def test_an_old_field_for_the_limit_is_the_one_that_is_written() -> None:
    body = MODELS.load("openai").dialect.write_request(ASKED)
    body["max_tokens"] = body.pop("max_completion_tokens")
    source = Source(says)
    await Metered(source, Meter(room=300)).answer(question_in("openai", body))
    sent = msgspec.json.decode(source.asked[0].body)
    assert (sent["max_tokens"], "max_completion_tokens" in sent) == (300, False)


async def test_beyond_a_cap_nobody_is_asked() -> None:
    source, meter = Source(says), Meter(room=0)
    with pytest.raises(CapReachedError):
        await Metered(source, meter).answer(question_in("anthropic"))
    assert (source.asked, meter.settled) == ([], [])


@every_dialect
@pytest.mark.parametrize("usage", [None, "many", {}, [1], {"input_tokens": "x"}])
async def test_a_count_that_is_none_is_estimated_and_the_answer_holds(
    adapter: str, usage: object
) -> None:
    dialect = MODELS.load(adapter).dialect
    written = dialect.write_answer(REPLY, "some-model")
    for name in ("usage", "usageMetadata", "prompt_eval_count", "eval_count"):
        if name in written:
            written[name] = usage

    async def answers(question: ModelQuestion) -> ModelAnswer:
        reply = dialect.read_answer(written)
        return ModelAnswer(status=200, body=to_json(written), reply=reply)

    meter = Meter()
    answer = await Metered(Source(answers), meter).answer(question_in(adapter))
    (used,) = meter.settled
    assert used is not None
    assert used.estimated
    assert used.input_tokens == meter.calls[0].input_tokens
    assert used.output_tokens == tokens_at_most(to_json(answer.reply and answer.reply.message))


@pytest.mark.parametrize(
    ("said", "is_believed"),
    [
        (TokenUsage(input_tokens=100, output_tokens=50), True),
        (TokenUsage(input_tokens=100, output_tokens=50, cached_tokens=90, stored_tokens=10), True),
        # Searches and thoughts are counted, too.
        (TokenUsage(input_tokens=ABSURD, output_tokens=ABSURD), True),
        (TokenUsage(), False),
        (TokenUsage(input_tokens=100), False),
        (TokenUsage(output_tokens=50), False),
        (TokenUsage(input_tokens=-100, output_tokens=50), False),
        (TokenUsage(input_tokens=100, output_tokens=-1), False),
        (TokenUsage(input_tokens=100, output_tokens=50, cached_tokens=101), False),
        (TokenUsage(input_tokens=10**12, output_tokens=50), False),
        (TokenUsage(input_tokens=100, output_tokens=10**12), False),
    ],
)
def test_an_absurd_count_is_not_believed(said: TokenUsage, *, is_believed: bool) -> None:
    found = believed(said, 120, 60)
    estimate = TokenUsage(input_tokens=120, output_tokens=60, estimated=True)
    assert found == (said if is_believed else estimate)


async def test_what_breaks_off_while_it_is_heard_was_said_all_the_same() -> None:
    heard: list[bytes] = []

    async def breaks(question: ModelQuestion) -> ModelAnswer:
        assert question.pass_on is not None
        await question.pass_on(b"data: half of it\n\n")
        raise RetryableError("model_unavailable", reason="cut")

    async def hear(frame: bytes) -> None:
        heard.append(frame)

    meter = Meter()
    question = msgspec.structs.replace(question_in("anthropic"), pass_on=hear)
    with pytest.raises(RetryableError):
        await Metered(Source(breaks), meter).answer(question)
    (used,) = meter.settled
    assert used is not None
    assert (used.estimated, used.input_tokens) == (True, meter.calls[0].input_tokens)
    assert used.output_tokens == tokens_at_most(heard[0])


@pytest.mark.parametrize("status", [400, 429, 500])
async def test_a_refusal_of_the_vendor_costs_nothing(status: int) -> None:
    async def refuses(_: ModelQuestion) -> ModelAnswer:
        return ModelAnswer(status=status, body=b"{}")

    meter = Meter()
    answer = await Metered(Source(refuses), meter).answer(question_in("anthropic"))
    assert (answer.status, meter.settled) == (status, [None])


async def test_who_is_cancelled_has_asked_all_the_same() -> None:
    async def hangs(_: ModelQuestion) -> ModelAnswer:
        await asyncio.Event().wait()
        raise AssertionError

    meter = Meter()
    task = asyncio.create_task(Metered(Source(hangs), meter).answer(question_in("anthropic")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    asked = meter.calls[0].input_tokens
    assert meter.settled == [TokenUsage(input_tokens=asked, estimated=True)]
