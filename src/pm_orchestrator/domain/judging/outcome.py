"""Claims and outcomes, kept apart by type.

An executor says an `ExecutorClaim`; the Runner finds `Facts`; only
`gates/judge/completion.py` turns facts into a `VerifiedOutcome`.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import field

from pm_orchestrator.domain.catalogue.reasons import known_reason, reason_text
from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.domain.judging.gate import GateKind, GateReport
from pm_orchestrator.domain.judging.quality import BaseComparison, Dilution
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import LimitViolation
from pm_orchestrator.domain.text import Lang

ChangeKind = Literal["created", "modified", "deleted", "renamed"]
ClaimKind = Literal["finished", "gave_up", "failed", "blocked"]


class FileChange(Record, frozen=True, kw_only=True):
    """A difference the Runner saw between two trees."""

    path: str
    kind: ChangeKind
    size: int
    """Bytes afterwards; 0 for a deletion."""
    previous_path: str | None = None
    sha256: str | None = None
    """Of what is in it afterwards, where the look read it: not of a link, nor of a huge file."""


def gone_files(changes: Iterable[FileChange]) -> set[str]:
    """Files that are no longer where they were: deleted, or moved away."""
    return {
        change.previous_path if change.kind == "renamed" and change.previous_path else change.path
        for change in changes
        if change.kind in {"deleted", "renamed"}
    }


def rightly_gone(changes: Iterable[FileChange], expected: Iterable[str]) -> set[str]:
    """Files that need not be there any more: gone, and not the very thing to be worked on.

    A file that the task is about may go when its content went into another such file, as
    in a conversion; to delete the one file that was to be updated is no update.
    """
    done = tuple(changes)
    gone, wanted = gone_files(done), set(expected)
    elsewhere = any(c.path in wanted for c in done if c.kind != "deleted")
    return gone if elsewhere else gone - wanted


LISTED_CHANGES = 1_000
"""Changes that records name one by one; of a flood the rest is only counted."""


def listed(changes: tuple[FileChange, ...], first: Iterable[str]) -> tuple[FileChange, ...]:
    """As many changes as records name: the files `first`, then old files, then new ones."""
    if len(changes) <= LISTED_CHANGES:
        return changes
    wanted = frozenset(first)
    ranked = sorted(changes, key=lambda c: (c.path not in wanted, c.kind == "created", c.path))
    return tuple(sorted(ranked[:LISTED_CHANGES], key=lambda c: c.path))


class CommitInfo(Record, frozen=True, kw_only=True):
    """A commit on an agent's branch."""

    sha: str
    subject: str


class ExecutorClaim(Record, frozen=True, kw_only=True):
    """What an executor says it did. Kept and shown; never believed."""

    kind: ClaimKind
    summary: str
    claimed_files: tuple[str, ...] = ()
    turns: int = 0
    tokens: int = 0


class Reason(Record, frozen=True, kw_only=True):
    """A sentence to be: a key of `domain/catalogue/reasons.py` with its parameters."""

    key: str
    params: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known_reason(self.key)

    def say(self, lang: Lang = "en") -> str:
        return reason_text(self.key, self.params, lang)


class Facts(Record, frozen=True, kw_only=True):
    """What the Runner itself established about one piece of work."""

    commit: str | None
    """The delivered commit, or None when nothing new was delivered."""
    changes: tuple[FileChange, ...]
    expected_files: tuple[str, ...]
    missing_files: tuple[str, ...]
    """Expected or claimed files that are not in the delivered tree."""
    gates: GateReport | None
    missing_evidence: tuple[str, ...] = ()
    """Operations of this work that have no intact evidence record."""
    altered_gates: tuple[str, ...] = ()
    """Files that define a gate and were changed although the task does not name them."""
    may_be_empty: tuple[str, ...] = ()
    """Expected files that the instruction itself asks to be empty."""
    budget_seconds: int | None = None
    """The time it had, where the Runner stopped it because that was over."""
    answer_size: int | None = None
    """Bytes of the stored answer, for a task whose product is an answer and not a change."""
    files_to_go: tuple[str, ...] = ()
    """Files that were to be deleted or moved."""
    left_alone: tuple[str, ...] = ()
    """Those of them that are as they were."""
    asked_gates: tuple[GateKind, ...] = ()
    """Checks whose run is what was asked for: each of them has to pass."""
    comparisons: tuple[BaseComparison, ...] = ()
    """Red gates beside the same gates on the tree from before the task."""
    dilution: tuple[Dilution, ...] = ()
    """Checks that are weaker than before the task."""
    violations: tuple[LimitViolation, ...] = ()
    """Limits that the work overran."""
    gate_changes: tuple[str, ...] = ()
    """Files that a gate changed and that could not be put back: another tree was judged."""
    unlisted_changes: int = 0
    """Changes that are not among `changes`, because there were too many to name."""
    files_to_change: tuple[str, ...] = ()
    """Files that the task is about."""
    unchanged_files: tuple[str, ...] = ()
    """Those of them that are as they were."""
    secrets: tuple[str, ...] = ()
    """Keys that the work puts into files: where and of which kind, never the key."""
    blank_files: tuple[str, ...] = ()
    """Changed files in which nobody can see anything: spaces, or invisible characters."""
    only_words: tuple[str, ...] = ()
    """Code in which only comments or layout changed, where more was asked and nothing else done."""
    effects: tuple[Effect, ...] = ()
    """Work that no file shows: a commit, a ref, a directory that was asked for and is there."""
    unmet: tuple[Effect, ...] = ()
    """What was asked for besides the content of files, and is not so."""
    shortfalls: tuple[Reason, ...] = ()
    """What was stated of the content of files, and is not so."""
    unsure: bool = False
    """The words do not say whether a change or an answer was wanted."""
    accepted: tuple[str, ...] = ()
    """What a person accepted: gates by name, or a name of `gates/judge/acceptable.py`."""
    words: int = 0
    """Bytes of what was said where nothing was changed: no proof, but something to accept."""
    left_out: dict[str, Reason] = field(default_factory=dict)
    """Parts of the task that are not in it, by ticket."""


class VerifiedOutcome(Record, frozen=True, kw_only=True):
    """The Runner's verdict with its reason; built in one place only."""

    status: TaskStatus
    reason_key: str
    """A key of `domain/catalogue/reasons.py`."""
    reason_params: dict[str, str]
    facts: Facts

    def __post_init__(self) -> None:
        known_reason(self.reason_key)

    def reason(self, lang: Lang = "en") -> str:
        """Why it is this status, in one sentence."""
        return reason_text(self.reason_key, self.reason_params, lang)

    def because(self) -> Reason:
        """The reason by itself, to be carried on."""
        return Reason(key=self.reason_key, params=self.reason_params)
