"""Refs and commits of the user's repository, asked without running anything of theirs."""

import os
from pathlib import Path
from typing import Literal

from typing_extensions import override

from pm_orchestrator.adapters.git.command import Git
from pm_orchestrator.adapters.git.trees import printable_path
from pm_orchestrator.adapters.git.user.asked_git import AskedGit, printed_paths
from pm_orchestrator.adapters.git.user.carried_commits import not_carried
from pm_orchestrator.adapters.git.user.merged_branches import (
    MOST_TIPS,
    merged_branches,
    unswept_branches,
)
from pm_orchestrator.adapters.git.user.ref_starts import standing_elsewhere
from pm_orchestrator.adapters.git.user.uncommitted import uncommitted_paths
from pm_orchestrator.domain.judging.effect import Effect, Recorded, Refs
from pm_orchestrator.ports.commit_history import CommitHistory

HEADS, TAGS = "refs/heads/", "refs/tags/"
FORMAT = "--format=%(refname) %(objectname) %(*objectname)"


class GitHistory(CommitHistory):
    """Asks git in the project directory, which may be a part of its repository."""

    def __init__(self, git: Git) -> None:
        self._git = git

    @override
    async def refs(self, project: Path) -> Refs | None:
        git = AskedGit(self._git, project)
        shown = await git.ask("for-each-ref", FORMAT, HEADS, TAGS)
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
        named = await git.ask("symbolic-ref", "--quiet", "--short", "HEAD")
        return Refs(
            head=await git.commit("HEAD"),
            on=None if named is None else named.decode("utf-8", "replace").strip(),
            branches=branches,
            tags=tags,
        )

    @override
    async def recorded(
        self, project: Path, since: Refs, asked: tuple[Effect, ...]
    ) -> Recorded | None:
        now = await self.refs(project)
        if now is None:
            return None
        git = AskedGit(self._git, project)
        moved = [tip for name, tip in now.branches.items() if since.branches.get(name) != tip]
        tips = list(dict.fromkeys(t for t in (now.head, *moved) if t and t != since.head))
        committed: set[str] = set()
        for tip in tips[:MOST_TIPS]:
            committed |= await _changed(git, since.head, tip)
        prefix = (await git.ask("rev-parse", "--show-prefix") or b"").decode().strip()
        amended = await _is_amended(git, since, now)
        instead = (since.head or "", now.head or "") if amended else None
        missing, unknown = await not_carried(git, asked, since, now)
        left = await uncommitted_paths(self._git, project) or ()
        return Recorded(
            refs=now,
            committed=frozenset(committed),
            touched=await _touched(git, tips, since, prefix)
            if _wants(asked, "only") or _wants(asked, "never")
            else None,
            uncommitted=frozenset(
                printable_path(p.removeprefix(prefix)) for p in left if p.startswith(prefix)
            ),
            merged=await merged_branches(git, asked, since, now),
            unswept=await unswept_branches(git, asked, since, now),
            elsewhere=await standing_elsewhere(git, asked, since, now),
            unpicked=missing,
            unknown=unknown,
            tracked=await _tracked(git, asked),
            lost=await _lost(git, since, now),
            amended=amended,
            fewer=await git.fewer(*instead) if instead else False,
            dropped=await git.lost(*instead) if instead else frozenset(),
            message=await _new_message(git, since, now) if amended else "",
            messages=await _messages(git, tips, since) if _wants(asked, "name") else None,
        )


def _wants(asked: tuple[Effect, ...], what: Literal["name", "only", "never"]) -> bool:
    """Whether it was said what a commit is to say, or all that it may hold."""
    return any(getattr(e, what) for e in asked if e.kind in {"committed", "amended", "squashed"})


async def _tracked(git: AskedGit, asked: tuple[Effect, ...]) -> frozenset[str]:
    """Of the files that git was to let go, those in its index."""
    held: set[str] = set()
    for effect in asked:
        if effect.kind == "untracked" and await git.ask("ls-files", "-z", "--", effect.name):
            held.add(effect.name)
    return frozenset(held)


async def _lost(git: AskedGit, since: Refs, now: Refs) -> frozenset[str]:
    """Files with work that led to a ref, and that nothing holds in any form any more."""
    held = list(dict.fromkeys(c for c in (now.head, *now.branches.values()) if c))[:MOST_TIPS]
    stays = {*held, *now.tags.values()}
    found: set[str] = set()
    was = {"": since.head, **since.branches}
    gone = {name: tip for name, tip in was.items() if tip and tip not in stays}
    for name, tip in list(gone.items())[:MOST_TIPS]:
        if any([await git.holds(tip, holder) for holder in stays if holder]):
            continue
        instead = now.branches.get(name) or now.head
        if instead:
            found |= await git.lost(tip, instead)
    return frozenset(found)


async def _is_amended(git: AskedGit, since: Refs, now: Refs) -> bool:
    if since.head is None or now.head is None or now.head == since.head:
        return False
    return not await git.holds(since.head, now.head)


async def _new_message(git: AskedGit, since: Refs, now: Refs) -> str:
    """What HEAD says now; nothing where the commit before it said the same."""
    was, says = [await git.message(head) for head in (since.head, now.head)]
    return "" if says == was else says


async def _messages(git: AskedGit, tips: list[str], since: Refs) -> tuple[str, ...]:
    said = await git.log(tips, since, "--format=%B") if tips else []
    return tuple(each.decode("utf-8", "replace").strip() for each in said)


async def _touched(git: AskedGit, tips: list[str], since: Refs, prefix: str) -> frozenset[str]:
    shown = ("--format=", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv")
    named = await git.log(tips, since, *shown) if tips else []
    names = (printable_path(os.fsdecode(name.lstrip(b"\n"))) for name in named)
    # What lies outside of the project has a name that nothing in it has.
    return frozenset(
        name.removeprefix(prefix) if name.startswith(prefix) else f"/{name}" for name in names
    )


async def _changed(git: AskedGit, base: str | None, tip: str) -> set[str]:
    if base is None:
        return printed_paths(await git.ask("ls-tree", "-r", "-z", "--name-only", tip))
    return await git.differing(base, tip, relative=True)
