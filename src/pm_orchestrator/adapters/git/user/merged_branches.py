"""Which branches were merged, and what of their work did not come along.

That a branch is part of a history says nothing of its content: `-s ours` and a revert leave
nothing of it. A file that only the branch had changed cannot be as it was before.
"""

from pm_orchestrator.adapters.git.user.asked_git import AskedGit
from pm_orchestrator.domain.judging.effect import Effect, Refs

LONG_LIVED = frozenset({"main", "master", "trunk", "develop", "dev", "production", "staging"})
"""Branches that nobody means by those that are done."""
MOST_TIPS = 50
"""Branches that are looked at."""


async def merged_branches(
    git: AskedGit, asked: tuple[Effect, ...], since: Refs, now: Refs
) -> dict[str, frozenset[str]]:
    """Those of the branches that were merged, each with the files that were left behind."""
    found: dict[str, frozenset[str]] = {}
    for effect in asked:
        if effect.kind == "merged":
            left = await _left_behind(git, effect, since, now)
            if left is not None:
                found[effect.name] = left
    return found


async def _left_behind(
    git: AskedGit, effect: Effect, since: Refs, now: Refs
) -> frozenset[str] | None:
    """None where nothing holds the branch."""
    tip = now.branches.get(effect.name) or since.branches.get(effect.name)
    if tip is None:
        return None
    # What it had before the work is what was to come, wherever it was put meanwhile.
    brought = since.branches.get(effect.name, tip)
    least: frozenset[str] | None = None
    for holder, was in _holders(effect, tip, since, now).items():
        if await git.holds(tip, holder):
            left = await _untouched(git, brought, was, holder)
            least = left if least is None or len(left) < len(least) else least
    return least


async def unswept_branches(
    git: AskedGit, asked: tuple[Effect, ...], since: Refs, now: Refs
) -> frozenset[str]:
    """Merged branches that were to go and stayed, and others that went with them."""
    found: set[str] = set()
    current = (await git.ask("symbolic-ref", "--short", "-q", "HEAD") or b"").decode().strip()
    for effect in asked:
        if effect.kind != "branch_gone" or effect.name:
            continue
        holder = since.branches.get(effect.at) or since.head
        kept = {effect.at, current, *LONG_LIVED}
        for name, tip in list(since.branches.items())[:MOST_TIPS]:
            merged = name not in kept and holder is not None and await git.holds(tip, holder)
            if merged == (name in now.branches) and name not in kept:
                found.add(name)
    return frozenset(found)


def _holders(effect: Effect, tip: str, since: Refs, now: Refs) -> dict[str, str | None]:
    """Commits that may have taken it in, with what they were before."""
    others = {name: at for name, at in now.branches.items() if name != effect.name}
    if effect.at in others:
        return {others[effect.at]: since.branches.get(effect.at, since.head)}
    moved = [name for name, at in others.items() if since.branches.get(name) != at]
    found = {others[name]: since.branches.get(name, since.head) for name in moved[:MOST_TIPS]}
    # Who only went over to the branch has merged nothing.
    if now.head is not None and now.head != tip:
        found.setdefault(now.head, since.head)
    return found


async def _untouched(git: AskedGit, brought: str, was: str | None, holder: str) -> frozenset[str]:
    """What only the branch had changed, and is as before all the same."""
    base = await git.merge_base(brought, was) if was else None
    if base is None or was is None:
        return frozenset()
    theirs = await git.differing(base, brought)
    return frozenset(theirs - await git.differing(base, was) - await git.differing(was, holder))
