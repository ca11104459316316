"""The manager: proposes how to split an instruction. The Runner approves, or does not."""

from collections.abc import Callable

import msgspec

from pm_orchestrator.agents.model_window import WindowedTalk
from pm_orchestrator.agents.prompts import manager as prompts
from pm_orchestrator.agents.tools.base_look import BaseLook, Read
from pm_orchestrator.agents.tools.tool_calls import sendable_reply
from pm_orchestrator.domain.company.model_conversation import (
    ChatRequest,
    Message,
    ToolDefinition,
    ToolResult,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record, to_json
from pm_orchestrator.domain.setup.model_list import TokenRoom
from pm_orchestrator.domain.tasks.task import Effort
from pm_orchestrator.ports.chat_model import ChatModel

MAX_PROPOSALS = 3
MOST_LOOKS = 12
"""Turns of looking around before a proposal."""
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
    read: Read
    """Files of the base commit."""
    max_files: int
    model: str


Review = Callable[[Proposal], str | None]
"""The Runner's judgement on a proposal: why it cannot be used, or None."""


class Manager:
    """Thinks, read-only: sees the base commit, writes nothing."""

    def __init__(
        self, model: ChatModel, room_of: Callable[[str], TokenRoom] = lambda _: TokenRoom()
    ) -> None:
        self._model = model
        self._room_of = room_of

    async def propose(self, question: SplitQuestion, review: Review) -> Proposal:
        """Ask until the Runner can use the proposal, at most a few times.

        Raises:
            PmError: E205 with the reason the last proposal was turned down.
        """
        prompt = prompts.first_message(question.instruction, question.files, question.max_files)
        look = BaseLook(question.files, question.read)
        tools = (_definition(), *look.definitions())
        besides = len(prompts.SYSTEM) + len(to_json(tools))
        talk = WindowedTalk(self._room_of(question.model), besides)
        talk.add(Message(role="user", text=prompt))
        ids: set[str] = set()
        looks = refused = 0
        reason = "the model made no proposal"
        while refused < MAX_PROPOSALS:
            said = sendable_reply(await self._ask(question.model, tools, talk), ids)
            talk.add(said)
            if looks < MOST_LOOKS and _only_looks(said, look):
                looks += 1
                talk.add(await _looked(look, said, last=looks == MOST_LOOKS))
                continue
            proposal, why = _read(said)
            if proposal is not None:
                why = review(proposal)
                if why is None:
                    return proposal
            reason = why or reason
            refused += 1
            talk.add(_correct(said, reason))
        raise PmError("decomposition_invalid", reason=reason)

    async def _ask(
        self, name: str, tools: tuple[ToolDefinition, ...], talk: WindowedTalk
    ) -> Message:
        reply = await self._model.chat(
            ChatRequest(
                model=name,
                system=prompts.SYSTEM,
                messages=talk.sent(),
                tools=tools,
                max_tokens=talk.answer,
            )
        )
        talk.counted(reply.usage.input_tokens)
        return reply.message


def _only_looks(said: Message, look: BaseLook) -> bool:
    names = {call.name for call in said.tool_calls}
    return TOOL not in names and any(look.knows(call) for call in said.tool_calls)


async def _looked(look: BaseLook, said: Message, *, last: bool) -> Message:
    results = [
        await look.call(call)
        if look.knows(call)
        else ToolResult(call_id=call.id, content=f"there is no tool {call.name}", is_error=True)
        for call in said.tool_calls
    ]
    text = prompts.NO_MORE_LOOKS if last else ""
    return Message(role="user", text=text, tool_results=tuple(results))


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
