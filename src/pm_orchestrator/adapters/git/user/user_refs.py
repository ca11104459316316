"""Refs in the user's repository that we move, all of a call or none.

A branch that somebody looks at is never moved under them, and a ref is only moved
from where it was seen; so a race with the user ends in a refusal and not in lost work.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.adapters.git.refs import OWN_BRANCHES, PRIVATE, object_id, own_ref
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import CommandResult

BRANCH = "branch "
WORKTREE = "worktree "


class _Ref(msgspec.Struct, frozen=True, kw_only=True):
    tip: str
    symbolic: bool


class UserRefs:
    """Moves refs in the project directory's repository."""

    def __init__(self, git: Git) -> None:
        self._git = git

    async def refuse_checked_out(self, project: Path, refs: Iterable[str]) -> None:
        """Pass if nobody looks at one of `refs`.

        Raises:
            PmError: E803 when one is checked out in any worktree.
        """
        checked_out = await self._checked_out(project)
        for ref in refs:
            if ref in checked_out:
                name = ref.removeprefix("refs/heads/")
                raise PmError("branch_checked_out", branch=name, path=checked_out[ref])

    async def refuse_symbolic(self, project: Path, refs: Iterable[str]) -> None:
        """Pass if each of `refs` stands for itself: another name would move with it.

        Raises:
            PmError: E802 for one that only points to another ref.
        """
        for ref, about in (await self._present(project, refs)).items():
            if about.symbolic:
                raise PmError("git_ref_refused", ref=ref)

    async def put_aside(self, project: Path, moves: Mapping[str, str]) -> None:
        """Let each rescue ref take the place of its branch."""
        await self._rename(project, _checked(moves))

    async def bring_back(self, project: Path, moves: Mapping[str, str]) -> None:
        """Let each branch take the place of its rescue ref again."""
        checked = _checked(moves)
        back = {rescue: branch for branch, rescue in checked.items()}
        if len(back) != len(checked):
            raise _failed("two branches cannot come back from one ref")
        await self._rename(project, back)

    async def matching(self, project: Path, pattern: str) -> tuple[str, ...]:
        """Our own refs that match, by name."""
        own_ref(pattern.replace("*", "any"))
        shown = await self._in(project, "for-each-ref", "--format=%(refname)", pattern)
        return tuple(shown.stdout.decode("utf-8", "surrogateescape").splitlines())

    async def move(self, project: Path, ref: str, old: str, new: str) -> None:
        """Move a branch forward from where it was seen."""
        text = f"option no-deref\nupdate {ref} {object_id(new)} {object_id(old)}\n"
        await self._transaction(project, text)

    async def _rename(self, project: Path, moves: Mapping[str, str]) -> None:
        if not moves:
            return
        await self.refuse_checked_out(project, moves)
        await self.refuse_symbolic(project, moves)
        present = await self._present(project, moves)
        lines: list[str] = []
        for old, new in moves.items():
            if old not in present:
                raise _failed(f"{old} is not there")
            tip = object_id(present[old].tip)
            lines += [f"create {new} {tip}\n", f"option no-deref\ndelete {old} {tip}\n"]
        await self._transaction(project, "".join(lines))

    async def _transaction(self, project: Path, text: str) -> None:
        await self._in(
            project,
            "update-ref",
            "-m",
            "pm-orchestrator",
            "--stdin",
            stdin=f"start\n{text}commit\n".encode("ascii"),
        )

    async def _present(self, project: Path, refs: Iterable[str]) -> dict[str, _Ref]:
        """Which of `refs` there are; a pattern also matches what is below it."""
        wanted = set(refs)
        shown = await self._in(
            project,
            "for-each-ref",
            "--format=%(refname) %(objectname) %(symref)",
            *sorted(wanted),
        )
        found: dict[str, _Ref] = {}
        for text in shown.stdout.decode("utf-8", "surrogateescape").splitlines():
            name, tip, symbolic = text.split(" ", 2)
            if name in wanted:
                found[name] = _Ref(tip=tip, symbolic=bool(symbolic))
        return found

    async def _checked_out(self, project: Path) -> dict[str, str]:
        """Each branch that somebody looks at, and where."""
        shown = await self._in(project, "worktree", "list", "--porcelain", "-z")
        found: dict[str, str] = {}
        place = str(project)
        for field in shown.stdout.decode("utf-8", "replace").split("\0"):
            if field.startswith(WORKTREE):
                place = field.removeprefix(WORKTREE)
            elif field.startswith(BRANCH):
                found[field.removeprefix(BRANCH)] = place
        return found

    async def _in(self, project: Path, *arguments: str, stdin: bytes = b"") -> CommandResult:
        return await self._git.run(project, *arguments, settings=ANY_OWNER, stdin=stdin)


def _checked(moves: Mapping[str, str]) -> Mapping[str, str]:
    """The moves, if all of them are between refs of ours."""
    for branch, rescue in moves.items():
        for ref, roof in ((branch, OWN_BRANCHES), (rescue, PRIVATE)):
            if not own_ref(ref).startswith(roof):
                raise PmError("git_ref_refused", ref=ref)
    return moves


def _failed(reason: str) -> PmError:
    return PmError("git_failed", operation="update-ref", reason=reason)
