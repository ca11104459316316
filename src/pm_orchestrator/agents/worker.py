"""The worker: one attempt at one sub-task, in a sandbox of its own.

It brings the branch in as a bundle, lets an executor work there, takes out everything
that was made, delivered or not, and destroys the sandbox. Its answer is a claim. What
ends an attempt without one (an outage of the model, a fault, a cancellation) is raised
after the same taking out: no way out of here loses work.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from pm_orchestrator.agents.attempt_book import AttemptBook
from pm_orchestrator.agents.briefing import briefing
from pm_orchestrator.agents.logged_hands import LoggedHands
from pm_orchestrator.agents.news import News
from pm_orchestrator.agents.prompts import worker as prompts
from pm_orchestrator.dispatch.agent_git import AgentGit
from pm_orchestrator.dispatch.sandbox_checkout import BUNDLE_IN, SandboxCheckout
from pm_orchestrator.dispatch.workspace_state import STATE_BRANCH, WorkspaceStates
from pm_orchestrator.domain.cancelling import to_its_end
from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.company.model_conversation import ConversationHistory, Message, Minutes
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.run_events import Claims, WorkerEvent, Working
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.evidence.records.turn_journal import TurnJournal
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.executor import Activity, Executor, ExecutorResult, ExecutorTask
from pm_orchestrator.ports.hands import Hands
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import Sandbox, SandboxRuntime, SandboxSpec

SaveTranscript = Callable[[Path, ConversationHistory], Awaitable[None]]

LONGEST_SUMMARY, LONGEST_ANSWER = 8_000, 60_000
"""Characters of a claim that travel; an answer is the product itself."""
SILENCE_S = 900.0
"""Longer than any model may take for one answer, of which not every executor shows a part."""
MOST_FILES = 200
KEPT = "agent/kept"
"""The name, inside of a bundle, of what an attempt had not committed."""
RESCUE_S = 120.0
"""How long an attempt that was cut short may take to bring out what it made."""


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """What every worker of a run finds at its place."""

    runtime: SandboxRuntime
    spec: SandboxSpec
    repository: Repository
    executor_for: Callable[[str], Executor]
    """The executor of an agent, whose model is metered and replayed by that name."""
    save_transcript: SaveTranscript
    turns: Callable[[Path], TurnJournal]
    """Where an attempt keeps its turns while it goes on."""
    logs: RunLogs
    events: EventSink
    clock: Clock
    base: str
    """The commit of the project that all begin from."""
    instruction: str
    """What the whole run is for."""
    attempt_s: float
    """How long an attempt may take."""
    dismiss: Callable[[str], None] = lambda _: None
    """Told when an agent's work is over: nothing is asked in its name any more."""


class TakenOut(msgspec.Struct, frozen=True, kw_only=True):
    """What arrived in the run's own repository."""

    commit: str | None = None
    rescue_refs: tuple[str, ...] = ()
    refusal: PmError | None = None
    """Why the branch was not taken."""


class Worker:
    """One worker, who does one attempt at a time."""

    def __init__(self, name: str, desk: Desk) -> None:
        self._name = name
        self._desk = desk

    async def attempt(self, assignment: Assignment) -> AttemptResult:
        """Do the work, or as much of it as the executor manages.

        Raises:
            RetryableError: the executor's model is out of order; nothing is claimed.
            PmError: the sandbox could not be used, or what was made could not be taken.
        """
        ticket = assignment.sub_task.ticket
        book = AttemptBook(self._desk.turns(_place(assignment) / "turns.jsonl"), self._desk.clock)
        if book.first is None:
            told = await briefing(
                self._desk.repository, self._desk.base, self._desk.instruction, assignment
            )
            await book.begin(prompts.first_message(assignment, told), told.uncommitted_as)
        minutes = Minutes()
        async with self._opened(assignment, book) as (sandbox, workspace):
            try:
                result = await self._execute(assignment, book, sandbox, minutes)
                taken = await self._take_out(assignment, workspace)
            except BaseException as error:
                _, cut = await to_its_end(self._rescue(assignment, workspace, book, minutes, error))
                if cut:
                    raise asyncio.CancelledError from error
                raise
            unenforced = sandbox.unenforced
        if book.problem is not None:
            await self._log_problem(assignment, f"turns were not kept to the end: {book.problem}")
        transcript = await self._keep(assignment, _minutes(minutes, result))
        if taken.refusal is not None:
            raise taken.refusal
        claims = Claims(worker=self._name, text=result.claim.summary)
        await self._desk.events.publish(WorkerEvent(subject=ticket, detail=claims))
        return AttemptResult(
            ticket=ticket,
            attempt=assignment.attempt,
            worker=self._name,
            claim=_bounded(result.claim, LONGEST_ANSWER if assignment.answers else LONGEST_SUMMARY),
            commit=taken.commit,
            rescue_refs=taken.rescue_refs,
            conversation=transcript.as_posix(),
            unenforced_limits=unenforced,
            question=result.question,
            denied_calls=result.denied_calls,
            out_of_budget=result.out_of_budget,
            characters=len(result.transcript),
            seconds=book.seconds,
        )

    @asynccontextmanager
    async def _opened(
        self, assignment: Assignment, book: AttemptBook
    ) -> AsyncGenerator[tuple[Sandbox, SandboxCheckout]]:
        """A sandbox with the workspace as the attempt has left it, or as it begins."""
        repository, start = self._desk.repository, assignment.start
        sandbox = await self._desk.runtime.open(self._spec_for(assignment))
        try:
            workspace = await SandboxCheckout.load(sandbox, repository, assignment.branch, start)
            states = WorkspaceStates(sandbox, book.state or start)
            if book.state is not None:
                kept = await workspace.bundle(book.state, STATE_BRANCH)
                await states.put_back(kept, book.state)
            elif book.laid_out is not None:
                kept = await workspace.bundle(book.laid_out, KEPT)
                await lay_out(sandbox, kept, book.laid_out)

            async def save() -> str | None:
                saved = await states.save(self._desk.clock.now())
                if saved is None:
                    return None
                return await repository.receive(saved[1], STATE_BRANCH, _state_ref(assignment))

            book.saves_by(save)
            yield sandbox, workspace
        finally:
            self._desk.dismiss(assignment.agent)
            await sandbox.close()

    def _spec_for(self, assignment: Assignment) -> SandboxSpec:
        name = f"{assignment.run_id}-{assignment.sub_task.sub_id}-{assignment.attempt}"
        return msgspec.structs.replace(self._desk.spec, name=name)

    async def _execute(
        self, assignment: Assignment, book: AttemptBook, hands: Hands, minutes: Minutes
    ) -> ExecutorResult:
        ticket = assignment.sub_task.ticket

        async def publish(activity: Activity) -> None:
            working = Working(
                worker=self._name,
                attempt=assignment.attempt,
                turn=activity.turn,
                text=activity.what,
            )
            await self._desk.events.publish(WorkerEvent(subject=ticket, detail=working))

        async def log(command: str) -> None:
            await self._desk.logs.line("commands.log", f"{ticket} {command}")

        async def refused(command: str) -> None:
            await log(f"refused: {command}")

        executor = self._desk.executor_for(assignment.agent)
        async with News(publish) as news:
            return await executor.execute(
                ExecutorTask(
                    task_id=ticket,
                    instruction=book.first or "",
                    hands=LoggedHands(hands, log),
                    timeout_s=self._desk.attempt_s,
                    silence_s=SILENCE_S,
                    turns=assignment.max_turns,
                    model=assignment.model,
                    system=prompts.system_for(assignment, own_tools=executor.brings_tools),
                    task_type=assignment.task_type,
                    read_only=assignment.answers,
                    told=news.told,
                    refused=refused,
                    minutes=minutes,
                    keeper=book,
                )
            )

    async def _take_out(self, assignment: Assignment, workspace: SandboxCheckout) -> TakenOut:
        """Bring home the branch and all leftovers, each for itself."""
        commit: str | None = None
        refusal: PmError | None = None
        rescued: list[str] = []
        for parcel in await workspace.parcels(self._desk.clock.now()):
            target = f"refs/heads/{assignment.branch}"
            if parcel.rescue is not None:
                target = assignment.rescue_ref(parcel.rescue)
            try:
                source, bundle = await workspace.pack(parcel)
                received = await self._desk.repository.receive(bundle, source, target)
            except PmError as error:
                if error.slug == "sandbox_gone":
                    raise
                await self._log_problem(assignment, f"{target} was not taken: {error}")
                refusal = error if parcel.rescue is None else refusal
                continue
            if parcel.rescue is None:
                commit = received
            else:
                rescued.append(target)
        for problem in workspace.problems:
            await self._log_problem(assignment, problem)
        return TakenOut(commit=commit, rescue_refs=tuple(rescued), refusal=refusal)

    async def _rescue(
        self,
        assignment: Assignment,
        workspace: SandboxCheckout,
        book: AttemptBook,
        minutes: Minutes,
        cause: BaseException,
    ) -> None:
        """Keep what can be kept of an attempt that ends without a claim."""
        # What cut the attempt short is what is raised; a failure in here is only told.
        why = str(cause) if isinstance(cause, PmError) else type(cause).__name__
        try:
            async with asyncio.timeout(RESCUE_S):
                taken = await self._what_is_left(assignment, workspace, book)
            kept = ", ".join(filter(None, (taken.commit, *taken.rescue_refs))) or "nothing"
        except (PmError, TimeoutError) as error:
            kept = f"nothing, because of {error!r}"
        try:
            await self._keep(assignment, minutes)
        except PmError as error:
            why = f"{why}; no transcript, because of {error}"
        await self._log_problem(assignment, f"{why}; kept of the attempt: {kept}")

    async def _what_is_left(
        self, assignment: Assignment, workspace: SandboxCheckout, book: AttemptBook
    ) -> TakenOut:
        """All that is there; of a sandbox that is gone, what came out after its last turn."""
        try:
            return await self._take_out(assignment, workspace)
        except PmError as error:
            if error.slug != "sandbox_gone" or book.state is None:
                raise
        async with self._opened(assignment, book) as (_, again):
            return await self._take_out(assignment, again)

    async def _log_problem(self, assignment: Assignment, problem: str) -> None:
        ticket = assignment.sub_task.ticket
        await self._desk.logs.line("errors.log", f"{ticket}/{assignment.attempt} {problem}")

    async def _keep(self, assignment: Assignment, minutes: Minutes) -> Path:
        path = _place(assignment) / "conversation.json"
        await self._desk.save_transcript(path, minutes.history(assignment.run_id, self._name))
        return path


def _place(assignment: Assignment) -> Path:
    return Path("workers") / assignment.sub_task.sub_id / str(assignment.attempt)


def _state_ref(assignment: Assignment) -> str:
    """Where the run's repository keeps the workspace of the attempt; nobody else is given it."""
    return f"refs/pm/workspace/{assignment.sub_task.sub_id}/{assignment.attempt}"


async def lay_out(sandbox: Sandbox, bundle: bytes, commit: str) -> None:
    """Put the files of a commit into a workspace, committed nowhere.

    Raises:
        PmError: E801 when git fails.
    """
    git = AgentGit(sandbox)
    await sandbox.write_file(BUNDLE_IN, bundle)
    await git.must("fetch", "--quiet", "--no-tags", BUNDLE_IN, f"refs/heads/{KEPT}")
    await sandbox.run(("rm", "-f", BUNDLE_IN))
    await git.must("restore", f"--source={commit}", "--worktree", "--", ":/")


def _minutes(minutes: Minutes, result: ExecutorResult) -> Minutes:
    """What was said; of an executor that talks by itself, what it put out."""
    if not minutes.messages:
        minutes.messages.append(Message(role="assistant", text=result.transcript))
        minutes.tokens = result.claim.tokens
    return minutes


def _bounded(claim: ExecutorClaim, longest: int) -> ExecutorClaim:
    """A claim that fits into a message, whatever a model says."""
    return msgspec.structs.replace(
        claim,
        summary=cut_between_words(claim.summary, longest),
        claimed_files=claim.claimed_files[:MOST_FILES],
    )
