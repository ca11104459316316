"""The worker: one attempt at one sub-task, in a sandbox of its own.

It brings the branch in as a bundle, lets the model work through the tool loop,
saves whatever was left uncommitted, takes the branch out again and destroys the
sandbox. Its answer is a claim.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from pm_orchestrator.agents.prompts import worker as prompts
from pm_orchestrator.agents.tool_loop import Brief, LoopEnd, ToolLoop
from pm_orchestrator.agents.tools import Toolbox
from pm_orchestrator.dispatch.workspace import RESCUE_BRANCH, Workspace
from pm_orchestrator.domain.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.conversation import ConversationHistory, ToolCall
from pm_orchestrator.evidence.run_log import RunLogs
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import SandboxRuntime, SandboxSpec

SaveTranscript = Callable[[Path, ConversationHistory], Awaitable[None]]


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """What every worker of a run finds at its place."""

    runtime: SandboxRuntime
    spec: SandboxSpec
    repository: Repository
    model_for: Callable[[str], ChatModel]
    """The model under an agent's name, metered and replayed by that name."""
    save_transcript: SaveTranscript
    logs: RunLogs
    events: EventSink
    clock: Clock


class Worker:
    """One worker, who does one attempt at a time."""

    def __init__(self, name: str, desk: Desk) -> None:
        self._name = name
        self._desk = desk

    async def attempt(self, assignment: Assignment) -> AttemptResult:
        """Do the work, or as much of it as the model manages."""
        ticket = assignment.sub_task.ticket
        bundle = await self._desk.repository.bundle(assignment.start, assignment.branch)
        sandbox = await self._desk.runtime.open(self._spec_for(assignment))
        try:
            workspace = await Workspace.load(sandbox, bundle, assignment.branch, assignment.start)
            end = await self._converse(assignment, workspace)
            commit, rescue_ref = await self._take_out(assignment, workspace)
            unenforced = sandbox.unenforced
        finally:
            await sandbox.close()
        transcript = await self._keep(assignment, end)
        await self._desk.events.publish(
            "worker", ticket, worker=self._name, state="claims", text=end.claim.summary
        )
        return AttemptResult(
            ticket=ticket,
            attempt=assignment.attempt,
            worker=self._name,
            claim=end.claim,
            commit=commit,
            rescue_ref=rescue_ref,
            conversation=transcript.as_posix(),
            unenforced_limits=unenforced,
        )

    def _spec_for(self, assignment: Assignment) -> SandboxSpec:
        name = f"{assignment.run_id}-{assignment.sub_task.sub_id}-{assignment.attempt}"
        return msgspec.structs.replace(self._desk.spec, name=name)

    async def _converse(self, assignment: Assignment, workspace: Workspace) -> LoopEnd:
        ticket = assignment.sub_task.ticket

        async def on_tool(turn: int, call: ToolCall) -> None:
            if call.name == "run_command":
                await self._desk.logs.line("commands.log", f"{ticket} {call.arguments}")
            await self._desk.events.publish(
                "worker",
                ticket,
                worker=self._name,
                state="working",
                attempt=assignment.attempt,
                turn=turn,
                text=_describe(call),
            )

        model = self._desk.model_for(assignment.agent)
        loop = ToolLoop(
            model, Toolbox(workspace, ticket, self._desk.clock), self._desk.clock, on_tool
        )
        return await loop.run(
            Brief(
                model=assignment.model,
                system=prompts.SYSTEM,
                prompt=prompts.first_message(assignment),
                max_turns=assignment.max_turns,
            )
        )

    async def _take_out(
        self, assignment: Assignment, workspace: Workspace
    ) -> tuple[str | None, str | None]:
        moved = await workspace.branch_moved()
        delivery = await workspace.deliver(self._desk.clock.now())
        if delivery.bundle is None:
            return None, None
        commit = rescue = None
        if moved:
            branch = assignment.branch
            commit = await self._desk.repository.receive(
                delivery.bundle, branch, f"refs/heads/{branch}"
            )
        if delivery.has_rescue:
            rescue = f"refs/pm/rescue/{assignment.run_id}/{assignment.sub_task.sub_id}"
            await self._desk.repository.receive(delivery.bundle, RESCUE_BRANCH, rescue)
        return commit, rescue

    async def _keep(self, assignment: Assignment, end: LoopEnd) -> Path:
        place = Path("workers") / assignment.sub_task.sub_id / str(assignment.attempt)
        path = place / "conversation.json"
        history = ConversationHistory(
            run_id=assignment.run_id,
            agent_id=self._name,
            messages=end.messages,
            tool_calls=end.tool_calls,
            total_tokens=end.claim.tokens,
        )
        await self._desk.save_transcript(path, history)
        return path


def _describe(call: ToolCall) -> str:
    """One short line for whoever watches: the tool and its most telling argument."""
    telling: Any = next(
        (
            call.arguments[k]
            for k in ("path", "command", "message", "summary")
            if k in call.arguments
        ),
        "",
    )
    return f"{call.name} {telling}".strip().splitlines()[0][:100]
