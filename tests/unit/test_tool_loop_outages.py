"""A model that fails has claimed nothing."""

import pytest

from pm_orchestrator.agents.tool_loop import ToolLoop
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    Message,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.executor import ExecutorTask
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_sandbox import MemorySandbox
from pm_orchestrator.testing.scripted.scripted_model import ScriptedModel

WRITE = ChatReply(
    message=Message(
        role="assistant",
        tool_calls=(ToolCall(id="1", name="write_file", arguments={"path": "f", "content": "x"}),),
    ),
    usage=TokenUsage(input_tokens=7, output_tokens=3),
)


def task(model: str | None = "m") -> ExecutorTask:
    return ExecutorTask(
        task_id="20260115-ab12-01",
        instruction="Do it",
        hands=MemorySandbox(),
        timeout_s=30,
        model=model,
    )


@pytest.mark.parametrize(
    "failure",
    [
        RetryableError("model_unavailable", reason="HTTP 500"),
        RetryableError("model_unavailable", reason="HTTP 429"),
        RetryableError("model_unavailable", reason="the stream was cut"),
        PmError("model_refused", reason="HTTP 400"),
        PmError("both_models_failed", primary="E601", fallback="E602"),
        PmError("cassette_mismatch", agent="worker/01/1", turn=2, reason="none"),
    ],
)
async def test_its_failure_is_raised_as_an_outage(failure: PmError) -> None:
    given = task()
    with pytest.raises(RetryableError) as raised:
        await ToolLoop(ScriptedModel([WRITE, failure]), FakeClock()).execute(given)
    assert (raised.value.slug, raised.value.params) == (failure.slug, failure.params)
    # What was said and done until then is not lost.
    assert [m.role for m in given.minutes.messages] == ["user", "assistant", "user"]
    assert [c.name for c in given.minutes.tool_calls] == ["write_file"]
    assert given.minutes.tokens == 10


async def test_an_answer_that_cannot_be_read_is_asked_for_again() -> None:
    half = PmError("model_answer_unreadable", reason="half of an answer")
    done = ToolCall(id="2", name="task_complete", arguments={"summary": "Done."})
    claim = ChatReply(
        message=Message(role="assistant", tool_calls=(done,)), usage=TokenUsage(input_tokens=1)
    )
    result = await ToolLoop(ScriptedModel([half, half, claim]), FakeClock()).execute(task())
    assert (result.claim.kind, result.claim.turns) == ("finished", 1)
    model = ScriptedModel([half] * 4)
    with pytest.raises(RetryableError) as raised:
        await ToolLoop(model, FakeClock()).execute(task())
    assert raised.value.slug == "model_answer_unreadable"
    assert model.left == 1


async def test_without_a_model_nothing_starts() -> None:
    model = ScriptedModel([WRITE])
    with pytest.raises(PmError, match="E503"):
        await ToolLoop(model, FakeClock()).execute(task(None))
    assert model.asked == []
