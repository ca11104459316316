"""What an agent made and did not deliver: everything but its own branch.

Work is lost where nobody looks for it: on another branch or tag, on a detached HEAD, in
a stash, in files that were never committed. Each is found here and gets a name of its
own. Nothing in here trusts the repository; what cannot be read is told, not raised, so
that one broken part does not take the others with it.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from itertools import count

import msgspec

from pm_orchestrator.dispatch.agent_git import ADD_ALL, TIMEOUT_S, AgentGit
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.naming import slug
from pm_orchestrator.ports.hands import Hands

UNCOMMITTED, DETACHED, MORE = "uncommitted", "detached", "more"
STASH = "refs/stash"
KINDS = {"refs/heads/": "branch", "refs/tags/": "tag", "refs/": "ref"}
NAMED_AT_MOST = 50
"""Leftovers that get names of their own; the rest are kept together, under one."""
PARENTS_AT_MOST = 400


class Leftover(msgspec.Struct, frozen=True, kw_only=True):
    """A commit worth keeping."""

    name: str
    """Safe in a ref, and no other leftover's."""
    commit: str


class Leftovers:
    """Looks through the repository of an agent that is done, or was stopped."""

    def __init__(self, hands: Hands, start: str) -> None:
        self._hands = hands
        self._git = AgentGit(hands)
        self._start = start
        self.problems: list[str] = []
        """What could not be looked at, and why."""

    async def found(self, branch: str, now: datetime) -> tuple[Leftover, ...]:
        """Everything beyond `start` and the agent's own branch, the most precious first."""
        own = await self._git.commit_of(f"refs/heads/{branch}")
        delivered = [self._start] if own is None else [self._start, own]
        names: list[tuple[str, str]] = []
        for look in (
            lambda: self._detached(),
            lambda: self._stashes(),
            lambda: self._other_refs(f"refs/heads/{branch}", delivered),
            lambda: self._uncommitted(now),
        ):
            names += await self._looked(look)
        # What was never committed is nowhere else, so it comes first.
        names.sort(key=lambda found: found[0] != UNCOMMITTED)
        if len(names) > NAMED_AT_MOST:
            rest = [commit for _, commit in names[NAMED_AT_MOST:]]
            names[NAMED_AT_MOST:] = [(MORE, await self._together(rest, now))]
        return tuple(Leftover(name=n, commit=c) for n, c in _unique(names))

    async def _looked(
        self, look: Callable[[], Awaitable[list[tuple[str, str]]]]
    ) -> list[tuple[str, str]]:
        try:
            return await look()
        except PmError as error:
            if error.slug != "git_failed":
                raise
            self.problems.append(error.what())
            return []

    async def _detached(self) -> list[tuple[str, str]]:
        head = await self._git.commit_of("HEAD")
        if head is None or not await self._git.has_more(head, self._start, "--branches", "--tags"):
            return []
        return [(DETACHED, head)]

    async def _stashes(self) -> list[tuple[str, str]]:
        if await self._git.commit_of(STASH) is None:
            return []
        listed = await self._git.must("rev-list", "--walk-reflogs", STASH)
        # A stash whose list was lost is still the newest of them.
        entries = listed.split() or [await self._git.must("rev-parse", STASH)]
        return [(f"stash-{n}", commit.strip()) for n, commit in enumerate(entries)]

    async def _other_refs(self, own: str, delivered: Sequence[str]) -> list[tuple[str, str]]:
        listed = await self._git.must(
            "for-each-ref",
            *(f"--no-merged={commit}" for commit in delivered),
            "--format=%(objecttype) %(objectname) %(refname)",
        )
        found: list[tuple[str, str]] = []
        for line in listed.splitlines():
            kind, oid, ref = line.split(" ", 2)
            commit = oid if kind == "commit" else await self._git.commit_of(oid)
            if commit is not None and ref not in {own, STASH}:
                found.append((_name_of(ref), commit))
        return found

    async def _uncommitted(self, now: datetime) -> list[tuple[str, str]]:
        """A commit of the files as they are, where they are not what HEAD says."""
        status = await self._git.run("status", "--porcelain", "--untracked-files=all")
        if status.exit_code == 0 and not status.stdout:
            return []
        # Nothing runs here any more: a lock is what a killed git left.
        await self._hands.run(("rm", "-f", ".git/index.lock"))
        added = await self._hands.run(("sh", "-c", ADD_ALL), timeout_s=TIMEOUT_S)
        if added.exit_code != 0:
            said = added.stderr.decode(errors="replace").strip()
            self.problems.append(f"not every file could be saved: {said}")
        beside = ("--others", "--modified", "--exclude-standard")
        left = (await self._git.must("ls-files", "-z", *beside)).split("\0")
        if left[:-1]:
            named = ", ".join(repr(name) for name in left[:NAMED_AT_MOST] if name)
            self.problems.append(f"not saved, as too large or unreadable: {named}")
        tree = (await self._git.must("write-tree")).strip()
        head = await self._git.commit_of("HEAD")
        parents = [] if head is None else [head]
        if head and tree == (await self._git.must("rev-parse", f"{head}^{{tree}}")).strip():
            return []
        return [(UNCOMMITTED, await self._commit(tree, parents, "uncommitted work", now))]

    async def _together(self, commits: Sequence[str], now: datetime) -> str:
        """One commit from which all of these can be reached."""
        tree = (await self._git.must("rev-parse", f"{self._start}^{{tree}}")).strip()
        last: list[str] = []
        for first in range(0, len(commits), PARENTS_AT_MOST):
            parents = [*last, *commits[first : first + PARENTS_AT_MOST]]
            last = [await self._commit(tree, parents, "more than could be named", now)]
        return last[0]

    async def _commit(self, tree: str, parents: Sequence[str], message: str, now: datetime) -> str:
        given = [part for parent in parents for part in ("-p", parent)]
        return (await self._git.must("commit-tree", tree, *given, "-m", message, now=now)).strip()


def _name_of(ref: str) -> str:
    roof = next(roof for roof in KINDS if ref.startswith(roof))
    return f"{KINDS[roof]}-{slug(ref.removeprefix(roof))}"


def _unique(names: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same with a number behind every name that was given before."""
    taken: set[str] = set()
    unique: list[tuple[str, str]] = []
    for name, commit in names:
        candidates = (name if n == 1 else f"{name}-{n}" for n in count(1))
        free = next(candidate for candidate in candidates if candidate not in taken)
        taken.add(free)
        unique.append((free, commit))
    return unique
