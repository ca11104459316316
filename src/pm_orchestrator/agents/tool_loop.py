"""An executor made of a chat model and a box of tools.

The conversation ends when the model calls `task_complete`, at a limit (its turns, its
tokens, its time), or when it gets nowhere: it calls no tool, or makes the same failing call
again and again. Either way what leaves is a claim, never a verdict. A model that fails has
claimed nothing: that is raised, and what was said until then is in the minutes.
"""

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.agents.attempt_book import Unkept
from pm_orchestrator.agents.model_window import WindowedTalk
from pm_orchestrator.agents.prompts import turns as prompts
from pm_orchestrator.agents.standing_limit import StandingLimit
from pm_orchestrator.agents.tools.tool_calls import (
    COMPLETE_TOOL,
    LOOKING,
    TaskComplete,
    described,
    sendable_reply,
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
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.domain.setup.model_list import TokenRoom
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.executor import Activity, Executor, ExecutorResult, ExecutorTask

NAME = "tool-loop"
TURNS_AT_MOST = 30
"""For a task that does not say."""
NEAR_END = 5
"""Turns before the end in which it is told of it."""
TOKENS_NEARLY_USED = 0.8
PLAIN_TEXTS = 3
"""Answers in a row without a tool call, after which it is over."""
SAME_FAILURES_TOLD, SAME_FAILURES = 3, 6
"""Of one call that fails in the same way, with no change made between."""
ASKED_AGAIN = 3
"""Times a model is asked for an answer that can be read."""
HARMLESS = LOOKING | {COMPLETE_TOOL}
"""Tools after which the workspace is as it was."""

ToolboxOf = Callable[[ExecutorTask, Clock, StandingLimit], Toolbox]


def worker_toolbox(task: ExecutorTask, clock: Clock, _: StandingLimit) -> Toolbox:
    """The tools of who works in a sandbox of its own, with nobody to ask."""
    return Toolbox(task.hands, task.task_id, clock, read_only=task.read_only, refused=task.refused)


class ToolLoop(Executor):
    """Works by conversations with one model."""

    def __init__(
        self,
        model: ChatModel,
        clock: Clock,
        room_of: Callable[[str], TokenRoom] = lambda _: TokenRoom(),
        toolbox_of: ToolboxOf = worker_toolbox,
    ) -> None:
        self._model = model
        self._clock = clock
        self._room_of = room_of
        self._toolbox_of = toolbox_of

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
        limit = StandingLimit(task.timeout_s)
        toolbox = self._toolbox_of(task, self._clock, limit)
        talk = _Talk(self._model, self._clock, task, toolbox, self._room_of(task.model))
        try:
            async with limit:
                claim = await talk.until_claimed()
        except TimeoutError:
            if not limit.expired:
                raise
            return talk.result(talk.gave_up("stopped at its time limit"), overran=True)
        finally:
            _, cut = await to_its_end(talk.close())
            if cut:
                raise asyncio.CancelledError
        return replace(talk.result(claim), waited_s=limit.stood_s)


class _Talk:
    """One conversation over one toolbox."""

    def __init__(
        self,
        model: ChatModel,
        clock: Clock,
        task: ExecutorTask,
        toolbox: Toolbox,
        room: TokenRoom,
    ) -> None:
        self._model = model
        self._clock = clock
        self._task = task
        self._toolbox = toolbox
        self._ids = {call.id for message in task.earlier for call in message.tool_calls}
        self._tools = self._toolbox.definitions()
        besides = len(task.system) + len(to_json(self._tools))
        self._conversation = WindowedTalk(room, besides, task.earlier)
        self._keeper = task.keeper or Unkept()
        self._failures = SameFailures()
        self._plain = 0
        self._failed: list[str] = []
        self._turn = 0
        self._usage = TokenUsage()

    @property
    def _last_step(self) -> prompts.LastStep:
        if self._task.read_only:
            return "answer"
        return "commit" if self._toolbox.commits else "leave"

    @property
    def _tokens(self) -> int:
        return self._usage.input_tokens + self._usage.output_tokens

    async def until_claimed(self) -> ExecutorClaim:
        """Talk until the model claims to be finished or may not go on."""
        self._say(prompts.beginning(self._task.instruction, self._task.earlier))
        most = TURNS_AT_MOST if self._task.turns is None else self._task.turns
        budget = self._task.token_budget
        while self._turn < most:
            self._turn += 1
            kept = self._keeper.earlier()
            reply = await self._ask(None if kept is None else kept.reply)
            said = reply.message
            self._say(said)
            if budget is not None and self._tokens > budget:
                return self.gave_up("stopped at its limit of tokens")
            if kept is not None and kept.calls is not None:
                results = self._remembered(said.tool_calls, kept.calls)
            else:
                results = await self._made(reply)
            done = _completion(said, results)
            if done is not None:
                return ExecutorClaim(
                    kind="finished",
                    summary=done.summary,
                    claimed_files=done.files,
                    turns=self._turn,
                    tokens=self._tokens,
                )
            if self._toolbox.question is not None:
                return self.gave_up("it cannot go on without an answer")
            nowhere = self._gets_nowhere(said, results, cut=reply.stopped_early)
            text = self._remarks(results, most - self._turn, cut=reply.stopped_early)
            self._say(Message(role="user", text=text, tool_results=tuple(results)))
            if nowhere is not None:
                return self.gave_up(nowhere)
        return self.gave_up(f"no claim after {most} turns")

    def _gets_nowhere(self, said: Message, results: list[ToolResult], *, cut: bool) -> str | None:
        self._plain = 0 if results or cut else self._plain + 1
        if self._plain >= PLAIN_TEXTS:
            return f"answered {PLAIN_TEXTS} times in a row without a tool call"
        repeated = self._failures.after(said.tool_calls, results)
        if repeated >= SAME_FAILURES:
            return f"made the same failing call {repeated} times"
        return None

    def _remarks(self, results: list[ToolResult], left: int, *, cut: bool) -> str:
        """What it should know before its next turn."""
        said: list[str] = []
        if cut:
            said.append(prompts.CUT)
        elif not results:
            said.append(prompts.nudge(self._last_step))
        if self._failures.most == SAME_FAILURES_TOLD:
            said.append(prompts.REPEATED)
        budget = self._task.token_budget
        if 0 < left <= NEAR_END:
            said.append(prompts.turns_left(left, self._last_step))
        elif budget is not None and self._tokens > TOKENS_NEARLY_USED * budget:
            said.append(prompts.tokens_left(budget - self._tokens, self._last_step))
        return "\n".join(said)

    def gave_up(self, why: str) -> ExecutorClaim:
        return ExecutorClaim(kind="gave_up", summary=why, turns=self._turn, tokens=self._tokens)

    def result(self, claim: ExecutorClaim, *, overran: bool = False) -> ExecutorResult:
        stuck = Blockage(
            reason=BlockedReason.TIMEOUT,
            timeout_ms=round(self._task.timeout_s * 1000),
            terminated_by=TerminatedBy.TIMEOUT,
        )
        budget, denied = self._task.timeout_is_budget, tuple(self._toolbox.denied)
        if denied and claim.kind == "finished":
            claim = replace(claim, kind="gave_up")
        return ExecutorResult(
            claim=claim,
            question=self._toolbox.question,
            permission_denials=("run_command",) if denied else (),
            denied_calls=denied,
            blocked=stuck if overran and not budget else None,
            out_of_budget=overran and budget,
            usage=msgspec.to_builtins(self._usage),
            failed_tool_calls=tuple(self._failed),
        )

    async def _ask(self, kept: ChatReply | None) -> ChatReply:
        """The model's answer, as it can be sent back to it; `kept` is one it has given before."""
        messages = self._conversation.sent()
        reply = kept or await self._readable(self._request(messages))
        reply = replace(reply, message=sendable_reply(reply.message, self._ids))
        if kept is None:
            await self._keeper.said(reply)
        self._conversation.counted(reply.usage.input_tokens)
        self._usage = TokenUsage(
            input_tokens=self._usage.input_tokens + reply.usage.input_tokens,
            output_tokens=self._usage.output_tokens + reply.usage.output_tokens,
        )
        self._task.minutes.tokens += reply.usage.input_tokens + reply.usage.output_tokens
        return reply

    def _request(self, messages: tuple[Message, ...]) -> ChatRequest:
        return ChatRequest(
            model=self._task.model or "",
            system=self._task.system,
            messages=messages,
            tools=self._tools,
            max_tokens=self._conversation.answer,
        )

    async def _readable(self, request: ChatRequest) -> ChatReply:
        """An answer that can be read; a model that makes none of it is asked again."""
        for asked in range(1, ASKED_AGAIN + 1):
            try:
                return await self._model.chat(request)
            except PmError as error:
                if error.slug == "model_answer_unreadable" and asked < ASKED_AGAIN:
                    continue
                # Whatever the provider's reason, it says nothing about the work.
                raise RetryableError(error.slug, **error.params) from error
        raise AssertionError("the last time returns or raises")

    async def close(self) -> None:
        await self._toolbox.close()

    def _remembered(
        self, calls: tuple[ToolCall, ...], kept: tuple[ToolCallRecord, ...]
    ) -> list[ToolResult]:
        """What the calls came to before a crash; nothing is done again."""
        for call in kept:
            self._toolbox.made_before(call.name)
            self._take_down(call)
        # Calls that were made side by side ended in any order.
        ends = {call.id: call for call in kept}
        return [
            ToolResult(call_id=one.id, content=ends[one.id].result, is_error=ends[one.id].is_error)
            for one in calls
        ]

    async def _made(self, reply: ChatReply) -> list[ToolResult]:
        """What the calls come to, kept before anything else is said."""
        calls, minutes = reply.message.tool_calls, self._task.minutes
        before = len(minutes.tool_calls)
        try:
            results = await self._results(calls, cut=reply.stopped_early)
        except PmError as error:
            if error.slug == "sandbox_gone":
                # Made again, they might end the next one as well.
                gone = [self._noted(call, prompts.GONE) for call in calls]
                kept = tuple(minutes.tool_calls[-len(gone) :])
                await self._keeper.done(kept, changing=False)
            raise
        changing = self._toolbox.busy or any(call.name not in HARMLESS for call in calls)
        await self._keeper.done(tuple(minutes.tool_calls[before:]), changing=changing)
        return results

    async def _results(self, calls: tuple[ToolCall, ...], *, cut: bool) -> list[ToolResult]:
        """What the calls came to; of a cut answer the last may be half of a call."""
        if not (cut and calls):
            return await self._answers(calls)
        results = await self._answers(calls[:-1])
        return [*results, self._noted(calls[-1], prompts.CUT_CALL)]

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
            self._task.told(Activity(what=described(call), turn=self._turn, tokens=self._tokens))
        started = self._clock.monotonic()
        stamp = iso(self._clock.now())
        result = await self._toolbox.call(call)
        self._record(call, result, stamp, int((self._clock.monotonic() - started) * 1000))
        return result

    def _record(self, call: ToolCall, result: ToolResult, stamp: str, duration_ms: int) -> None:
        self._take_down(
            ToolCallRecord(
                id=call.id,
                name=call.name,
                arguments=call.arguments,
                result=result.content,
                is_error=result.is_error,
                timestamp=stamp,
                duration_ms=duration_ms,
            )
        )

    def _take_down(self, record: ToolCallRecord) -> None:
        if record.is_error:
            self._failed.append(record.name)
        self._task.minutes.tool_calls.append(record)

    def _noted(self, call: ToolCall, refusal: str) -> ToolResult:
        """A call that was not run."""
        result = ToolResult(call_id=call.id, content=refusal, is_error=True)
        self._record(call, result, iso(self._clock.now()), 0)
        return result

    def _say(self, message: Message) -> None:
        self._conversation.add(message)
        self._task.minutes.messages.append(message)


class SameFailures:
    """How often a call has failed in the same way, with nothing changed since."""

    def __init__(self) -> None:
        self._seen: Counter[int] = Counter()
        self.most = 0
        """Of those that failed just now."""

    def after(self, calls: tuple[ToolCall, ...], results: list[ToolResult]) -> int:
        self.most = 0
        for call, result in zip(calls, results, strict=True):
            if result.is_error:
                same = hash(f"{call.name} {call.arguments} {result.content}")
                self._seen[same] += 1
                self.most = max(self.most, self._seen[same])
            elif call.name not in LOOKING:
                self._seen.clear()
        return self.most


def _completion(message: Message, results: list[ToolResult]) -> TaskComplete | None:
    failed = {r.call_id for r in results if r.is_error}
    for call in message.tool_calls:
        if call.name == COMPLETE_TOOL and call.id not in failed:
            return msgspec.convert(call.arguments, TaskComplete, strict=True)
    return None
