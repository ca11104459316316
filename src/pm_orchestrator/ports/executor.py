"""Whoever does a task: a coding CLI, or the tool loop over a chat model."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    Message,
    Minutes,
    ToolCallRecord,
)
from pm_orchestrator.domain.company.supervision import Blockage
from pm_orchestrator.domain.history.heard import Heard
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.setup.settings import ExecutorSettings
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.ports.adapter import AdapterFactory
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.hands import Hands

if TYPE_CHECKING:
    from pm_orchestrator.domain.company.kept_turns import KeptTurn
    from pm_orchestrator.ports.gateway import Access, ModelTraffic


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    """What an executor is at, by its own word; for the person who watches."""

    what: str = ""
    """The tool it uses and on what; not masked yet. Empty where it says nothing new."""
    turn: int = 0
    """Which turn of its conversation this is; 0 where it does not count them."""
    tokens: int = 0
    cost_usd: float | None = None
    heard: tuple[Heard, ...] = ()
    """What it said and did since it was told of last, in order; not masked yet."""


Tell = Callable[[Activity], None]
"""Hears what an executor is at."""


class Person(Protocol):
    """Somebody who is there while an executor works, and can be asked one thing after another."""

    async def permit(self, wish: Wish) -> Permit:
        """May it do this?"""
        ...

    async def pick(self, choice: OpenChoice) -> str:
        """Their answer; empty when they leave the question."""
        ...


class TurnKeeper(Protocol):
    """Keeps each turn of a conversation while it goes on, so that a crash costs none of them."""

    def earlier(self) -> "KeptTurn | None":
        """The next turn as it went before a crash; None from where it goes on.

        One whose calls have not come to their end is made again from its answer.
        """
        ...

    async def said(self, reply: ChatReply) -> None:
        """The model has answered, as it can be sent back to it."""
        ...

    async def done(self, calls: tuple[ToolCallRecord, ...], *, changing: bool) -> None:
        """Its calls have ended; where they may have changed anything, that is saved too."""
        ...


class ExecutorTask(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of work for an executor."""

    task_id: str
    """Also the name its commits carry, where it makes any."""
    instruction: str
    hands: Hands
    """Where it works, and the only way in which it does."""
    timeout_s: float
    silence_s: float = 120.0
    """How long it may show no sign of life."""
    timeout_is_budget: bool = True
    """A budget that runs out ends the work; a timer that fires means it is stuck."""
    token_budget: int | None = None
    """Tokens it may use; one that says what it uses is stopped when they are used up."""
    usd_budget: float | None = None
    """US dollars it may cost; held by one that counts them itself."""
    turns: int | None = None
    """Turns its conversation may take; None leaves that to the executor."""
    model: str | None = None
    system: str = ""
    """Who it is and how it works here; empty leaves that to the executor."""
    task_type: TaskType = TaskType.IMPLEMENTATION
    read_only: bool = False
    """An answer is wanted: one that has tools of ours gets none that write."""
    conversation: str | None = None
    """The executor's own session id, to go on where it stopped."""
    fresh_conversation: str | None = None
    """What a new session is to be called, by an executor that lets us choose."""
    person: Person | None = None
    """Who is asked what it may not decide by itself; one that cannot ask while it works is
    denied instead, and says so in the end."""
    told: Tell | None = None
    """Hears what it is at while it works; one that does not say leaves it alone."""
    refused: Callable[[str], Awaitable[None]] | None = None
    """Hears of commands that were refused before they ran, by one that has rules for them."""
    minutes: Minutes = msgspec.field(default_factory=Minutes)
    """Takes down what is said, for an executor that holds the conversation itself."""
    earlier: tuple[Message, ...] = ()
    """What was said before in the conversation that such a one goes on with; the model's word
    is the last."""
    variables: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    """What stands in the environment of its program besides, for one that has a program."""
    traffic: "ModelTraffic | None" = None
    """Hears what passes between it and its model, for one whose model is asked through us."""
    keeper: TurnKeeper | None = None
    """Keeps its turns, for one that can go on in the middle of a conversation."""


class AutoAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A question of the executor that was answered without a person."""

    question: str
    answer: str
    source: Literal["rule", "preference"]


class ExecutorResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a piece of work ended, as far as the executor can tell."""

    claim: ExecutorClaim
    blocked: Blockage | None = None
    out_of_budget: bool = False
    """It was stopped because its time was over, not because it was stuck."""
    exit_code: int | None = None
    conversation: str | None = None
    """The executor's own session id."""
    began_afresh: bool = False
    """It no longer knew the session it was to go on with, and began without it."""
    usage: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])
    cost_usd: float | None = None
    """What it says it cost."""
    permission_denials: tuple[str, ...] = ()
    """Tools it wanted to use and may not."""
    denied_calls: tuple[str, ...] = ()
    """Each of these calls in one line; those that a person declined are none of them."""
    failed_tool_calls: tuple[str, ...] = ()
    """Tools that gave an error; an honest agent sees a test fail first."""
    transcript: str = ""
    """What it put out, cut to a bounded length; not masked yet."""
    question: str | None = None
    """What it needs to know before it can go on; one question."""
    login: str | None = None
    """The command that lets it in, where it failed for want of a login or an accepted key."""
    answers: tuple[AutoAnswer, ...] = ()
    """Questions that were answered without a person."""
    waited_s: float = 0.0
    """How much of its time it waited for a person's answer."""


class Executor(Protocol):
    """Does a task and says what it did.

    Whatever it says is a claim, also when it failed. It raises only what is no claim
    about the work: PmError E503 when it cannot start, RetryableError when what it
    thinks with (its model) is out of order, E702 when its hands are gone.
    """

    @property
    def name(self) -> str: ...

    async def problem(self) -> str | None:
        """Why it cannot be used here, with the cure; None when it is ready."""
        ...

    async def execute(self, task: ExecutorTask) -> ExecutorResult: ...

    @property
    def brings_tools(self) -> bool:
        """Whether it works with tools of its own, and knows none of ours."""
        return False


class ExecutorConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What an executor is made of."""

    settings: ExecutorSettings
    variables: Mapping[str, str]
    """The environment of the program, where the executor is looked for."""
    clock: Clock
    confined: "Access | None" = None
    """How it asks its model from a sandbox that holds it in: there it asks nobody for leave, and
    has no login. None where it works as the user."""
    by_model: Callable[[str], Executor] | None = None
    """Makes the executor that works with a model API of this name."""
    metered: Callable[[str, Executor], Executor] | None = None
    """The same executor, asking the model API of this name through us."""


class ExecutorFactory(AdapterFactory, Protocol):
    """Makes the executor of a task; tests put their own in its place."""

    @property
    def vendor(self) -> str | None:
        """The model API whose address and key its program takes from the environment."""
        return None

    @property
    def ways_past(self) -> Collection[str]:
        """Variables with which its program asks in another way than by that key."""
        return ()

    def create(self, config: ExecutorConfig) -> Executor: ...
