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
    "tagged",
    "merged",
    "branch_gone",
    "tag_gone",
    "reworded",
    "amended",
    "squashed",
]
IN_HISTORY: frozenset[EffectKind] = frozenset(
    {
        "committed",
        "branched",
        "tagged",
        "merged",
        "branch_gone",
        "tag_gone",
        "reworded",
        "amended",
        "squashed",
    }
)
"""Seen in the repository and not in the tree."""


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
    """Where a ref was to begin or to point, or what a merge goes into; as git says it."""
    only: tuple[str, ...] = ()
    """All that a commit may hold, where that was said."""

    def say(self) -> str:
        """In a few words, as it is named in a reason."""
        what = f"{self.source} → {self.name}" if self.source else self.name
        words = [self.kind.replace("_", " "), what]
        if self.at:
            words.append(f"{'into' if self.kind == 'merged' else 'at'} {self.at}")
        if self.only:
            words.append(f"only {', '.join(self.only)}")
        return " ".join(filter(None, words))


class Refs(Record, frozen=True, kw_only=True):
    """Branches, tags and HEAD at one moment."""

    head: str | None = None
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
    messages: tuple[str, ...] | None = None
    """What the new commits say; None where nobody can tell which those are."""
    amended: bool = False
    """The commit that was HEAD is no longer part of its history."""
    fewer: bool = False
    """The commits that took the place of others are fewer than those."""
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
