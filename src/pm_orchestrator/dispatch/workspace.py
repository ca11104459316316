"""A repository inside a sandbox: how work goes in and comes out.

Only bundles cross the border. Everything in here runs in the sandbox, so a
hostile repository can hurt nothing but itself; what comes out is checked again
by the host's own repository.
"""

from datetime import datetime

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.ports.sandbox import Sandbox

BUNDLE_IN = ".pm-in.bundle"
BUNDLE_OUT = ".pm-out.bundle"
RESCUE_BRANCH = "pm-rescue"
MAX_BUNDLE = 256 * 1024**2
IDENTITY = ("-c", "user.name=pm-orchestrator agent", "-c", "user.email=agent@localhost")


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What a workspace holds when its agent is done."""

    bundle: bytes | None
    """None when the branch has no commit beyond where it started."""
    has_rescue: bool
    """The bundle also carries uncommitted work, on a branch of its own."""


class Workspace:
    """The checkout of one branch in one sandbox."""

    def __init__(self, sandbox: Sandbox, branch: str, start: str) -> None:
        self._sandbox = sandbox
        self._branch = branch
        self._start = start

    @classmethod
    async def load(cls, sandbox: Sandbox, bundle: bytes, branch: str, start: str) -> "Workspace":
        """Unpack a bundle that holds `branch` at commit `start` and check it out."""
        workspace = cls(sandbox, branch, start)
        await sandbox.write_file(BUNDLE_IN, bundle)
        await workspace._must_git("init", "--quiet", "--initial-branch=pm-start", ".")
        ref = f"refs/heads/{branch}"
        await workspace._must_git("fetch", "--quiet", "--no-tags", BUNDLE_IN, f"{ref}:{ref}")
        await workspace._must_git("checkout", "--quiet", branch)
        await sandbox.run(("rm", "-f", BUNDLE_IN))
        return workspace

    @property
    def sandbox(self) -> Sandbox:
        return self._sandbox

    async def status(self) -> str:
        """Changed and untracked files, one per line; empty when clean."""
        result = await self._must_git("status", "--porcelain", "--untracked-files=all")
        return result.stdout.decode(errors="replace")

    async def commit(self, message: str, now: datetime) -> str:
        """Commit everything; returns what git said, also when there was nothing to commit.

        The time is the caller's, so that the same work makes the same commit again.
        """
        await self._must_git("add", "--all", "--", ".")
        when = now.isoformat()
        dates = (f"GIT_AUTHOR_DATE={when}", f"GIT_COMMITTER_DATE={when}")
        arguments = (*IDENTITY, "commit", "--quiet", "--no-verify", "-m", message)
        result = await self._sandbox.run(("env", *dates, "git", *arguments), timeout_s=120.0)
        if result.exit_code != 0:
            return (result.stdout + result.stderr).decode(errors="replace").strip()
        head = await self._must_git("log", "-1", "--format=%h %s")
        return "committed " + head.stdout.decode(errors="replace").strip()

    async def deliver(self, now: datetime) -> Delivery:
        """Pack the branch, and whatever was left uncommitted, for the host."""
        left_over = bool(await self.status())
        if left_over:
            await self._must_git("checkout", "--quiet", "-b", RESCUE_BRANCH)
            await self.commit("uncommitted work", now)
        refs = [ref for ref in (self._branch, RESCUE_BRANCH) if await self._moved(ref)]
        if not refs:
            return Delivery(bundle=None, has_rescue=False)
        await self._must_git("bundle", "create", "--quiet", BUNDLE_OUT, f"^{self._start}", *refs)
        bundle = await self._sandbox.read_file(BUNDLE_OUT, MAX_BUNDLE)
        return Delivery(bundle=bundle, has_rescue=RESCUE_BRANCH in refs)

    async def branch_moved(self) -> bool:
        """Whether the branch itself has a commit beyond where it started."""
        return await self._moved(self._branch)

    async def _moved(self, ref: str) -> bool:
        result = await self._git("rev-parse", "--verify", "--quiet", f"refs/heads/{ref}^{{commit}}")
        return result.exit_code == 0 and result.stdout.decode().strip() != self._start

    async def _git(self, *args: str) -> CommandResult:
        return await self._sandbox.run(("git", *args), timeout_s=120.0)

    async def _must_git(self, *args: str) -> CommandResult:
        result = await self._git(*args)
        if result.exit_code != 0:
            reason = (result.stderr or result.stdout).decode(errors="replace").strip()
            raise PmError("git_failed", operation=f"{args[0]} in the sandbox", reason=reason)
        return result
