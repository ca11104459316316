"""The tool loop keeps the contract of executors, with a scripted model."""

from typing import Any

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.agents.tool_loop import ToolLoop
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    Message,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.ports.executor import Executor
from pm_orchestrator.testing.contracts.executor_contract import (
    CONTENT,
    MADE,
    EndlessContract,
    FailingContract,
    SpendingContract,
    TellingContract,
    WorkingContract,
)
from pm_orchestrator.testing.scripted.scripted_model import ScriptedModel


def calling(name: str, **arguments: Any) -> ChatReply:
    call = ToolCall(id="c", name=name, arguments=arguments)
    message = Message(role="assistant", tool_calls=(call,))
    return ChatReply(message=message, usage=TokenUsage(input_tokens=40, output_tokens=20))


def loop(*replies: ChatReply) -> Executor:
    return ToolLoop(ScriptedModel(replies), SystemClock())


WRITE = calling("write_file", path=MADE, content=CONTENT)
DONE = calling("task_complete", summary="Done.", files=[MADE])


class TestToolLoop(
    WorkingContract, TellingContract, FailingContract, EndlessContract, SpendingContract
):
    @pytest.fixture
    @override
    def working(self) -> Executor:
        return loop(WRITE, DONE)

    @pytest.fixture
    @override
    def failing(self) -> Executor:
        return loop(*[calling("read_file", path="nowhere")] * 100)

    @pytest.fixture
    @override
    def endless(self, mark: str) -> Executor:
        script = f"setsid sleep {mark} & sleep {mark}"
        return loop(calling("run_command", command=script, timeout_seconds=100), DONE)

    @pytest.fixture
    @override
    def spending(self) -> Executor:
        return loop(WRITE, WRITE, WRITE, DONE)
