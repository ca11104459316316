"""A chat model as the one executor in the user's directory.

It knows a model by its port and its hands by theirs: whose model it is, and what holds its
commands in, is told by whoever opens both.
"""

import asyncio
from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager
from pathlib import PurePosixPath

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.agents.briefing import LONGEST_RULES, RULE_FILES, ProjectRules
from pm_orchestrator.agents.prompts import solo as prompts
from pm_orchestrator.agents.solo.conversations import Conversations
from pm_orchestrator.agents.solo.heard_model import HeardModel
from pm_orchestrator.agents.solo.solo_toolbox import SoloToolbox
from pm_orchestrator.agents.standing_limit import StandingLimit
from pm_orchestrator.agents.tool_loop import ToolLoop
from pm_orchestrator.agents.tools.text_files import read_text
from pm_orchestrator.domain.cancelling import to_its_end
from pm_orchestrator.domain.company.model_conversation import ConversationHistory, TokenUsage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.heard import Heard
from pm_orchestrator.domain.setup.model_list import TokenRoom
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.executor import Activity, Executor, ExecutorResult, ExecutorTask
from pm_orchestrator.ports.hands import Hands


class HeldHands(msgspec.Struct, frozen=True, kw_only=True):
    """Hands in the user's directory, and what keeps their commands from more than that."""

    hands: Hands
    allowed: Collection[str] | None = None
    """Commands that may be run without a person's word; None where a sandbox holds them all."""


class SoloDesk(msgspec.Struct, frozen=True, kw_only=True):
    """What a model works with in the user's directory."""

    name: str
    """The model adapter."""
    model: Callable[[ExecutorTask], AbstractAsyncContextManager[ChatModel]]
    hands: Callable[[ExecutorTask], AbstractAsyncContextManager[HeldHands]]
    conversations: Conversations
    clock: Clock
    room_of: Callable[[str], TokenRoom]
    cost_of: Callable[[str, TokenUsage], float | None]
    """US dollars, where the price of the model is known."""


class ModelExecutor(Executor):
    """The tool loop in the user's directory, with a conversation that outlives the task."""

    def __init__(self, desk: SoloDesk) -> None:
        self._desk = desk

    @property
    @override
    def name(self) -> str:
        return self._desk.name

    @override
    async def problem(self) -> str | None:
        return None

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        desk = self._desk
        earlier = None if task.conversation is None else desk.conversations.read(task.conversation)
        lost = task.conversation is not None and earlier is None
        name = task.fresh_conversation if lost else task.conversation or task.fresh_conversation
        task = replace(task, earlier=earlier or ())
        try:
            async with desk.model(task) as model, desk.hands(task) as held:
                result = await self._worked(task, model, held)
        finally:
            if name is not None:
                _, cut = await to_its_end(desk.conversations.keep(name, _so_far(task, self.name)))
                if cut:
                    raise asyncio.CancelledError
        return replace(result, conversation=name, began_afresh=lost)

    async def _worked(
        self, task: ExecutorTask, model: ChatModel, held: HeldHands
    ) -> ExecutorResult:
        desk = self._desk
        instruction = task.instruction
        if not task.earlier:
            instruction = prompts.first_message(instruction, await _rules(held.hands))

        def cost() -> float | None:
            return desk.cost_of(task.model or "", heard.usage)

        def tell(activity: Activity) -> None:
            if task.told is not None:
                used = heard.usage.input_tokens + heard.usage.output_tokens
                task.told(replace(activity, tokens=used, cost_usd=cost()))

        def overheard(pieces: tuple[Heard, ...]) -> None:
            tell(Activity(heard=pieces))

        def toolbox(given: ExecutorTask, clock: Clock, limit: StandingLimit) -> SoloToolbox:
            return SoloToolbox(given, clock, limit, held.allowed)

        heard = HeardModel(model, overheard)
        loop = ToolLoop(heard, desk.clock, desk.room_of, toolbox)
        result = await loop.execute(
            replace(
                task,
                instruction=instruction,
                hands=held.hands,
                system=prompts.system(confined=held.allowed is None),
                told=tell,
            )
        )
        claim = result.claim
        files = tuple(_in_project(held.hands.root, file) for file in claim.claimed_files)
        claim = replace(claim, claimed_files=files)
        return replace(result, claim=claim, cost_usd=cost(), transcript=_transcript(task))


async def _rules(hands: Hands) -> list[ProjectRules]:
    """What the project's own files say to agents, as they lie there now."""
    rules: list[ProjectRules] = []
    for path in RULE_FILES:
        try:
            text = read_text(await hands.read_file(path)).lines.strip()
        except PmError:
            continue
        if text and "\0" not in text and text not in {each.text for each in rules}:
            shown = cut_between_words(text, LONGEST_RULES)
            rules.append(ProjectRules(path=path, text=shown, left_out=len(text) - len(shown)))
    return rules


def _so_far(task: ExecutorTask, name: str) -> ConversationHistory:
    """What can be gone on with: up to the model's last word."""
    history = task.minutes.history(task.task_id, name)
    said = [*task.earlier, *history.messages]
    while said and said[-1].role == "user":
        said.pop()
    return replace(history, messages=tuple(said))


def _in_project(root: str, file: str) -> str:
    """The file by its name in the project; where it works may have a name of its own."""
    path = PurePosixPath(file)
    return str(path.relative_to(root)) if path.is_relative_to(root) else file


def _transcript(task: ExecutorTask) -> str:
    """The work in lines, for the record."""
    lines = [
        f"{call.name} {'failed' if call.is_error else 'done'}: {call.result}"
        for call in task.minutes.tool_calls
    ]
    return "\n".join(lines)
