"""Questions about the commits of one repository, asked without running anything of its owner."""

import os
from collections.abc import Iterable
from pathlib import Path

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.adapters.git.refs import OBJECT_ID
from pm_orchestrator.adapters.git.trees import printable_path
from pm_orchestrator.domain.judging.effect import Refs

TREES = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv")


class AskedGit:
    """Git in a project directory, which may be a part of its repository."""

    def __init__(self, git: Git, project: Path) -> None:
        self._git = git
        self._project = project

    async def ask(self, *arguments: str, stdin: bytes = b"") -> bytes | None:
        """What git prints; None where it says no."""
        shown = await self._git.run(
            self._project, *arguments, accept=(0, 1, 128), settings=ANY_OWNER, stdin=stdin
        )
        return shown.stdout if shown.exit_code == 0 else None

    async def commit(self, name: str) -> str | None:
        """The commit that a name or an id stands for."""
        shown = await self.ask("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        found = (shown or b"").decode("ascii", "replace").strip()
        return found if OBJECT_ID.fullmatch(found) else None

    async def merge_base(self, one: str, other: str) -> str | None:
        """The last commit that both have; None where there is none."""
        shown = await self.ask("merge-base", one, other)
        return shown.decode("ascii").strip() if shown else None

    async def holds(self, tip: str, holder: str) -> bool:
        """Whether a commit is the other one or part of its history."""
        return await self.ask("merge-base", "--is-ancestor", tip, holder) is not None

    async def differing(self, one: str, other: str, *, relative: bool = False) -> set[str]:
        """Files that two commits do not have in common, from the top of the repository."""
        within = ("--relative",) if relative else ()
        return printed_paths(await self.ask(*TREES, *within, one, other))

    async def lost(self, before: str, after: str) -> frozenset[str]:
        """Files with work that led to one commit and of which nothing is in the other."""
        base = await self.merge_base(before, after)
        if base is None:
            return frozenset()
        return frozenset(await self.differing(base, before) - await self.differing(base, after))

    async def fewer(self, before: str, after: str) -> bool:
        """Whether what came to a history is less than what went from it."""
        sides = await self.ask("rev-list", "--left-right", "--count", f"{before}...{after}")
        went, came = map(int, (sides or b"0 0").split())
        return came < went

    async def message(self, commit: str | None) -> str:
        """What a commit says."""
        said = await self.ask("log", "-1", "--format=%B", commit or "HEAD", "--")
        return (said or b"").decode("utf-8", "replace").strip()

    async def log(self, tips: Iterable[str], since: Refs, *arguments: str) -> list[bytes]:
        """What `git log` says, piece by piece, of commits that no ref led to before."""
        shown = await self.ask("log", "-z", "--stdin", *arguments, stdin=only_new(tips, since))
        return [piece for piece in (shown or b"").split(b"\0") if piece.strip()]


def only_new(tips: Iterable[str], since: Refs) -> bytes:
    """Revisions as git reads them: all that leads to `tips` and to nothing of before."""
    old = dict.fromkeys((since.head, *since.branches.values(), *since.tags.values()))
    return "\n".join([*tips, *(f"^{commit}" for commit in old if commit), ""]).encode()


def printed_paths(shown: bytes | None) -> set[str]:
    """Paths that git has printed, each with a zero byte at its end."""
    return {printable_path(os.fsdecode(name)) for name in (shown or b"").split(b"\0") if name}
