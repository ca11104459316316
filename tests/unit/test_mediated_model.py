"""What a model says on the Runner's behalf is on record, with what it cost."""

from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.history.task_log import LogEvent, LogEventType, VisibilityLevel
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.runner.records.mediated_model import MediatedModel
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles
from pm_orchestrator.testing.scripted.scripted_model import ScriptedModel

SECRET = "sk-ant-api03-" + "a1B2c3D4" * 5
REQUEST = ChatRequest(
    model="claude-haiku",
    system="",
    messages=(Message(role="user", text=f"What is\nwanted with {SECRET}? " + "x" * 200),),
)
SPOKEN = ChatReply(
    message=Message(role="assistant", text="A file."),
    usage=TokenUsage(input_tokens=150, output_tokens=45),
)
CALLED = ChatReply(
    message=Message(
        role="assistant", tool_calls=(ToolCall(id="c", name="specify_file", arguments={}),)
    ),
    usage=TokenUsage(),
)


class SlowModel(ScriptedModel):
    """Takes 1.2 seconds for an answer."""

    def __init__(self, clock: FakeClock, *steps: ChatReply | PmError) -> None:
        super().__init__(steps)
        self._clock = clock

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        self._clock.advance(1.2)
        return await super().chat(request)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def log(clock: FakeClock) -> OpenLog:
    book = TaskLogBook(MemoryFiles(), clock, Path("/project/.claude"), Masker())
    return await book.open("s-1", "task-1", "thr_001", "run_001", "Do it", Path("/project"))


def mediated(log: OpenLog, clock: FakeClock, *steps: ChatReply | PmError) -> MediatedModel:
    return MediatedModel(SlowModel(clock, *steps), log, clock, "anthropic")


def exchange(log: OpenLog) -> tuple[LogEvent, LogEvent]:
    asked, answered = log.log.events[-2:]
    assert asked.event_type is LogEventType.LLM_MEDIATION_REQUEST
    assert answered.event_type is LogEventType.LLM_MEDIATION_RESPONSE
    return asked, answered


async def test_an_exchange_is_two_events_of_the_task(log: OpenLog, clock: FakeClock) -> None:
    assert await mediated(log, clock, SPOKEN).chat(REQUEST) == SPOKEN
    asked, answered = exchange(log)
    assert asked.timestamp == "2026-01-15T09:00:00.000Z"
    assert answered.timestamp == "2026-01-15T09:00:01.200Z"
    assert asked.visibility_level is answered.visibility_level is VisibilityLevel.FULL
    summary = asked.content["prompt_summary"]
    assert summary.startswith("What is wanted with ")
    assert SECRET not in summary
    assert asked.content == {
        "provider": "anthropic",
        "model": "claude-haiku",
        "prompt_summary": summary,
        "tokens_input": 150,
    }
    assert answered.content == {
        "provider": "anthropic",
        "model": "claude-haiku",
        "response_type": "text",
        "tokens_output": 45,
        "latency_ms": 1200,
    }
    closed = await log.close(TaskStatus.COMPLETE, None)
    counted = closed.summary
    assert counted
    assert (counted.total_tokens_input, counted.total_tokens_output) == (150, 45)
    assert counted.total_latency_ms == 1200


async def test_the_called_tool_is_the_kind_of_answer(log: OpenLog, clock: FakeClock) -> None:
    await mediated(log, clock, CALLED).chat(REQUEST)
    assert exchange(log)[1].content["response_type"] == "specify_file"


async def test_a_failed_exchange_is_one_too(log: OpenLog, clock: FakeClock) -> None:
    lost = RetryableError("model_unavailable", reason="gone")
    with pytest.raises(RetryableError):
        await mediated(log, clock, lost).chat(REQUEST)
    assert exchange(log)[1].content["response_type"] == f"failed {lost.code}"
