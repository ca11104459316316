"""The manager proposes; what cannot be used goes back with the reason."""

from typing import Any

import pytest

from pm_orchestrator.agents.manager import MAX_PROPOSALS, Manager, Proposal, SplitQuestion
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    Message,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.scripted.scripted_model import ScriptedModel

PART = {"title": "T", "description": "D", "acceptance_criteria": ["c"], "expected_files": ["a.py"]}
QUESTION = SplitQuestion(instruction="Add it", files=("Makefile",), max_files=5, model="m")


def plan(*parts: Any, name: str = "propose_plan") -> ChatReply:
    call = ToolCall(id="c1", name=name, arguments={"sub_tasks": list(parts)})
    return ChatReply(message=Message(role="assistant", tool_calls=(call,)), usage=TokenUsage())


def words(text: str) -> ChatReply:
    return ChatReply(message=Message(role="assistant", text=text), usage=TokenUsage())


def fine(_: Proposal) -> str | None:
    return None


async def test_a_usable_proposal_is_taken() -> None:
    model = ScriptedModel([plan(PART)])
    proposal = await Manager(model).propose(QUESTION, fine)
    assert [p.title for p in proposal.sub_tasks] == ["T"]
    (asked,) = model.asked
    assert "Add it" in asked.messages[0].text
    assert "<data>\nMakefile\n</data>" in asked.messages[0].text
    assert asked.tools[0].schema["properties"]["sub_tasks"]["type"] == "array"


@pytest.mark.parametrize(
    "bad", [words("I would split it."), plan({"title": "T"}), plan(PART, name="other")]
)
async def test_what_is_no_proposal_goes_back(bad: ChatReply) -> None:
    model = ScriptedModel([bad, plan(PART)])
    await Manager(model).propose(QUESTION, fine)
    correction = model.asked[1].messages[-1]
    said = correction.text or correction.tool_results[0].content
    assert "cannot use this plan" in said


async def test_the_runners_no_is_told_and_final() -> None:
    model = ScriptedModel([plan(PART)] * MAX_PROPOSALS)
    with pytest.raises(PmError, match=r"E205.*two sub-tasks") as caught:
        await Manager(model).propose(QUESTION, lambda _: "a.py is in two sub-tasks")
    assert caught.value.next_step == "stop"
    assert model.left == 0
    last = model.asked[-1].messages[-1].tool_results[0]
    assert last.is_error
    assert "two sub-tasks" in last.content
