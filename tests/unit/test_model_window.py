"""A conversation stays inside its model's window, and what matters stays in it."""

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.agents.model_window import KEPT_AT_END, WindowedTalk, answer_tokens
from pm_orchestrator.bootstrap.shipped_models import model_registry, room_of
from pm_orchestrator.domain.company.model_conversation import Message, ToolCall, ToolResult
from pm_orchestrator.domain.setup.model_list import TokenRoom

PLAN = Message(role="user", text="The task, and how it is to be done. " * 20)


def roomy(window: int, besides: int = 0) -> WindowedTalk:
    """The whole window is for what is sent."""
    return WindowedTalk(TokenRoom(window=window + 1, answer=1), besides)


def turn(number: int, said: int, answered: int, *, failed: bool = False) -> list[Message]:
    call = ToolCall(
        id=f"c{number}", name="write_file", arguments={"path": f"f{number}", "content": "x" * said}
    )
    result = ToolResult(call_id=call.id, content="y" * answered, is_error=failed)
    return [
        Message(role="assistant", text=f"step {number}", tool_calls=(call,)),
        Message(role="user", tool_results=(result,)),
    ]


def conversation(window: int, *turns: tuple[int, int]) -> WindowedTalk:
    made = roomy(window)
    made.add(PLAN)
    for number, (said, answered) in enumerate(turns):
        for message in turn(number, said, answered, failed=number == 1):
            made.add(message)
    return made


def paired(messages: tuple[Message, ...]) -> bool:
    """Every call is answered by the message after it, as providers demand."""
    roles = [message.role for message in messages]
    calls = [[call.id for call in message.tool_calls] for message in messages[1::2]]
    answers = [[result.call_id for result in message.tool_results] for message in messages[2::2]]
    return roles[::2] == ["user"] * len(roles[::2]) and calls == answers


def test_nothing_is_shortened_while_there_is_room() -> None:
    kept = conversation(100_000, *[(1_000, 1_000)] * 20)
    sent = kept.sent()
    assert sent[0] == PLAN
    assert all(len(m.tool_results[0].content) == 1_000 for m in sent[2::2])
    assert kept.sent() == sent


def test_the_oldest_results_go_first_and_stay_gone() -> None:
    kept = conversation(10_000, *[(10, 3_000)] * 10)
    sent = kept.sent()
    lengths = [len(m.tool_results[0].content) for m in sent[2::2]]
    assert lengths == sorted(lengths)
    assert lengths[0] < 700
    assert lengths[-2:] == [3_000, 3_000]
    assert "more characters left out" in sent[2].tool_results[0].content
    # The next turn changes nothing of it: the provider's cache still fits.
    for message in turn(10, 10, 3_000):
        kept.add(message)
    assert kept.sent()[: len(sent)] == sent


def test_then_go_the_arguments_of_old_calls() -> None:
    sent = conversation(8_000, *[(3_000, 10)] * 8).sent()
    assert "it was given in full then" in sent[1].tool_calls[0].arguments["content"]
    assert sent[1].tool_calls[0].arguments["path"] == "f0"
    assert sent[-2].tool_calls[0].arguments["content"] == "x" * 3_000


def test_then_old_turns_of_which_a_line_stays() -> None:
    sent = conversation(3_000, *[(200, 200)] * 30).sent()
    assert sent[0].text.startswith(PLAN.text)
    assert "Your earlier turns are left out here" in sent[0].text
    assert "- you said: step 0\n- write_file f0" in sent[0].text
    assert "(failed)" in sent[0].text.split("step 2")[0]
    assert paired(sent)
    assert len(sent) < 40


def test_what_was_said_last_is_shortened_where_nothing_else_helps() -> None:
    sent = conversation(2_000, (10, 50_000)).sent()
    assert len(sent[2].tool_results[0].content) < 700


def test_the_providers_count_says_how_much_fits() -> None:
    turns = [(10, 3_000)] * 10
    coarse, fine = conversation(16_000, *turns), conversation(16_000, *turns)
    # As many tokens as characters, as in Japanese: there is less room than was thought.
    fine.counted(33_000)
    assert len(str(fine.sent())) < len(str(coarse.sent()))
    fine.counted(0)


def test_what_is_sent_each_time_is_no_measure_of_the_conversation() -> None:
    kept = roomy(100_000, besides=20_000)
    kept.add(PLAN)
    # A short first turn, of which most was the instructions and the tools.
    kept.counted((20_000 + len(PLAN.text)) // 4)
    for message in turn(0, 10, 150_000):
        kept.add(message)
    assert len(kept.sent()[2].tool_results[0].content) == 150_000


@given(
    st.lists(st.tuples(st.integers(0, 4_000), st.integers(0, 4_000)), max_size=12),
    st.integers(1_500, 20_000),
)
def test_it_always_fits_and_always_pairs(turns: list[tuple[int, int]], window: int) -> None:
    kept = conversation(window, *turns)
    sent = kept.sent()
    assert sent[0].text.startswith(PLAN.text)
    assert paired(sent)
    whole = len(str(conversation(10**9, *turns).sent()))
    assert len(str(sent)) <= max(whole, 0) + 4_000
    last = turns[-KEPT_AT_END // 2 :]
    if sum(map(sum, last)) < window // 4 and sum(map(sum, turns)) < window:
        assert all("left out" not in str(message) for message in sent[-2:])


@pytest.mark.parametrize("value", [None, 1, True, 1.5, ["x" * 900], {"a": "x" * 900}])
def test_arguments_of_any_kind_are_shortened(value: object) -> None:
    kept = roomy(100)
    kept.add(PLAN)
    call = ToolCall(id="c", name="t", arguments={"a": value})
    for _ in range(6):
        kept.add(Message(role="assistant", tool_calls=(call,)))
        kept.add(Message(role="user", tool_results=(ToolResult(call_id="c", content="y"),)))
    assert paired(kept.sent())


@pytest.mark.parametrize(
    ("window", "answer", "asked"),
    [
        (None, None, 16_000),
        (1_000_000, None, 16_000),
        (1_000_000, 4_096, 4_096),
        (1_000_000, 128_000, 32_000),
        (40_000, 128_000, 10_000),
        (None, 128_000, 32_000),
    ],
)
def test_an_answer_is_as_long_as_its_model_allows(
    window: int | None, answer: int | None, asked: int
) -> None:
    assert answer_tokens(TokenRoom(window=window, answer=answer)) == asked


def test_the_data_says_how_long_an_answer_may_be() -> None:
    assert room_of("gpt-4-turbo") == TokenRoom(window=128_000, answer=4_096)
    assert room_of("nobody-knows") == TokenRoom()
    for models in model_registry().models.values():
        for model in models:
            assert model.answer is None or model.answer <= (model.context or 200_000), model.name
