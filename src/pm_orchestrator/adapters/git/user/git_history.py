"""Refs and commits of the user's repository, asked without running anything of theirs."""

import os
from collections.abc import Iterable
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.adapters.git.refs import OBJECT_ID
from pm_orchestrator.adapters.git.trees import printable_path
from pm_orchestrator.adapters.git.user.uncommitted import uncommitted_paths
from pm_orchestrator.domain.judging.effect import Recorded, Refs
from pm_orchestrator.ports.commit_history import CommitHistory

HEADS, TAGS = "refs/heads/", "refs/tags/"
FORMAT = "--format=%(refname) %(objectname) %(*objectname)"
MOST_TIPS = 50
"""Branches whose new commits are looked at."""


class GitHistory(CommitHistory):
    """Asks git in the project directory, which may be a part of its repository."""

    def __init__(self, git: Git) -> None:
        self._git = git

    @override
    async def refs(self, project: Path) -> Refs | None:
        shown = await self._ask(project, "for-each-ref", FORMAT, HEADS, TAGS)
        if shown is None:
            return None
        branches: dict[str, str] = {}
        tags: dict[str, str] = {}
        for line in shown.decode("utf-8", "replace").splitlines():
            name, *commits = line.split(" ")
            # A tag with a message names its commit in the second place.
            commit = next((c for c in reversed(commits) if c), "")
            if name.startswith(HEADS):
                branches[name.removeprefix(HEADS)] = commit
            else:
                tags[name.removeprefix(TAGS)] = commit
        head = await self._ask(project, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        found = (head or b"").decode("ascii", "replace").strip()
        return Refs(
            head=found if OBJECT_ID.fullmatch(found) else None, branches=branches, tags=tags
        )

    @override
    async def recorded(
        self, project: Path, since: Refs, branches: Iterable[str]
    ) -> Recorded | None:
        now = await self.refs(project)
        if now is None:
            return None
        moved = [tip for name, tip in now.branches.items() if since.branches.get(name) != tip]
        tips = dict.fromkeys(t for t in (now.head, *moved) if t and t != since.head)
        committed: set[str] = set()
        for tip in list(tips)[:MOST_TIPS]:
            committed |= await self._changed(project, since.head, tip)
        merged = {name for name in branches if await self._is_merged(project, name, since, now)}
        prefix = (await self._ask(project, "rev-parse", "--show-prefix") or b"").decode().strip()
        amended = await self._is_amended(project, since, now)
        left = await uncommitted_paths(self._git, project) or ()
        return Recorded(
            refs=now,
            committed=frozenset(committed),
            uncommitted=frozenset(
                printable_path(p.removeprefix(prefix)) for p in left if p.startswith(prefix)
            ),
            merged=frozenset(merged),
            amended=amended,
            message=await self._new_message(project, since, now) if amended else "",
        )

    async def _is_amended(self, project: Path, since: Refs, now: Refs) -> bool:
        if since.head is None or now.head is None or now.head == since.head:
            return False
        return not await self._holds(project, since.head, now.head)

    async def _new_message(self, project: Path, since: Refs, now: Refs) -> str:
        """What HEAD says now; nothing where the commit before it said the same."""
        was, says = [await self._message(project, head) for head in (since.head, now.head)]
        return "" if says == was else says

    async def _message(self, project: Path, commit: str | None) -> str:
        said = await self._ask(project, "log", "-1", "--format=%B", commit or "HEAD", "--")
        return (said or b"").decode("utf-8", "replace").strip()

    async def _changed(self, project: Path, base: str | None, tip: str) -> set[str]:
        if base is None:
            shown = await self._ask(project, "ls-tree", "-r", "-z", "--name-only", tip)
        else:
            shown = await self._ask(
                project, "diff-tree", "-r", "-z", "--name-only", "--relative", "--no-renames",
                "--no-ext-diff", "--no-textconv", base, tip,
            )  # fmt: skip
        names = (os.fsdecode(name) for name in (shown or b"").split(b"\0") if name)
        return {printable_path(name) for name in names}

    async def _is_merged(self, project: Path, branch: str, since: Refs, now: Refs) -> bool:
        tip = now.branches.get(branch) or since.branches.get(branch)
        if tip is None:
            return False
        others = {name: at for name, at in now.branches.items() if name != branch}
        moved = [at for name, at in others.items() if since.branches.get(name) != at]
        # Who only went over to the branch has merged nothing.
        here = None if now.head == tip else now.head
        for holder in dict.fromkeys((*moved[:MOST_TIPS], here)):
            if holder is not None and await self._holds(project, tip, holder):
                return True
        return False

    async def _holds(self, project: Path, tip: str, holder: str) -> bool:
        asked = await self._ask(project, "merge-base", "--is-ancestor", tip, holder)
        return asked is not None

    async def _ask(self, project: Path, *arguments: str) -> bytes | None:
        """What git prints; None where it says no."""
        shown = await self._git.run(project, *arguments, accept=(0, 1, 128), settings=ANY_OWNER)
        return shown.stdout if shown.exit_code == 0 else None
