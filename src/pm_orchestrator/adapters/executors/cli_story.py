"""What a coding CLI tells about its work while it runs: the part that each CLI brings itself.

Following a CLI, claiming for it and ending it are the same for all; see `cli_watch.py`
and `coding_cli.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.domain.history.heard import Heard
from pm_orchestrator.ports.executor import ExecutorTask


class StoryStep(msgspec.Struct, frozen=True):
    """What one event means to whoever watches over the CLI."""

    opened: tuple[str, ...] = ()
    """Tool calls that began; while one is open, silence is no sign of being stuck."""
    closed: tuple[str, ...] = ()
    request: str | None = None
    """What it asks of whoever started it; nobody here may answer."""


class LastWord(msgspec.Struct, frozen=True, kw_only=True):
    """How the CLI itself sums up what it did."""

    good: bool
    """It says that it succeeded, in every way in which it can say so."""
    summary: str
    turns: int = 0
    out_of_turns: bool = False
    """It had no more turns, and was not done."""
    usage: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])
    cost_usd: float | None = None


class CliStory(Protocol):
    """Reads the events of one run of a CLI, in order, in bounded memory."""

    @property
    def conversation(self) -> str | None:
        """Its own session id."""
        ...

    @property
    def question(self) -> str | None:
        """What it wanted to ask a person, who was not there."""
        ...

    @property
    def failed_tools(self) -> Sequence[str]: ...

    @property
    def denied_tools(self) -> Sequence[str]: ...

    @property
    def denied_calls(self) -> Sequence[str]:
        """The same with what each call was about, in one line; by the tool where it is not said."""
        return self.denied_tools

    @property
    def written_files(self) -> Iterable[str]:
        """Files it says it wrote, by the names it uses."""
        ...

    @property
    def activity(self) -> str:
        """The tool it called last, and on what."""
        ...

    def heard(self, *, ended: bool = False) -> tuple[Heard, ...]:
        """What it said and did since this was asked last; its last word is no part of it.

        `ended` when nothing more will come.
        """
        ...

    @property
    def tokens(self) -> int:
        """What it has used up so far, by its own count."""
        ...

    @property
    def locked_out(self) -> bool:
        """Whether its vendor would not let it in: no login, or a key that is not accepted."""
        return False

    @property
    def last_word(self) -> LastWord | None: ...

    def take(self, event: Mapping[str, Any]) -> StoryStep: ...


class CliRequest(msgspec.Struct, frozen=True):
    """Something a CLI asks while it runs."""

    name: str
    """Its own name for it."""
    about: Wish | tuple[OpenChoice, ...]
    given: Mapping[str, Any]
    """What it wants to call its tool with."""


class CliTalk(Protocol):
    """How a CLI is talked to over its stdin while it runs."""

    def opening(self, instruction: str) -> bytes:
        """What it is told first."""
        ...

    def asked(self, event: Mapping[str, Any]) -> CliRequest | None:
        """What an event asks, if it does and an answer can be given."""
        ...

    def withdrawn(self, event: Mapping[str, Any]) -> str | None:
        """The name of a request that it no longer waits for."""
        ...

    def permit(self, request: CliRequest, permit: Permit) -> bytes: ...

    def choose(self, request: CliRequest, answers: Mapping[str, str]) -> bytes:
        """The answers, by their questions; none at all when they were left."""
        ...


class CliDialect(Protocol):
    """A coding CLI: how it is called, and how it is understood."""

    @property
    def name(self) -> str:
        """The executor's name in settings and records."""
        ...

    @property
    def program(self) -> str:
        """What is looked for on PATH."""
        ...

    @property
    def cure(self) -> str:
        """What to do where the program is missing."""
        ...

    @property
    def login(self) -> str:
        """The command with which a person logs in, where it has one."""
        return ""

    @property
    def variables(self) -> Mapping[str, str]:
        """What its environment needs beside the user's."""
        ...

    def argv(self, task: ExecutorTask) -> tuple[str, ...]:
        """How it is called; with a person there it waits to be talked to, if it can."""
        ...

    def story(self) -> CliStory:
        """A new reader, for one run."""
        ...

    def talk(self) -> CliTalk | None:
        """How it is answered while it runs; None where it cannot be."""
        return None

    def lost_conversation(self, summary: str) -> bool:
        """Whether it says that it no longer knows the conversation it was to go on with."""
        ...
