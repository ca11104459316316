"""The manager: proposes how to split an instruction. The Runner approves, or does not."""

from collections.abc import Callable

import msgspec

from pm_orchestrator.agents.prompts import manager as prompts
from pm_orchestrator.domain.company.model_conversation import (
    ChatRequest,
    Message,
    ToolDefinition,
    ToolResult,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.task import Effort
from pm_orchestrator.ports.chat_model import ChatModel

MAX_PROPOSALS = 3
TOOL = "propose_plan"


class ProposedSubTask(Record, frozen=True, kw_only=True):
    """One part of a proposal."""

    title: str
    description: str
    acceptance_criteria: tuple[str, ...]
    expected_files: tuple[str, ...] = ()
    estimated_effort: Effort = "small"


class Proposal(Record, frozen=True, kw_only=True):
    """How the manager would split the task."""

    sub_tasks: tuple[ProposedSubTask, ...]


class SplitQuestion(Record, frozen=True, kw_only=True):
    """What the manager is asked to split, and within which limits."""

    instruction: str
    files: tuple[str, ...]
    max_files: int
    model: str


Review = Callable[[Proposal], str | None]
"""The Runner's judgement on a proposal: why it cannot be used, or None."""


class Manager:
    """Thinks, read-only: sees file names, writes nothing."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def propose(self, question: SplitQuestion, review: Review) -> Proposal:
        """Ask until the Runner can use the proposal, at most a few times.

        Raises:
            PmError: E205 with the reason the last proposal was turned down.
        """
        prompt = prompts.first_message(question.instruction, question.files, question.max_files)
        messages = [Message(role="user", text=prompt)]
        reason = "the model made no proposal"
        for _ in range(MAX_PROPOSALS):
            reply = await self._model.chat(
                ChatRequest(
                    model=question.model,
                    system=prompts.SYSTEM,
                    messages=tuple(messages),
                    tools=(_definition(),),
                )
            )
            proposal, reason = _read(reply.message)
            if proposal is not None:
                reason = review(proposal)
                if reason is None:
                    return proposal
            messages += [reply.message, _correct(reply.message, reason)]
        raise PmError("decomposition_invalid", reason=reason)


def _read(message: Message) -> tuple[Proposal | None, str | None]:
    call = next((c for c in message.tool_calls if c.name == TOOL), None)
    if call is None:
        return None, f"no call of {TOOL}"
    try:
        return msgspec.convert(call.arguments, Proposal, strict=True), None
    except msgspec.ValidationError as error:
        return None, str(error)


def _correct(said: Message, reason: str | None) -> Message:
    text = prompts.correction(reason or "")
    results = tuple(
        ToolResult(call_id=call.id, content=text, is_error=True) for call in said.tool_calls
    )
    return Message(role="user", text="" if results else text, tool_results=results)


def _definition() -> ToolDefinition:
    schema = msgspec.json.schema(Proposal)
    return ToolDefinition(
        name=TOOL,
        description="Propose how to split the instruction into independent sub-tasks.",
        schema={**schema["$defs"]["Proposal"], "$defs": schema["$defs"]},
    )
