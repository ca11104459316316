"""Commands spelt for where the reader is: `/logs` in the conversation, the whole call in a shell.

Sentences name every command as a shell takes it, between backticks. In the conversation those
that it has itself become its own; what only a shell can do stays as it is.
"""

import re
from collections.abc import Mapping

from pm_orchestrator.domain.late_pattern import LatePattern

PROGRAM = "`pm-orchestrator "
CALL = LatePattern(r"`pm-orchestrator (?P<name>[a-z-]+)(?P<rest>[^`]*)`")
LIMIT = LatePattern(r"\s*--max-(?P<name>files|minutes) (?P<most>\S+)")
REPLY, RUN, LIMITS = "reply", "run", "/limits"
"""The conversation knows which task is meant, and takes the text alone, as an instruction."""
THEN = " → "


class Spelling:
    """How a reader types the commands; in a shell there are no other ones."""

    def __init__(self, own: Mapping[str, bool] | None = None) -> None:
        """`own` are the commands of the conversation, and whether each takes an argument."""
        self._own = own or {}

    def of(self, text: str) -> str:
        """The sentence as its reader can type what it names."""
        return CALL.sub(self._typed, text) if self._own and PROGRAM in text else text

    def plain(self, text: str) -> str:
        """The same without the marks, for a line that is hardly more than the command."""
        return self.of(text).replace("`", "")

    def call(self, command: str) -> str:
        """One command, by its words behind the name of the program."""
        return self.of(f"{PROGRAM}{command}`")

    def _typed(self, call: re.Match[str]) -> str:
        rest, steps = call["rest"], list[str]()
        if call["name"] in (REPLY, RUN) and LIMITS in self._own:
            # What a shell says with the call is said before it here.
            limits = [" ".join(limit.groups()) for limit in LIMIT.finditer(rest)]
            steps = [f"`{LIMITS} {' '.join(limits)}`"] if limits else []
            rest = LIMIT.sub("", rest)
            if steps and call["name"] == RUN:
                return THEN.join(steps)
        name, rest = f"/{call['name']}", rest.strip()
        if name not in self._own:
            return call[0]
        if call["name"] == REPLY:
            # Quotation marks are a shell's.
            rest = rest.partition(" ")[2].strip("\"'")
        steps.append(f"`{name} {rest}`" if rest and self._own[name] else f"`{name}`")
        return THEN.join(steps)
