"""What an instruction asks for besides the content of a file, and what was found of it.

A directory, a mode, a link, a commit, a branch, a tag or a merge leaves nothing in a file, so
each is asked for and seen by itself.
"""

from typing import Literal

import msgspec
from msgspec import field

from pm_orchestrator.domain.record import Record

EffectKind = Literal[
    "written",
    "moved",
    "directory",
    "gone",
    "executable",
    "linked",
    "committed",
    "branched",
    "switched",
    "tagged",
    "merged",
    "branch_gone",
    "tag_gone",
    "reworded",
    "amended",
    "squashed",
    "picked",
    "reverted",
    "untracked",
]
IN_HISTORY: frozenset[EffectKind] = frozenset(
    {
        "committed",
        "branched",
        "switched",
        "tagged",
        "merged",
        "branch_gone",
        "tag_gone",
        "reworded",
        "amended",
        "squashed",
        "picked",
        "reverted",
        "untracked",
    }
)
"""Seen in the repository and not in the tree."""

INTO: dict[EffectKind, str] = {"merged": "into", "branch_gone": "merged into"}
BY_MESSAGE = ":/"
"""Ahead of what a commit says, where that is its name."""


class Effect(Record, frozen=True, kw_only=True):
    """One thing that has to be so afterwards."""

    kind: EffectKind
    name: str = ""
    """A path, a ref or a commit's message; for `linked` several, of which one is the link.

    For a ref or a message none means that any will do. A path of scripts ends with a slash.
    """
    source: str = ""
    """Where something was moved from, or what a branch was called before."""
    at: str = ""
    """Where a ref was to begin or to point, or what a merge goes into; as git says it.

    For branches that are to go because they are merged, what holds them.
    """
    only: tuple[str, ...] = ()
    """All that a commit may hold, where that was said."""
    takes: tuple[str, ...] = ()
    """Files whose changes a commit is to hold, whatever else is in it."""
    never: tuple[str, ...] = ()
    """Files that no commit may hold."""

    def say(self) -> str:
        """In a few words, as it is named in a reason."""
        name, at = (text.removeprefix(BY_MESSAGE) for text in (self.name, self.at))
        words = [self.kind.replace("_", " "), f"{self.source} → {name}" if self.source else name]
        if at:
            words.append(f"{INTO.get(self.kind, 'at')} {at}")
        if self.only:
            words.append(f"only {', '.join(self.only)}")
        if self.takes:
            words.append(", ".join(self.takes))
        if self.never:
            words.append(f"without {', '.join(self.never)}")
        return " ".join(filter(None, words))


class Refs(Record, frozen=True, kw_only=True):
    """Branches, tags and HEAD at one moment."""

    head: str | None = None
    on: str | None = None
    """The branch that is checked out, where one is and somebody asked."""
    branches: dict[str, str] = field(default_factory=dict[str, str])
    tags: dict[str, str] = field(default_factory=dict[str, str])


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """What the history holds after the work."""

    refs: Refs
    committed: frozenset[str] = frozenset()
    """Files that new commits changed and that are as they are there."""
    touched: frozenset[str] | None = None
    """Every file that a new commit changed, whatever became of it; None where nobody asked."""
    uncommitted: frozenset[str] = frozenset()
    """Of the files that the work changed, those whose change is in no commit."""
    merged: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Merged branches, each with the files it alone had changed that are as if it were not."""
    elsewhere: frozenset[str] = frozenset()
    """New refs that were to begin or to point somewhere, and do so somewhere else."""
    unswept: frozenset[str] = frozenset()
    """Where merged branches were to go: those that stayed, and others that went with them."""
    messages: tuple[str, ...] | None = None
    """What the new commits say; None where nobody can tell which those are."""
    amended: bool = False
    """The commit that was HEAD is no longer part of its history."""
    fewer: bool = False
    """The commits that took the place of others are fewer than those."""
    unpicked: frozenset[Effect] = frozenset()
    """Of the commits that were to be brought over or taken back, those that were not."""
    unknown: frozenset[Effect] = frozenset()
    """Of those the ones that there never were."""
    tracked: frozenset[str] = frozenset()
    """Files of which git was to let go, and that it still holds."""
    lost: frozenset[str] = frozenset()
    """Files with work in commits to which nothing leads any more, and that are without it."""
    dropped: frozenset[str] = frozenset()
    """Files that those others had changed, and that are as if they had not."""
    message: str = ""
    """What the commit at HEAD says, where that is not what the one from before said."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What stands under a name."""

    kind: Literal["nothing", "file", "directory", "link"] = "nothing"
    executable: bool = False
    leads: bool = False
    """For a link, whether it leads to something."""
    hollow: bool = False
    """For a file, whether it has a size and nothing was ever written to it."""
