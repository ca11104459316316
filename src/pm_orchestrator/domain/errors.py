"""The error tree: what went wrong, and what may happen next.

Every error a person can meet has a slug in `domain/catalogue/error_texts.py`, which
gives its code, its sentence and its cure in both languages. The class says what
the caller may do: stop (the default), try again, ask a person, or wait until one allows more.
"""

from typing import TYPE_CHECKING, Literal

from typing_extensions import override

from pm_orchestrator.domain.text import Lang

if TYPE_CHECKING:
    from pm_orchestrator.domain.catalogue.error_text import ErrorText

NextStep = Literal["stop", "retry", "ask", "allow"]


class PmError(Exception):
    """An error with a code and a cure; the run it happens in stops."""

    next_step: NextStep = "stop"

    def __init__(self, slug: str, /, **params: object) -> None:
        self.slug = slug
        self.params = params
        self.code = _text(slug).code
        super().__init__(slug, params)

    @property
    def is_unfinished(self) -> bool:
        """Nothing went wrong: the work waits for a person."""
        return self.next_step in {"ask", "allow"}

    def what(self, lang: Lang = "en") -> str:
        """What happened, in one sentence."""
        return _text(self.slug).what(lang).format_map(self.params)

    def hint(self, lang: Lang = "en") -> str:
        """What to do about it."""
        return _text(self.slug).hint(lang).format_map(self.params)

    @override
    def __str__(self) -> str:
        return f"{self.code}: {self.what()}"


def _text(slug: str) -> "ErrorText":
    # Most calls of the program end without an error, and need no text of one.
    from pm_orchestrator.domain.catalogue.error_texts import ERRORS

    return ERRORS[slug]


class RetryableError(PmError):
    """The same call may succeed later: a busy provider, a lost connection."""

    next_step = "retry"


class NeedsPersonError(PmError):
    """Only a person can decide; the work is kept until they do."""

    next_step = "ask"


class CapReachedError(PmError):
    """More may not be spent; the work is kept, and goes on when a person allows more."""

    next_step = "allow"


ENVIRONMENT = ("E211", "E402", "E6", "E7", "E901", "E902", "E903", "E904", "E906")
"""Codes of what the world around us lacks just now: a key, a provider, a sandbox, a disk."""


def may_pass(error: PmError) -> bool:
    """Whether the same work may succeed later without anybody changing the work."""
    passes = error.next_step in {"retry", "allow"} or error.slug == "evidence_refused"
    return passes or error.code.startswith(ENVIRONMENT)


ERROR_CLASSES: dict[NextStep, type[PmError]] = {
    "stop": PmError,
    "retry": RetryableError,
    "ask": NeedsPersonError,
    "allow": CapReachedError,
}
"""For an error that was written down and is raised again."""
