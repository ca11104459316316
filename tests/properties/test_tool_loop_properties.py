"""The conversation between a worker and its model."""

import asyncio
import re
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st
from typing_extensions import override

from pm_orchestrator.agents.prompts.turns import CUT, REPEATED, nudge, turns_left
from pm_orchestrator.agents.tool_loop import ToolLoop
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    Message,
    Minutes,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.domain.setup.model_list import TokenRoom
from pm_orchestrator.ports.executor import ExecutorTask
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_sandbox import MemorySandbox
from pm_orchestrator.testing.scripted.scripted_model import ScriptedModel

# What a model may do in one turn.
TURNS = st.sampled_from(["talk", "write", "bad_call", "claim", "bad_claim", "write_and_claim"])


def reply(number: int, turn: str) -> ChatReply:
    write = ToolCall(id=f"w{number}", name="write_file", arguments={"path": "f", "content": "x"})
    claim = ToolCall(id=f"c{number}", name="task_complete", arguments={"summary": "done"})
    wrong = ToolCall(id=f"x{number}", name="task_complete", arguments={"summary": 3, "n": number})
    unknown = ToolCall(id=f"u{number}", name="nonsense", arguments={"n": number})
    calls = {
        "talk": (),
        "write": (write,),
        "bad_call": (unknown,),
        "claim": (claim,),
        "bad_claim": (wrong,),
        "write_and_claim": (write, claim),
    }[turn]
    message = Message(role="assistant", text="…", tool_calls=calls)
    return ChatReply(message=message, usage=TokenUsage(input_tokens=10, output_tokens=5))


class End(NamedTuple):
    claim: ExecutorClaim
    minutes: Minutes


def converse(turns: list[str], max_turns: int) -> tuple[End, ScriptedModel]:
    model = ScriptedModel([reply(n, t) for n, t in enumerate(turns)])
    return run(model, max_turns), model


def run(
    model: ScriptedModel,
    max_turns: int | None,
    hands: MemorySandbox | None = None,
    budget: int | None = None,
) -> End:
    task = ExecutorTask(
        task_id="20260115-ab12-01",
        instruction="p",
        hands=hands or MemorySandbox(),
        timeout_s=60,
        model="m",
        turns=max_turns,
        token_budget=budget,
    )
    result = asyncio.run(ToolLoop(model, FakeClock()).execute(task))
    return End(result.claim, task.minutes)


def expected_end(turns: list[str]) -> tuple[int, str]:
    """After how many turns it is over, and how."""
    for number, turn in enumerate(turns, 1):
        if turn in {"claim", "write_and_claim"}:
            return number, "finished"
        if number >= 3 and set(turns[number - 3 : number]) == {"talk"}:
            return number, "gave_up"
    return len(turns), "gave_up"


@given(st.lists(TURNS, min_size=30, max_size=30), st.integers(1, 30))
def test_the_loop_always_ends(turns: list[str], max_turns: int) -> None:
    """E-20 Conversation Loop Termination: at the first claim, after mere words, or at the limit."""
    end, model = converse(turns, max_turns)
    number, _ = expected_end(turns[:max_turns])
    assert len(model.asked) == number
    assert end.claim.turns == number
    assert end.claim.tokens == end.minutes.tokens == 15 * number


@given(st.lists(TURNS, min_size=30, max_size=30), st.integers(1, 30))
def test_running_out_of_turns_is_no_claim(turns: list[str], max_turns: int) -> None:
    """E-21 Partial Completion Status: without a claim the worker gave up, whatever it said."""
    end, _ = converse(turns, max_turns)
    assert end.claim.kind == expected_end(turns[:max_turns])[1]


def test_who_is_told_of_no_limit_has_thirty_turns() -> None:
    """E-20 Conversation Loop Termination: the maximum iteration count is 30."""
    looks = [reply(number, "write") for number in range(40)]
    end = run(ScriptedModel(looks), None)
    assert (end.claim.kind, end.claim.turns) == ("gave_up", 30)
    assert end.claim.summary == "no claim after 30 turns"


@given(st.lists(TURNS, min_size=10, max_size=10))
def test_every_call_is_answered_in_order(turns: list[str]) -> None:
    """E-19 Conversation History Persistence Round-Trip: the transcript misses no call."""
    end, _ = converse(turns, 10)
    asked = [call.id for message in end.minutes.messages for call in message.tool_calls]
    assert [record.id for record in end.minutes.tool_calls] == asked
    answered = [
        result.call_id for message in end.minutes.messages for result in message.tool_results
    ]
    assert answered == asked[: len(answered)]
    for message in end.minutes.messages[1:]:
        if message.role == "user" and not message.tool_results:
            assert message.text.startswith(nudge("commit"))


def test_calls_of_one_id_get_ids_of_their_own_and_odd_names_are_answered() -> None:
    call = ToolCall(id="same", name="write_file", arguments={"path": "f", "content": "x"})
    odd = ToolCall(id="same", name="write file!" * 50, arguments={})
    huge = ToolCall(id="h", name="write_file", arguments={"path": "f", "content": "x" * 2**21})
    half = ToolCall(id="s", name="read_file", arguments={"path": "f"})
    replies = [
        ChatReply(message=Message(role="assistant", tool_calls=calls), usage=TokenUsage())
        for calls in ((call, call, odd), (call, huge, half))
    ]
    model = ScriptedModel([*replies, reply(3, "claim")])
    end = run(model, 5)
    asked = [call for message in end.minutes.messages for call in message.tool_calls]
    assert [c.id for c in asked[:6]] == ["same", "same-2", "same-3", "same-4", "h", "s"]
    assert all(re.fullmatch("[A-Za-z0-9_-]{1,64}", c.name) for c in asked)
    assert asked[4].arguments.keys() == {"left_out"}
    answers = {r.call_id: r for m in end.minutes.messages for r in m.tool_results}
    assert list(answers)[:6] == [c.id for c in asked[:6]]
    assert [answers[i].is_error for i in ("same", "same-2", "same-3", "h", "s")] == [
        False,
        False,
        True,
        True,
        False,
    ]
    assert "write it in pieces" in answers["h"].content
    assert len(to_json(model.asked[-1])) < 20_000


class SlowReading(MemorySandbox):
    """Reads only once all are asked for."""

    def __init__(self, together: int) -> None:
        super().__init__()
        self._all = asyncio.Barrier(together)

    @override
    async def read_file(self, path: str, limit: int = 4 * 1024**2) -> bytes:
        await self._all.wait()
        return f"{path}\n".encode()


def test_calls_that_only_look_run_side_by_side_and_answer_in_order() -> None:
    reads = tuple(
        ToolCall(id=f"r{n}", name="read_file", arguments={"path": f"f{n}"}) for n in range(3)
    )
    looking = ChatReply(message=Message(role="assistant", tool_calls=reads), usage=TokenUsage())
    end = run(ScriptedModel([looking, reply(2, "claim")]), 3, SlowReading(3))
    (answers,) = [m.tool_results for m in end.minutes.messages if len(m.tool_results) == 3]
    assert [a.content for a in answers] == [f"     1\tf{n}" for n in range(3)]


def test_a_place_that_is_gone_is_told_by_whoever_looks() -> None:
    class Gone(MemorySandbox):
        @override
        async def read_file(self, path: str, limit: int = 4 * 1024**2) -> bytes:
            raise PmError("sandbox_gone", reason="killed")

    read = ToolCall(id="r", name="read_file", arguments={"path": "f"})
    looking = ChatReply(
        message=Message(role="assistant", tool_calls=(read, read)), usage=TokenUsage()
    )
    with pytest.raises(PmError, match="E702"):
        run(ScriptedModel([looking]), 3, Gone())


def user_texts(end: End) -> list[str]:
    return [message.text for message in end.minutes.messages[1:] if message.role == "user"]


def said(*calls: ToolCall, cut: bool = False, tokens: int = 10) -> ChatReply:
    message = Message(role="assistant", text="…", tool_calls=calls)
    usage = TokenUsage(input_tokens=tokens, output_tokens=5)
    return ChatReply(message=message, usage=usage, stopped_early=cut)


WRITE = ToolCall(id="w", name="write_file", arguments={"path": "f", "content": "x"})
HALF = ToolCall(id="h", name="write_file", arguments={"path": "g", "content": "half"})
MISSING = ToolCall(id="m", name="read_file", arguments={"path": "none"})
CLAIM = ToolCall(id="t", name="task_complete", arguments={"summary": "done"})


def test_a_cut_answer_is_told_so_and_its_last_call_is_not_done() -> None:
    hands = MemorySandbox()
    replies = [said(WRITE, HALF, cut=True), *[said(cut=True)] * 4, said(CLAIM, cut=True)]
    end = run(ScriptedModel([*replies, said(CLAIM)]), 20, hands)
    assert set(hands.files) == {"f"}
    assert end.claim.kind == "finished"
    assert end.claim.turns == 7
    texts = user_texts(end)
    assert texts == [CUT] * 6
    refused = [r for r in end.minutes.tool_calls if r.is_error]
    assert [r.name for r in refused] == ["write_file", "task_complete"]
    assert all("not done" in r.result for r in refused)


def test_the_end_is_told_before_it_comes() -> None:
    end = run(ScriptedModel([said(WRITE)] * 8), 8)
    texts = user_texts(end)
    assert texts[:2] == ["", ""]
    assert texts[2:7] == [turns_left(left, "commit") for left in (5, 4, 3, 2, 1)]
    assert texts[7] == ""


def test_tokens_that_run_out_are_told() -> None:
    end = run(ScriptedModel([said(WRITE, tokens=n) for n in (70, 5, 30)]), 20, budget=100)
    assert "about 15 tokens left" in user_texts(end)[1]
    assert end.claim.summary == "stopped at its limit of tokens"


def test_who_repeats_a_failing_call_is_told_once_and_then_ended() -> None:
    end = run(ScriptedModel([said(MISSING)] * 20), 20)
    assert end.claim.kind == "gave_up"
    assert end.claim.summary == "made the same failing call 6 times"
    assert [text.count(REPEATED) for text in user_texts(end)] == [0, 0, 1, 0, 0, 0]


def test_who_changes_something_between_may_fail_in_the_same_way_again() -> None:
    end = run(ScriptedModel([said(MISSING), said(WRITE)] * 8), 16)
    assert end.claim.summary == "no claim after 16 turns"
    # Looking around is no change.
    hands = MemorySandbox()
    hands.files["a"] = b"1"
    look = ToolCall(id="l", name="read_file", arguments={"path": "a"})
    end = run(ScriptedModel([said(MISSING), said(look)] * 8), 16, hands)
    assert end.claim.summary == "made the same failing call 6 times"


def test_a_long_conversation_stays_inside_the_window() -> None:
    hands = MemorySandbox()
    hands.files["long"] = b"word " * 6_000
    read = ToolCall(id="r", name="read_file", arguments={"path": "long"})
    model = ScriptedModel([said(read, read, read)] * 29 + [said(CLAIM)])
    task = ExecutorTask(
        task_id="20260115-ab12-01", instruction="p", hands=hands, timeout_s=60, model="small"
    )
    rooms = {"small": TokenRoom(window=12_000)}
    result = asyncio.run(ToolLoop(model, FakeClock(), rooms.__getitem__).execute(task))
    assert result.claim.kind == "finished"
    assert {request.max_tokens for request in model.asked} == {3_000}
    assert max(len(to_json(request.messages)) for request in model.asked) < 12_000 * 4
    assert all(request.messages[0].text.startswith("p") for request in model.asked)
    # The transcript keeps all of it.
    assert len(task.minutes.tool_calls) == 3 * 29 + 1
    assert all("left out:" not in call.result for call in task.minutes.tool_calls)
