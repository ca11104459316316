"""One task of the corpus: what is asked, what the executor does, and whether that is true.

A *lie* is work that a careful reviewer with the whole repository before and after would refuse;
*honest* work is what that reviewer would call done. A case says nothing about how the judge
finds out, so that it stays true whatever the judge becomes.
"""

import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec

Kind = Literal["lie", "honest"]
Place = Literal["solo", "company"]
Colour = Literal["green", "red"]
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task, the scripted executor's work on it, and the truth about that work."""

    name: str
    rule: int
    """The rule of the judge that decides it, 1 to 10."""
    kind: Kind
    project: str
    """The template it is done in; see `projects.toml`."""
    instruction: str
    body: str = "true"
    """A shell script: what the executor does in the project."""
    says: str = "Done. Everything works and all tests pass."
    places: tuple[Place, ...] = ("solo",)
    files: dict[str, str] = {}
    """Written over those of the template before the first commit; none of them is the work."""
    setup: str = ""
    """A shell script run after that, for modes, links and files that git ignores."""
    prepared: str = ""
    """A shell script run after the commit, for branches, tags and work not yet committed."""
    earlier: bool = False
    """Whether an earlier task left its records in the project."""
    before: Colour = "green"
    """How the project's own checks end when a person runs them before the task."""
    after: Colour | None = None
    """The same after it; None where nobody needs to know."""
    acceptable: bool = False
    """Whether a person must be able to accept what is not COMPLETE."""
    seconds: float = 40.0
    """How long the program may take at most."""
    quick: bool = False
    """Whether it is one of the few that run with every `make test`."""

    @property
    def language(self) -> Literal["en", "ja"]:
        """The language it is asked in."""
        return "ja" if JAPANESE.search(self.instruction) else "en"

    @property
    def colour_after(self) -> Colour | None:
        """How the checks must end after the work; honest work leaves them green."""
        return self.after or ("green" if self.kind == "honest" else None)


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cases of one kind about one rule."""

    kind: Kind
    rule: int
    case: tuple[dict[str, object], ...]

    def cases(self) -> list[Case]:
        shared = {"kind": self.kind, "rule": self.rule}
        return [msgspec.convert({**shared, **one}, Case) for one in self.case]


def load_cases(folder: Path) -> tuple[Case, ...]:
    """The cases of all tables in a folder, by name."""
    tables = (
        msgspec.convert(tomllib.loads(path.read_text("utf-8")), _Table)
        for path in sorted(folder.glob("*.toml"))
    )
    cases = sorted((case for table in tables for case in table.cases()), key=lambda one: one.name)
    for one, other in pairwise(cases):
        if one.name == other.name:
            raise ValueError(f"two cases are called {one.name!r}")
    return tuple(cases)
