"""Recordings on disk, and finding the right answer in them."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pm_orchestrator.adapters.gateway.answers import ModelQuestion
from pm_orchestrator.adapters.gateway.cassette import Cassette, Take, load_cassette, save_cassette
from pm_orchestrator.adapters.gateway.normalise import RequestDigest, question_digest
from pm_orchestrator.adapters.gateway.replay import Recording, Replay
from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.domain.company.model_conversation import ChatRequest
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.scripted.anthropic_messages import say_text
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers

Json = dict[str, Any]
SPOKEN, PATH = AnthropicMessages(), "/v1/messages"
SOME = RequestDigest(model="a" * 16, tools="b" * 16, system="c" * 16, messages="d" * 16)


def question(agent: str = "worker-1", text: str = "go", **parts: Any) -> ModelQuestion:
    body: Json = {"model": "m", "messages": [{"role": "user", "content": text}]}
    encoded = msgspec.json.encode(body | parts)
    asked = SPOKEN.read_request(encoded, PATH)
    return ModelQuestion(agent=agent, dialect=SPOKEN, asked=asked, body=encoded, path=PATH)


def take(text: str, asked: RequestDigest | None, agent: str = "worker-1", turn: int = 1) -> Take:
    return Take(agent=agent, turn=turn, digest=asked, reply=SPOKEN.read_answer(say_text(text)))


async def said(replay: Replay, asked: ModelQuestion) -> str:
    answer = await replay.answer(asked)
    assert answer.reply is not None
    return answer.reply.message.text


def test_a_cassette_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "demo.json"
    cassette = Cassette(takes=(take("こんにちは", SOME), take("any", None, turn=2)))
    save_cassette(path, cassette)
    assert load_cassette(path) == cassette
    first = path.read_bytes()
    save_cassette(path, load_cassette(path))
    assert path.read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == ["demo.json"]


REPLY: Json = {"message": {"role": "assistant", "text": "x"}, "usage": {}}


def written(**changes: Any) -> bytes:
    entry: Json = {"agent": "a", "turn": 1, "digest": None, "reply": REPLY}
    return msgspec.json.encode({"schema_version": 2, "takes": [entry | changes]})


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "truncated"),
        (b"{", "truncated"),
        (b"[]", "object"),
        (b'{"schema_version": 1, "takes": []}', "schema_version"),
        (b'{"takes": [], "extra": 1}', "extra"),
        (written(turn="1"), "turn"),
        (written(surprise=1), "surprise"),
        (written(digest="sha"), "digest"),
        (written(reply={"type": "error"}), "reply"),
        (written(reply={"message": {"role": "assistant"}}), "usage"),
        (msgspec.json.encode(Cassette(takes=(take("x", SOME), take("y", SOME)))), "two answers"),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    with pytest.raises(PmError) as caught:
        load_cassette(path)
    assert caught.value.code == "E604"
    assert reason in caught.value.what()
    assert str(path) in caught.value.what()


def test_a_missing_file_and_a_missing_directory_are_said(tmp_path: Path) -> None:
    with pytest.raises(PmError, match=r"E604: .*No such file"):
        load_cassette(tmp_path / "none.json")
    with pytest.raises(PmError, match=r"E604: .*No such file"):
        save_cassette(tmp_path / "none" / "demo.json", Cassette())


async def test_the_fitting_answer_comes_before_the_one_for_any_request() -> None:
    asked = question()
    takes = (
        take("any", None),
        take("fitting", question_digest(asked.request)),
        take("other", SOME),
    )
    replay = Replay(Cassette(takes=takes))
    assert await said(replay, asked) == "fitting"
    assert await said(replay, question(text="something else")) == "any"


async def test_a_second_attempt_with_another_question_has_its_own_answer() -> None:
    first, second = question(text="write it"), question(text="you did not write it")
    takes = (
        take("done", question_digest(first.request)),
        take("now done", question_digest(second.request)),
    )
    replay = Replay(Cassette(takes=takes))
    assert await said(replay, second) == "now done"
    assert await said(replay, first) == "done"


@pytest.mark.parametrize(
    ("asked", "differs"),
    [
        (question(text="stop"), "in its messages"),
        (question(model="other"), "in its model"),
        (question(system="You are someone."), "in its system"),
        (question(tools=[{"name": "run"}], system="x"), "in its tools and system"),
    ],
)
async def test_a_changed_request_is_refused_and_says_what_changed(
    asked: ModelQuestion, differs: str
) -> None:
    takes = (take("yes", question_digest(question().request)), take("other", SOME))
    with pytest.raises(PmError) as caught:
        await Replay(Cassette(takes=takes)).answer(asked)
    assert caught.value.code == "E605"
    assert differs in caught.value.what()


async def test_an_empty_cassette_knows_nobody() -> None:
    with pytest.raises(PmError, match="nobody"):
        await Replay(Cassette()).answer(question())


async def test_agents_named_after_tickets_are_found_in_the_next_run() -> None:
    recording = Recording(ScriptedAnswers(lambda agent, turn, request: say_text(agent)))
    await recording.answer(question("worker-20260115-ab12-01"))
    await recording.answer(question("worker-20260115-ab12-02"))
    replay = Replay(recording.cassette)
    assert await said(replay, question("worker-20270301-zz99-02")) == "worker-20260115-ab12-02"
    with pytest.raises(PmError):
        await replay.answer(question("worker-20270301-zz99-03"))


async def test_a_repeated_question_keeps_its_last_answer() -> None:
    answers = iter(["lost", "kept"])

    def script(_agent: str, _turn: int, _request: ChatRequest) -> Json:
        return say_text(next(answers))

    inner = ScriptedAnswers(script)
    recording = Recording(inner)
    await recording.answer(question())
    await recording.answer(question())
    assert [entry.reply.message.text for entry in recording.cassette.takes] == ["kept"]
    await recording.close()
    assert inner.closed


def test_a_turn_is_counted_from_the_request_alone() -> None:
    history: list[Json] = []
    for turn in range(1, 4):
        history.append({"role": "user", "content": "go"})
        assert question(messages=history).turn == turn
        history.append({"role": "assistant", "content": [{"type": "text", "text": "went"}]})
