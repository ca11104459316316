"""An executor made of a chat model and a box of tools.

The conversation ends when the model calls `task_complete`, or at a limit: its turns, its
tokens, its time. Either way what leaves is a claim, never a verdict. A model that fails
has claimed nothing: that is raised, and what was said until then is in the minutes.
"""

import asyncio
import itertools
from typing import Any

import msgspec
from typing_extensions import override

from pm_orchestrator.agents.prompts.worker import NUDGE
from pm_orchestrator.agents.tools.text_files import sayable
from pm_orchestrator.agents.tools.tool_calls import (
    COMPLETE_TOOL,
    LOOKING,
    TaskComplete,
    sendable,
)
from pm_orchestrator.agents.tools.toolbox import Toolbox
from pm_orchestrator.domain.cancelling import to_its_end
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
    ToolCallRecord,
    ToolResult,
)
from pm_orchestrator.domain.company.supervision import Blockage
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.history.task_log import BlockedReason, TerminatedBy
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.executor import Activity, Executor, ExecutorResult, ExecutorTask

NAME = "tool-loop"
TURNS_AT_MOST = 100
"""For a task that does not say."""
TELLING = ("path", "command", "message", "summary")
"""Arguments that say what a call is about."""


class ToolLoop(Executor):
    """Works by conversations with one model."""

    def __init__(self, model: ChatModel, clock: Clock) -> None:
        self._model = model
        self._clock = clock

    @property
    @override
    def name(self) -> str:
        return NAME

    @override
    async def problem(self) -> str | None:
        return None

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        if task.model is None:
            reason = "no model is chosen"
            raise PmError(
                "executor_invalid", executor=NAME, reason=reason, cure="name one with --model"
            )
        talk = _Talk(self._model, self._clock, task, task.model)
        limit = asyncio.timeout(task.timeout_s)
        try:
            async with limit:
                claim = await talk.until_claimed()
        except TimeoutError:
            if not limit.expired():
                raise
            return talk.result(talk.gave_up("stopped at its time limit"), overran=True)
        finally:
            _, cut = await to_its_end(talk.close())
            if cut:
                raise asyncio.CancelledError
        return talk.result(claim)


class _Talk:
    """One conversation over one toolbox."""

    def __init__(self, model: ChatModel, clock: Clock, task: ExecutorTask, name: str) -> None:
        self._model = model
        self._clock = clock
        self._task = task
        self._name = name
        self._toolbox = Toolbox(
            task.hands, task.task_id, clock, read_only=task.read_only, refused=task.refused
        )
        self._ids: set[str] = set()
        self._messages: list[Message] = []
        self._failed: list[str] = []
        self._turn = 0
        self._usage = TokenUsage()

    @property
    def _tokens(self) -> int:
        return self._usage.input_tokens + self._usage.output_tokens

    async def until_claimed(self) -> ExecutorClaim:
        """Talk until the model claims to be finished or may not go on."""
        self._say(Message(role="user", text=self._task.instruction))
        most = TURNS_AT_MOST if self._task.turns is None else self._task.turns
        budget = self._task.token_budget
        while self._turn < most:
            self._turn += 1
            reply = await self._ask()
            said_now = sendable(reply.message, self._ids)
            self._say(said_now)
            if budget is not None and self._tokens > budget:
                return self.gave_up("stopped at its limit of tokens")
            results = await self._answers(said_now.tool_calls)
            said = _completion(said_now, results)
            if said is not None:
                return ExecutorClaim(
                    kind="finished",
                    summary=said.summary,
                    claimed_files=said.files,
                    turns=self._turn,
                    tokens=self._tokens,
                )
            text = "" if results else NUDGE
            self._say(Message(role="user", text=text, tool_results=tuple(results)))
        return self.gave_up(f"no claim after {most} turns")

    def gave_up(self, why: str) -> ExecutorClaim:
        return ExecutorClaim(kind="gave_up", summary=why, turns=self._turn, tokens=self._tokens)

    def result(self, claim: ExecutorClaim, *, overran: bool = False) -> ExecutorResult:
        stuck = Blockage(
            reason=BlockedReason.TIMEOUT,
            timeout_ms=round(self._task.timeout_s * 1000),
            terminated_by=TerminatedBy.TIMEOUT,
        )
        budget = self._task.timeout_is_budget
        return ExecutorResult(
            claim=claim,
            blocked=stuck if overran and not budget else None,
            out_of_budget=overran and budget,
            usage=msgspec.to_builtins(self._usage),
            failed_tool_calls=tuple(self._failed),
        )

    async def _ask(self) -> ChatReply:
        request = ChatRequest(
            model=self._name,
            system=self._task.system,
            messages=tuple(self._messages),
            tools=self._toolbox.definitions(),
        )
        try:
            reply = await self._model.chat(request)
        except PmError as error:
            # Whatever the provider's reason, it says nothing about the work.
            raise RetryableError(error.slug, **error.params) from error
        self._usage = TokenUsage(
            input_tokens=self._usage.input_tokens + reply.usage.input_tokens,
            output_tokens=self._usage.output_tokens + reply.usage.output_tokens,
        )
        self._task.minutes.tokens += reply.usage.input_tokens + reply.usage.output_tokens
        return reply

    async def close(self) -> None:
        await self._toolbox.close()

    async def _answers(self, calls: tuple[ToolCall, ...]) -> list[ToolResult]:
        """One after the other; those that only look, and stand together, side by side."""
        results: list[ToolResult] = []
        for looking, together in itertools.groupby(calls, lambda call: call.name in LOOKING):
            if not looking:
                results += [await self._answer(call) for call in together]
                continue
            try:
                async with asyncio.TaskGroup() as group:
                    answers = [group.create_task(self._answer(call)) for call in together]
            except* PmError as errors:
                # The place is gone for all of them.
                raise errors.exceptions[0] from None
            results += [answer.result() for answer in answers]
        return results

    async def _answer(self, call: ToolCall) -> ToolResult:
        if self._task.told is not None:
            self._task.told(
                Activity(what=describe_call(call), turn=self._turn, tokens=self._tokens)
            )
        started = self._clock.monotonic()
        stamp = iso(self._clock.now())
        result = await self._toolbox.call(call)
        if result.is_error:
            self._failed.append(call.name)
        self._task.minutes.tool_calls.append(
            ToolCallRecord(
                id=call.id,
                name=call.name,
                arguments=call.arguments,
                result=result.content,
                is_error=result.is_error,
                timestamp=stamp,
                duration_ms=int((self._clock.monotonic() - started) * 1000),
            )
        )
        return result

    def _say(self, message: Message) -> None:
        self._messages.append(message)
        self._task.minutes.messages.append(message)


def describe_call(call: ToolCall) -> str:
    """One short line for whoever watches: the tool and its most telling argument."""
    telling: Any = next((call.arguments[k] for k in TELLING if k in call.arguments), "")
    return sayable(f"{call.name} {telling}".strip().splitlines()[0][:100])


def _completion(message: Message, results: list[ToolResult]) -> TaskComplete | None:
    failed = {r.call_id for r in results if r.is_error}
    for call in message.tool_calls:
        if call.name == COMPLETE_TOOL and call.id not in failed:
            return msgspec.convert(call.arguments, TaskComplete, strict=True)
    return None
