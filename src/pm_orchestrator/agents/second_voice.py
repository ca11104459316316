"""A model's opinion on what kind of work an instruction is; the Runner's rules decide.

It is asked only where no rule recognised a word, and what it says can make the Runner
more careful, never less. An answer that cannot be read is no opinion.
"""

import msgspec

from pm_orchestrator.agents.prompts import second_voice as prompts
from pm_orchestrator.domain.company.model_conversation import ChatRequest, Message, ToolDefinition
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.ports.chat_model import ChatModel

TOOL = "say_kind"
INSTRUCTION_LIMIT = 4000
TOKENS_AT_MOST = 200


class KindOpinion(Record, frozen=True, kw_only=True):
    """What the model says."""

    kind: TaskType


async def opinion(model: ChatModel, name: str, instruction: str) -> TaskType | None:
    """The kind of work in `instruction`, which must be masked already.

    Raises:
        PmError: E6xx when the model cannot be asked.
    """
    asked = cut_between_words(instruction, INSTRUCTION_LIMIT)
    reply = await model.chat(
        ChatRequest(
            model=name,
            system=prompts.SYSTEM,
            messages=(Message(role="user", text=prompts.first_message(asked)),),
            tools=(_definition(),),
            max_tokens=TOKENS_AT_MOST,
        )
    )
    for call in reply.message.tool_calls:
        if call.name == TOOL:
            try:
                return msgspec.convert(call.arguments, KindOpinion, strict=True).kind
            except msgspec.ValidationError:
                return None
    return None


def _definition() -> ToolDefinition:
    kinds = [kind.value for kind in TaskType]
    return ToolDefinition(
        name=TOOL,
        description="Say what kind of work the instruction asks for.",
        schema={
            "type": "object",
            "properties": {"kind": {"type": "string", "enum": kinds}},
            "required": ["kind"],
        },
    )
