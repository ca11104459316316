"""What was recorded is what is replayed, also as a stream."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.adapters.gateway.answers import ModelQuestion
from pm_orchestrator.adapters.gateway.cassette import parse_cassette
from pm_orchestrator.adapters.gateway.recording import Recording
from pm_orchestrator.adapters.gateway.replay import Replay
from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.ports.dialect import BrokenStreamError
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers
from pm_orchestrator.testing.scripted.whole_answer import whole_answer

Json = dict[str, Any]
SPOKEN, PATH = AnthropicMessages(), "/v1/messages"

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
names = st.from_regex(r"\A[a-z_]{1,10}\Z")
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def say_text(text: str) -> Json:
    return {"type": "text", "text": text}


def call_tool(name: str, inputs: Json) -> Json:
    return {"type": "tool_use", "id": f"t_{name}", "name": name, "input": inputs}


def think(text: str) -> Json:
    return {"type": "thinking", "thinking": text, "signature": "s"}


def whole(content: list[Json], stop: str, used: int) -> Json:
    # No vendor gives one id twice.
    content = [b | {"id": f"t_{n}"} if "id" in b else b for n, b in enumerate(content)]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": used, "cache_read_input_tokens": 1, "output_tokens": used},
    }


opaque: Json = {"type": "redacted_thinking", "data": "opaque"}
blocks = st.one_of(
    st.builds(say_text, texts),
    st.builds(call_tool, names, st.dictionaries(names, values, max_size=3)),
    st.builds(think, texts),
    st.just(opaque),
)
messages = st.builds(
    whole,
    st.lists(blocks, max_size=4),
    st.sampled_from(["end_turn", "tool_use", "max_tokens", "stop_sequence"]),
    st.integers(0, 10_000),
)


@given(message=messages)
def test_a_stream_carries_the_whole_message(message: Json) -> None:
    assert whole_answer(SPOKEN, b"".join(SPOKEN.write_stream(message))) == message


@given(message=messages, cut=st.floats(0, 0.999))
def test_a_stream_that_was_cut_is_never_a_message(message: Json, cut: float) -> None:
    stream = b"".join(SPOKEN.write_stream(message))
    # The last frame is complete once its JSON is; the two line ends behind it say nothing.
    with pytest.raises(BrokenStreamError):
        whole_answer(SPOKEN, stream[: int((len(stream) - 3) * cut)])


@st.composite
def scripts(draw: st.DrawFn) -> dict[str, list[Json]]:
    """For each of a few agents, what the model says turn by turn."""
    agents = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    return {agent: draw(st.lists(messages, min_size=1, max_size=3)) for agent in agents}


def question(agent: str, script: list[Json], turn: int, own: str, *, stream: bool) -> ModelQuestion:
    """The `turn`-th request of an agent: what was said so far, and this run's tool output."""
    history: list[Json] = [{"role": "user", "content": f"do your part of 20260101-{own}"}]
    for said in script[: turn - 1]:
        history.append({"role": "assistant", "content": said["content"]})
        result = {"type": "tool_result", "tool_use_id": "t", "content": f"output {own}"}
        history.append({"role": "user", "content": [result]})
    body = {"model": "m", "system": agent, "messages": history, "stream": stream}
    encoded = msgspec.json.encode(body)
    asked = SPOKEN.read_request(encoded, PATH)
    return ModelQuestion(agent=agent, dialect=SPOKEN, asked=asked, body=encoded, path=PATH)


def heard(said: Json) -> ChatReply:
    """What an agent makes of an answer."""
    return SPOKEN.read_answer(said)


@given(script=scripts(), stream=st.booleans(), order=st.randoms(use_true_random=False))
async def test_a_recording_replays_in_any_order(
    script: dict[str, list[Json]], stream: bool, order: Any
) -> None:
    def say(agent: str, turn: int, _: ChatRequest) -> Json:
        return script[agent][turn - 1]

    turns = [(agent, turn) for agent, said in script.items() for turn in range(1, len(said) + 1)]
    recording = Recording(ScriptedAnswers(say))
    for agent, turn in turns:
        await recording.answer(question(agent, script[agent], turn, "aaaa", stream=False))

    path = Path("demo.json")
    written = to_file(recording.cassette)
    replay = Replay(parse_cassette(written, path))
    order.shuffle(turns)
    for agent, turn in turns:
        asked = question(agent, script[agent], turn, "zz99", stream=stream)
        answer = await replay.answer(asked)
        said = whole_answer(SPOKEN, answer.body) if stream else msgspec.json.decode(answer.body)
        assert heard(said) == heard(script[agent][turn - 1])

    # Who was recorded first must not show: parallel agents are never equally fast.
    again = Recording(ScriptedAnswers(say))
    for agent, turn in turns:
        await again.answer(question(agent, script[agent], turn, "bbbb", stream=True))
    assert to_file(again.cassette) == written


@given(script=scripts())
async def test_beyond_the_recording_there_is_no_answer(script: dict[str, list[Json]]) -> None:
    recording = Recording(ScriptedAnswers(lambda agent, turn, _: script[agent][turn - 1]))
    for agent, said in script.items():
        for turn in range(1, len(said) + 1):
            await recording.answer(question(agent, said, turn, "aaaa", stream=False))
    replay = Replay(recording.cassette)
    for agent, said in script.items():
        with pytest.raises(PmError) as caught:
            await replay.answer(question(agent, said, len(said) + 1, "aaaa", stream=False))
        assert caught.value.code == "E605"
        assert f"ends at turn {len(said)}" in caught.value.what()
