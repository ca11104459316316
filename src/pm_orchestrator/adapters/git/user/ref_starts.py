"""Where a new branch began and a new tag points, against where they were to.

What the instruction calls a starting point may be anything; what is no commit here was none.
"""

import re

from pm_orchestrator.adapters.git.user.asked_git import AskedGit, only_new
from pm_orchestrator.adapters.git.user.carried_commits import called_by_message
from pm_orchestrator.domain.judging.effect import BY_MESSAGE, Effect, Refs

POINT = re.compile(r"(?P<base>[\w@][\w@./+-]*?)(?P<back>(?:[~^]\d*)*)", re.ASCII)
HERE = frozenset({"HEAD", "@"})


async def standing_elsewhere(
    git: AskedGit, asked: tuple[Effect, ...], since: Refs, now: Refs
) -> frozenset[str]:
    """Those of the new refs that do not stand where they were asked to."""
    # What is merged into a branch may take the place of its own commits.
    merging = any(effect.kind == "merged" for effect in asked)
    found: set[str] = set()
    for effect in asked:
        if await _is_renamed_away(git, effect, since, now):
            found.add(effect.name)
        refs = {"branched": now.branches, "tagged": now.tags}.get(effect.kind, {})
        tip = refs.get(effect.name)
        if not effect.at or tip is None:
            continue
        points = await _points(git, effect.at, since, now)
        if effect.kind == "tagged":
            right = tip in points
        else:
            right = any([await _begins(git, point, tip, since, merging) for point in points])
        if points and not right:
            found.add(effect.name)
    return frozenset(found)


async def _is_renamed_away(git: AskedGit, effect: Effect, since: Refs, now: Refs) -> bool:
    """Whether a branch under its new name lacks what it had under the old one."""
    was, tip = since.branches.get(effect.source), now.branches.get(effect.name)
    if effect.kind != "branched" or was is None or tip is None:
        return False
    return bool(await git.lost(was, tip))


async def _points(git: AskedGit, at: str, since: Refs, now: Refs) -> set[str]:
    """The commits that may be meant: as it was, and for what moves with the work as it is."""
    if at.startswith(BY_MESSAGE):
        called = await called_by_message(git, at, since)
        return {called} if called else set()
    named = POINT.fullmatch(at)
    if named is None:
        return set()
    base = named["base"]
    if base.upper() in HERE:
        bases = [since.head, now.head]
    elif base in since.tags:
        # A tag stays where it was: to move it is no way to begin there.
        bases = [since.tags[base], since.branches.get(base)]
    elif base in {*since.branches, *now.branches}:
        bases = [since.branches.get(base), now.branches.get(base)]
    else:
        bases = [now.tags.get(base) or await git.commit(base)]
    commits = [await git.commit(f"{commit}{named['back']}") for commit in bases if commit]
    return {commit for commit in commits if commit}


async def _begins(git: AskedGit, point: str, tip: str, since: Refs, merging: bool) -> bool:
    """Whether there is nothing between them but commits that were made since."""
    if not await git.holds(point, tip):
        return False
    between = ("rev-list", "--count", "--first-parent", "--stdin")
    every = await git.ask(*between, stdin=f"{tip}\n^{point}\n".encode())
    new = await git.ask(*between, stdin=f"^{point}\n".encode() + only_new([tip], since))
    return merging or every == new
