"""Commits that were to be brought over or taken back, each by itself, and whether it was.

A commit that git carried keeps its change or its words; one that a person carried by hand
leaves its lines. To throw away what came after a commit is no way to take it back.
"""

import os
import re
from collections.abc import Collection

from pm_orchestrator.adapters.git.refs import OBJECT_ID
from pm_orchestrator.adapters.git.user.asked_git import AskedGit, only_new
from pm_orchestrator.domain.judging.commit_terms import says
from pm_orchestrator.domain.judging.effect import BY_MESSAGE, Effect, Refs

MOST_COMMITS = 2000
"""Commits whose words are looked through for a name, the newest first."""
CARRIED = frozenset({"picked", "reverted"})
FIELDS = "--format=%H%x01%s"
BACK = re.compile(r"[~^]\d*$")
LEAST_LINE = 3
"""Letters of a line that tells one change from another."""


async def called_by_message(git: AskedGit, name: str, since: Refs) -> str | None:
    """The one commit from before whose first line says so; None where there is none, or two."""
    wanted = name.removeprefix(BY_MESSAGE)
    tips = [c for c in (since.head, *since.branches.values(), *since.tags.values()) if c]
    shown = await git.ask(
        *("log", f"--max-count={MOST_COMMITS}", "-z", FIELDS, "--stdin"),
        stdin="\n".join([*dict.fromkeys(tips), ""]).encode(),
    )
    lines = (shown or b"").decode("utf-8", "replace").split("\0")
    every = [line.strip().partition("\x01") for line in lines if "\x01" in line]
    exact = [commit for commit, _, said in every if says(said, wanted) and says(wanted, said)]
    found = exact or [commit for commit, _, said in every if says(said, wanted)]
    return found[0] if len(found) == 1 else None


async def not_carried(
    git: AskedGit, asked: tuple[Effect, ...], since: Refs, now: Refs
) -> tuple[frozenset[Effect], frozenset[Effect]]:
    """Of the commits that were to be carried those that were not, and those there never were."""
    missing: set[Effect] = set()
    unknown: set[Effect] = set()
    for effect in asked:
        if effect.kind not in CARRIED:
            continue
        commit = await _commit(git, effect.name, since)
        if commit is None:
            unknown.add(effect)
        elif not await _is_carried(git, effect, commit, since, now):
            missing.add(effect)
    return frozenset(missing), frozenset(unknown)


async def _is_carried(git: AskedGit, effect: Effect, commit: str, since: Refs, now: Refs) -> bool:
    if effect.kind == "reverted":
        return await _is_reverted(git, commit, since, now)
    return await _is_picked(git, commit, effect.at, since, now)


async def _commit(git: AskedGit, name: str, since: Refs) -> str | None:
    if name.startswith(BY_MESSAGE):
        return await called_by_message(git, name, since)
    base = name.rstrip("~^0123456789") if BACK.search(name) else name
    start = since.head if base.upper() in {"HEAD", "@"} else since.branches.get(base, base)
    return await git.commit(f"{start}{name.removeprefix(base)}") if start else None


async def _is_picked(git: AskedGit, commit: str, onto: str, since: Refs, now: Refs) -> bool:
    if onto in now.branches:
        tips = [now.branches[onto]]
    else:
        moved = [tip for name, tip in now.branches.items() if since.branches.get(name) != tip]
        tips = [tip for tip in dict.fromkeys((now.head, *moved)) if tip]
    for tip in tips:
        was = since.branches.get(onto) or since.head
        if await git.holds(commit, tip) and not (was and await git.holds(commit, was)):
            return True
        new = await _new_commits(git, tip, since)
        if await _same_change(git, commit, new) or await _brings(git, commit, tip, new):
            return True
    return False


async def _is_reverted(git: AskedGit, commit: str, since: Refs, now: Refs) -> bool:
    """Whether its lines are gone, and nothing of what was not meant."""
    if now.head is None or since.head is None:
        return False
    if not await git.holds(since.head, now.head):
        # History went back: nothing but this commit may have gone.
        lost = await git.lost(since.head, now.head)
        if lost - await _files(git, commit):
            return False
    return await _takes_back(git, commit, now.head)


async def _new_commits(git: AskedGit, tip: str, since: Refs) -> list[str]:
    shown = await git.ask("rev-list", "--no-merges", "--stdin", stdin=only_new([tip], since))
    return [line for line in (shown or b"").decode("ascii").split() if OBJECT_ID.fullmatch(line)]


async def _same_change(git: AskedGit, commit: str, new: Collection[str]) -> bool:
    """Whether one of the new commits has the same lines, or the words git gives a copy."""
    wanted = await _lines(git, commit)
    words = await git.message(commit)
    files = await _files(git, commit)
    for one in new:
        if await _lines(git, one) == wanted:
            return True
        if says(await git.message(one), words) and files & await _files(git, one):
            return True
    return False


async def _brings(git: AskedGit, commit: str, tip: str, new: Collection[str]) -> bool:
    """Whether each line that it added stands at the tip, in files that new commits touched."""
    touched: set[str] = set()
    for one in new:
        touched |= await _files(git, one)
    added, _ = await _lines(git, commit)
    for path in await _files(git, commit):
        lines = {line for where, line in added if where == path and len(line) >= LEAST_LINE}
        if path not in touched or lines - await _lines_at(git, tip, path):
            return False
    return bool(new)


async def _takes_back(git: AskedGit, commit: str, tip: str) -> bool:
    """Whether none of the lines that it added, and only it had, stands in the files any more."""
    added, gone = await _lines(git, commit)
    before = {line for _, line in gone}
    for path in await _files(git, commit):
        now = await _lines_at(git, tip, path)
        was = await _lines_at(git, f"{commit}^", path)
        lines = {line for where, line in added if where == path} - before - was
        lines = {line for line in lines if len(line) >= LEAST_LINE}
        back = {line for where, line in gone if where == path and len(line) >= LEAST_LINE}
        if lines & now or (not lines and back - now):
            return False
    return True


async def _lines(
    git: AskedGit, commit: str
) -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]:
    """Lines that a commit added and took away, each with its file."""
    shown = await git.ask(
        *("show", "--format=", "--unified=0", "--no-renames", "--no-ext-diff", "--no-textconv"),
        *("--no-color", "--src-prefix=a/", "--dst-prefix=b/", commit),
    )
    added: set[tuple[str, str]] = set()
    gone: set[tuple[str, str]] = set()
    path, inside = "", False
    for line in (shown or b"").decode("utf-8", "replace").splitlines():
        if line.startswith("diff --git "):
            inside = False
        elif not inside and line.startswith(("--- a/", "+++ b/")):
            path = line[6:].strip()
        elif line.startswith("@@"):
            inside = True
        elif inside and line[:1] in {"+", "-"}:
            (added if line[0] == "+" else gone).add((path, line[1:].strip()))
    return frozenset(added), frozenset(gone)


async def _files(git: AskedGit, commit: str) -> frozenset[str]:
    shown = await git.ask(
        *("show", "-z", "--format=", "--name-only", "--no-renames", "--no-ext-diff", commit)
    )
    return frozenset(os.fsdecode(name.strip()) for name in (shown or b"").split(b"\0") if name)


async def _lines_at(git: AskedGit, commit: str, path: str) -> frozenset[str]:
    shown = await git.ask("show", f"{commit}:{path}")
    return frozenset(
        line.strip() for line in (shown or b"").decode("utf-8", "replace").splitlines()
    )
