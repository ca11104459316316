"""What an executor asks of a person while it works, and what it may be told.

A wish is one call of a tool that it may not make by itself; a choice is a question with answers
to pick from. Pure data: who shows it and who passes it on are others.
"""

from typing import Literal

from pm_orchestrator.domain.record import Record

Decision = Literal["once", "always", "no", "nobody"]
"""`nobody` where nobody was there to say a word."""


class Wish(Record, frozen=True, kw_only=True):
    """Something an executor wants to do, and may not without a person's word."""

    tool: str
    subject: str = ""
    """The command, the file or the address."""
    preview: tuple[str, ...] = ()
    """What it would write, as lines that begin with `+` or `-`."""
    why: str = ""
    """Why it may not do it by itself, in the executor's words."""
    rules: tuple[str, ...] = ()
    """What would allow it from now on, as `executor.allowed_tools` spells it; none where
    nothing smaller than everything would."""

    @property
    def call(self) -> str:
        """The call in one line; the same call again has the same line."""
        return called(self.tool, self.subject)


class Permit(Record, frozen=True, kw_only=True):
    """A person's word about a wish."""

    decision: Decision
    words: str = ""
    """Why not, or what to do instead; the executor hears it."""


class Option(Record, frozen=True, kw_only=True):
    """One answer that may be picked."""

    label: str
    description: str = ""


class OpenChoice(Record, frozen=True, kw_only=True):
    """A question of the executor with the answers that it thinks of."""

    question: str
    options: tuple[Option, ...] = ()
    several: bool = False
    """More than one of them may be picked."""


def called(tool: str, subject: str) -> str:
    """A call of a tool in one line."""
    return f"{tool} {subject}".rstrip()
