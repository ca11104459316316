"""What a slash command is: a small object with a name, a help line, completion and a run."""

from collections.abc import Awaitable, Callable, Iterable

import msgspec

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.domain.errors import PmError


def no_completion(_conversation: Conversation, _text: str) -> Iterable[str]:
    """For commands without arguments, or with free ones."""
    return ()


class SlashCommand(msgspec.Struct, frozen=True, kw_only=True):
    """One command of the REPL.

    `run` gets the conversation and the rest of the line; `complete` the same while it is
    typed, and returns whole arguments.
    """

    name: str
    run: Callable[[Conversation, str], Awaitable[None]]
    arguments: str = ""
    """How they are written in the help."""
    complete: Callable[[Conversation, str], Iterable[str]] = no_completion
    before_init: bool = False
    """Whether it works in a directory that is no project yet."""

    @property
    def help_key(self) -> str:
        """Where the catalogue keeps the help line."""
        return f"help_{self.name.removeprefix('/')}"

    def require(self, argument: str) -> str:
        """The argument.

        Raises:
            PmError: E210 when it is missing.
        """
        if not argument:
            # Where it may be left out elsewhere, here it may not.
            needed = self.arguments.replace("[", "<").replace("]", ">")
            usage = f"{self.name} {needed}"
            raise PmError("slash_usage", command=self.name, usage=usage)
        return argument
