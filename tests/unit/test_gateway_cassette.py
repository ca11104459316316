"""Recordings on disk, and finding the right answer in them."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from pm_orchestrator.adapters.gateway.answers import ModelQuestion
from pm_orchestrator.adapters.gateway.cassette import Cassette, Take, load_cassette, save_cassette
from pm_orchestrator.adapters.gateway.normalise import RequestDigest, question_digest
from pm_orchestrator.adapters.gateway.recording import KeptTake, Recording
from pm_orchestrator.adapters.gateway.replay import Replay
from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.domain.company.model_conversation import ChatRequest
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record, to_file
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.testing.scripted.anthropic_messages import say_text
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers

Json = dict[str, Any]
R = TypeVar("R", bound=Record)
SPOKEN, PATH = AnthropicMessages(), "/v1/messages"
SOME = RequestDigest(model="a" * 16, tools="b" * 16, system="c" * 16, messages="d" * 16)


def question(agent: str = "worker-1", text: str = "go", **parts: Any) -> ModelQuestion:
    body: Json = {"model": "m", "messages": [{"role": "user", "content": text}]}
    encoded = msgspec.json.encode(body | parts)
    asked = SPOKEN.read_request(encoded, PATH)
    return ModelQuestion(agent=agent, dialect=SPOKEN, asked=asked, body=encoded, path=PATH)


def take(text: str, asked: RequestDigest | None, agent: str = "worker-1", turn: int = 1) -> Take:
    return Take(agent=agent, turn=turn, digest=asked, reply=SPOKEN.read_answer(say_text(text)))


def yes(_agent: str, _turn: int, _request: ChatRequest) -> Json:
    return say_text("yes")


def careless(_agent: str, _turn: int, _request: ChatRequest) -> Json:
    return say_text("I use hunter2hunter2")


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


async def test_a_person_sees_how_a_request_differs() -> None:
    """The nearest recorded question, line by line; of long lines what is around the change."""
    filler = "and so on, " * 40
    recording = Recording(ScriptedAnswers(yes))
    recorded = f"Write slug.py\n{filler}with slug(text)\nThen test it"
    await recording.answer(question(text="Something else", system="Be brief."))
    await recording.answer(question(text=recorded, system="Be brief."))
    changed = f"Write slug.py\n{filler}with slugify(text)\nThen test it\nand lint it"
    asked = question(text=changed, system="Be very brief.", tools=[{"name": "run"}])
    with pytest.raises(PmError) as caught:
        await Replay(recording.cassette).answer(asked)
    assert caught.value.what().splitlines() == [
        "the cassette has no answer for worker-1, turn 1: "
        "the request differs from the recorded one in its tools and system and messages",
        "  tools:",
        "    + run",
        "  system:",
        "    - Be brief.",
        "    + Be very brief.",
        "  messages:",
        "    - …nd so on, and so on, with slug(text)",
        "    + …nd so on, and so on, with slugify(text)",
        "    + and lint it",
        "  (- as recorded, + as asked).",
    ]


async def test_a_difference_before_the_last_words_is_said_to_be_there() -> None:
    def history(first: str) -> list[Json]:
        said = {"role": "assistant", "content": "went"}
        return [{"role": "user", "content": first}, said, {"role": "user", "content": "on"}]

    recording = Recording(ScriptedAnswers(yes))
    await recording.answer(question(messages=history("go")))
    with pytest.raises(PmError, match="what was said before them differs"):
        await Replay(recording.cassette).answer(question(messages=history("run")))


async def test_a_long_difference_is_cut() -> None:
    recording = Recording(ScriptedAnswers(yes))
    await recording.answer(question(text="\n".join("ab" * 80 for _ in range(200))))
    with pytest.raises(PmError) as caught:
        await Replay(recording.cassette).answer(question(text="c"))
    lines = caught.value.what().splitlines()
    assert len(lines) == 10
    assert max(map(len, lines[1:])) < 120


async def test_what_is_recorded_is_masked_and_found_again_all_the_same() -> None:
    """A secret in a prompt and in an answer is in no cassette, and does not break the replay."""
    masker = Masker(["hunter2hunter2"])

    def masked(record: R, /) -> R:
        return redact(record, masker)

    kept: list[KeptTake] = []

    async def keep(recorded: KeptTake) -> None:
        kept.append(recorded)

    script = ScriptedAnswers(careless)
    recording = Recording(script, masked, keep)
    first = question(text="the password is hunter2hunter2", system="hunter2hunter2")
    answer = await recording.answer(first)
    assert b"hunter2hunter2" in answer.body, "the agent itself hears all of it"
    written = to_file(recording.cassette) + to_file(kept[0])
    assert b"hunter2" not in written
    assert Recording(script, masked, before=tuple(kept)).cassette == recording.cassette
    assert "[MASKED" in await said(Replay(recording.cassette, masked), first)
    with pytest.raises(PmError, match="E605"):
        await Replay(recording.cassette).answer(first)


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
