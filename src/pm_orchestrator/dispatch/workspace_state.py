"""A whole workspace as one commit: the files as they lie there, and all that git holds besides.

The commit's tree is the files, its message says which ref stood where, and its parents keep
all of that within reach. So one small bundle brings out what an agent made since the last
one, whatever it is, and one commit is enough to make the workspace anew. Each such commit
follows the one before. It is made and read in the sandbox alone; the host keeps it unread.

Not in it: what git ignores, what was staged, and files that are too large to be kept.
"""

from datetime import datetime

from pm_orchestrator.dispatch.agent_git import ADD_ALL, author_at
from pm_orchestrator.dispatch.sandbox_checkout import MAX_BUNDLE
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.sandbox import Sandbox

STATE_BRANCH = "pm-workspace-state"
"""The name inside of a bundle."""
BUNDLE = ".git/pm-state.bundle"
SAVE_S = 120.0

_GIT = """set -e
export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null
export GIT_CONFIG_KEY_1=gc.auto GIT_CONFIG_VALUE_1=0
"""
_SAVE = f"""{_GIT}
head=$(git symbolic-ref -q HEAD || git rev-parse HEAD)
refs=$(git for-each-ref --format='%(objecttype)%(*objecttype) ref %(refname) \
%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)')
listing="head $head
$(printf '%s\\n' "$refs" | sed -n '/ refs\\/stash /d; s/^\\(tag\\)\\{{0,1\\}}commit ref/ref/p')"
case "$refs" in *' refs/stash '*)
    stashes=$(git rev-list --walk-reflogs refs/stash | tac)
    listing="$listing
$(printf '%s\\n' "${{stashes:-$(git rev-parse refs/stash)}}" | sed 's/^/stash /')";;
esac
own=.git/pm-index
[ -f "$own" ] || cp .git/index "$own" 2>/dev/null || :
tree=$(
    export GIT_INDEX_FILE="$own"
    {{ {ADD_ALL}; }} >&2 || :
    git write-tree
)
now="$tree
$listing"
[ "$(cat .git/pm-state 2>/dev/null)" != "$now" ] || exit 0
parents=$(printf '%s\\n' "$listing" |
    sed -n 's/^.* \\([0-9a-f]\\{{40,64\\}}\\)$/-p \\1/p' | sort -u)
new=$(printf '%s\\n' "$listing" | git commit-tree "$tree" -p "$1" $parents 2>/dev/null)
git update-ref refs/heads/{STATE_BRANCH} "$new"
git bundle create -q {BUNDLE} "^$1" refs/heads/{STATE_BRANCH}
git update-ref -d refs/heads/{STATE_BRANCH}
printf '%s\\n' "$now" > .git/pm-state
echo "$new"
"""
_PUT_BACK = f"""{_GIT}
git fetch -q --no-tags {BUNDLE} refs/heads/{STATE_BRANCH}
rm -f {BUNDLE}
git for-each-ref --format='delete %(refname)' | git update-ref --stdin
git log -1 --format=%B "$1" | while read -r kind name at; do
    case $kind in
        ref) git update-ref "$name" "$at";;
        stash) git stash store -m kept "$name";;
        head) case $name in
            refs/*) git symbolic-ref HEAD "$name";;
            *) git update-ref --no-deref HEAD "$name";;
        esac;;
    esac
done
git read-tree -u --reset "$1"
git read-tree HEAD 2>/dev/null || git read-tree --empty
"""


class WorkspaceStates:
    """The states of one workspace, each told by its commit."""

    def __init__(self, sandbox: Sandbox, last: str) -> None:
        """`last` is the last of them, or the commit that the workspace began from."""
        self._sandbox = sandbox
        self._last = last

    async def save(self, now: datetime) -> tuple[str, bytes] | None:
        """Its state now and the bundle that brings it out; None where it is as it was.

        Raises:
            PmError: E801 when it cannot be saved, E702 when the sandbox is gone.
        """
        saved = await self._run(_SAVE, self._last, author_at(now))
        state = saved.strip()
        if not state:
            return None
        bundle = await self._sandbox.read_file(BUNDLE, MAX_BUNDLE)
        self._last = state
        return state, bundle

    async def put_back(self, bundle: bytes, state: str) -> None:
        """Make the workspace what it was; `bundle` holds that state as STATE_BRANCH.

        Raises:
            PmError: E801 when it cannot be done.
        """
        await self._sandbox.write_file(BUNDLE, bundle)
        await self._run(_PUT_BACK, state, ())
        self._last = state

    async def _run(self, script: str, commit: str, variables: tuple[str, ...]) -> str:
        argv = ("env", *variables, "sh", "-c", script, "sh", commit)
        result = await self._sandbox.run(argv, timeout_s=SAVE_S)
        if result.exit_code != 0:
            reason = result.stderr.decode(errors="replace").strip()[-500:]
            raise PmError("git_failed", operation="workspace state", reason=reason)
        return result.stdout.decode("ascii", "replace")
