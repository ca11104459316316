"""The conversation between a worker and its model."""

import asyncio
from typing import NamedTuple

from hypothesis import given, strategies as st

from pm_orchestrator.agents.tool_loop import NUDGE, ToolLoop
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    Message,
    Minutes,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.ports.executor import ExecutorTask
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_sandbox import MemorySandbox
from pm_orchestrator.testing.scripted.scripted_model import ScriptedModel

# What a model may do in one turn.
TURNS = st.sampled_from(["talk", "write", "bad_call", "claim", "bad_claim", "write_and_claim"])


def reply(number: int, turn: str) -> ChatReply:
    write = ToolCall(id=f"w{number}", name="write_file", arguments={"path": "f", "content": "x"})
    claim = ToolCall(id=f"c{number}", name="task_complete", arguments={"summary": "done"})
    wrong = ToolCall(id=f"x{number}", name="task_complete", arguments={"summary": 3})
    unknown = ToolCall(id=f"u{number}", name="nonsense", arguments={})
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
    task = ExecutorTask(
        task_id="20260115-ab12-01",
        instruction="p",
        hands=MemorySandbox(),
        timeout_s=60,
        model="m",
        turns=max_turns,
    )
    result = asyncio.run(ToolLoop(model, FakeClock()).execute(task))
    return End(result.claim, task.minutes), model


def first_claim(turns: list[str]) -> int | None:
    return next((n for n, t in enumerate(turns, 1) if t in {"claim", "write_and_claim"}), None)


@given(st.lists(TURNS, min_size=30, max_size=30), st.integers(1, 30))
def test_the_loop_always_ends(turns: list[str], max_turns: int) -> None:
    """E-20 Conversation Loop Termination: it ends at the first claim or at the limit."""
    end, model = converse(turns, max_turns)
    claimed = first_claim(turns[:max_turns])
    assert len(model.asked) == (claimed or max_turns)
    assert end.claim.turns == (claimed or max_turns)
    assert end.claim.tokens == end.minutes.tokens == 15 * end.claim.turns


@given(st.lists(TURNS, min_size=30, max_size=30), st.integers(1, 30))
def test_running_out_of_turns_is_no_claim(turns: list[str], max_turns: int) -> None:
    """E-21 Partial Completion Status: without a claim the worker gave up, whatever it said."""
    end, _ = converse(turns, max_turns)
    expected = "gave_up" if first_claim(turns[:max_turns]) is None else "finished"
    assert end.claim.kind == expected


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
            assert message.text == NUDGE
