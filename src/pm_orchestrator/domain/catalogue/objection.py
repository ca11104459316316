"""The form of a reason against COMPLETE: what is wrong, and what cures it."""

from typing import NamedTuple

from pm_orchestrator.domain.text import Sentence


class Objected(NamedTuple):
    """Why something is not COMPLETE, and the one thing to do about it.

    A cure names commands as a shell takes them, between backticks; `{task}` is the task, and
    `{which}`, `{minutes}` and `{more}` are what fails, the time and the limit that would do.
    """

    why: Sentence
    cure: Sentence
    in_company: Sentence | None = None
    """The cure where several agents worked, if it is another one."""
