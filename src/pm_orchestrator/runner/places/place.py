"""The contract of a place: what the one run asks of wherever the work is done.

What was there before, do this attempt, what is there now, run this gate on it and on what
was there before, deliver it, put it aside. Nobody behind it judges anything: a place
reports, and the judge builds the facts.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.judging.effect import Effect, Recorded, Refs, Standing
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.judging.outcome import CommitInfo, FileChange, Reason
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.ports.repository import MergeResult

if TYPE_CHECKING:
    from pm_orchestrator.gates.detect.setup_recipes import SetupRecipe


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What is there after the work, beside what was there before."""

    tree: str
    """One name for everything that is there now."""
    changes: tuple[FileChange, ...]
    """All of them, however many."""
    absent: frozenset[str]
    """Of the files that were asked for, those that hold nothing."""
    comparable: bool = True
    """Whether contents from before can be read; False where they could not be kept."""
    findings: tuple[OddFinding, ...] = ()
    unknown_before: tuple[str, ...] = ()
    """Ignored files that changed, and nobody knows from what."""
    nested: tuple[str, ...] = ()
    """Folders with a repository of their own."""
    ignored_changes: tuple[FileChange, ...] = ()
    """What was done to files that version control leaves out, as far as a gate can read them:
    ignored files, and what tools have installed (changed, or new and loaded unasked)."""


class Delivered(Record, frozen=True, kw_only=True):
    """Where the work is now, for whoever wants it."""

    branch: str | None = None
    kept_refs: tuple[str, ...] = ()
    """Work that is not in the result, and where it was saved."""
    left_to_do: tuple[Reason, ...] = ()
    """What could not be done and can be repeated."""


class OnBase(msgspec.Struct, frozen=True, kw_only=True):
    """A gate on the tree from before the task."""

    result: CommandResult | None
    """None where it could not be run there, or might have judged another tree."""
    why: str = ""
    """Why there is none."""
    project: str = ""
    """How the delivered tree's own path shows in outputs, and that of the base."""
    base_project: str = ""


class TreeEdit(msgspec.Struct, frozen=True, kw_only=True):
    """A tree that nobody delivered, by how it differs from the delivered one."""

    taken_back: tuple[FileChange, ...] = ()
    """Changes of the task that are not in it; those of ignored files may be among them."""
    contents: Mapping[str, bytes] = msgspec.field(default_factory=dict[str, bytes])
    """Files that hold something else in it."""


def names_below(paths: Iterable[str], folder: str) -> tuple[str, ...]:
    """The names in a folder, by the paths of all files; folders with a slash at the end."""
    below = (path.removeprefix(folder) for path in paths if path.startswith(folder))
    parts = (path.partition("/") for path in below)
    return tuple(sorted({name + slash for name, slash, _ in parts}))


class Judged(Protocol):
    """One tree while gates are run on it."""

    async def run(self, gate: Gate) -> CommandResult: ...

    async def run_on_base(self, gate: Gate) -> OnBase: ...

    async def run_edited(self, gate: Gate, edit: TreeEdit) -> CommandResult | None:
        """The gate on another tree, with nothing of it left; None where it cannot be had."""
        ...

    async def files(self) -> tuple[str, ...]:
        """Paths of the files in the delivered tree."""
        ...

    def needs_leavings(self, gate: Gate) -> bool:
        """Whether it was green only by what the work left behind and git ignores."""
        return False

    async def tidy(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Undo what the gates did to the tree: what could not be undone, and what was done."""
        ...


class Place(Protocol):
    """Where one task is worked on."""

    @property
    def splits(self) -> bool:
        """Whether several may work at once, each apart from the others."""
        ...

    @property
    def executor(self) -> str:
        """Who works here, for the records."""
        ...

    @property
    def unbuilt(self) -> "SetupRecipe | None":
        """How what the project's lock files ask for would be installed, where gates lack it."""
        return None

    async def open(self) -> None:
        """Make what was there before readable; nothing is saved or changed yet."""
        ...

    async def read_base(self, path: str) -> bytes | None:
        """A file as it was before the task; None where there was none."""
        ...

    async def exists(self, path: str) -> bool:
        """Whether anything of that name was there before the task."""
        ...

    async def listing(self) -> tuple[str, ...]:
        """Paths of the files that were there before the task."""
        ...

    async def names_in(self, folder: str) -> tuple[str, ...]:
        """What was in a folder before the task, folders with a slash at the end.

        `folder` is the project itself where it is empty, and ends with a slash otherwise.
        """
        ...

    async def can_run(self, argv: tuple[str, ...]) -> bool:
        """Whether a gate's program is to be had here, and the module it is to run."""
        ...

    async def refs(self) -> Refs | None:
        """The history before the task; None where there is no repository."""
        ...

    async def begin(self, named: tuple[str, ...]) -> tuple[OddFinding, ...]:
        """See and save what is there, before anybody writes."""
        ...

    async def attempt(self, assignment: Assignment) -> AttemptResult:
        """Have it done. What comes back is a claim."""
        ...

    def named(self, path: str) -> str:
        """A path as an executor gives it, relative to the tree."""
        ...

    async def look(
        self, tree: str | None, wanted: tuple[str, ...], modes: tuple[str, ...] = ()
    ) -> Seen:
        """What is there now; `tree` names what was delivered where there may be several.

        A file among `modes` has changed, too, when it only became executable, or ceased to be.
        """
        ...

    async def standing(self, seen: Seen, path: str) -> Standing:
        """What stands under a name in the delivered tree."""
        ...

    async def recorded(self, seen: Seen, since: Refs, asked: tuple[Effect, ...]) -> Recorded | None:
        """What the history holds now, as far as `asked` wants to know."""
        ...

    async def commits(self, tree: str | None) -> tuple[CommitInfo, ...]:
        """The commits that made a delivered tree, oldest first."""
        ...

    async def read_now(self, seen: Seen, path: str) -> bytes | None:
        """A file of the delivered tree; None for what is not there or is no plain file."""
        ...

    async def read_some(self, seen: Seen, paths: Sequence[str], limit: int) -> dict[str, bytes]:
        """Files of the delivered tree in one go, those with more than `limit` bytes left out."""
        ...

    async def judged(self, seen: Seen) -> Judged: ...

    async def written_since(self, seen: Seen) -> tuple[OddFinding, ...]:
        """What changed in the tree after it was looked at."""
        ...

    async def merge(self, into: str, commit: str, sub_task: SubTask) -> MergeResult:
        """Bring one sub-task's tree into another; only where `splits`."""
        ...

    async def deliver(self, tree: str | None, *, complete: bool) -> Delivered:
        """Bring the judged tree to where the user finds it; can be repeated."""
        ...

    async def put_aside(self) -> tuple[str, ...]:
        """Keep everything that was made, whatever became of the run; refs of what was kept."""
        ...
