"""A repository inside a sandbox: how work goes in and comes out.

What the run starts from is read where it lies, below what is made here; only bundles cross
the border besides. Everything in here runs in the sandbox, so a hostile repository can hurt
nothing but itself; what comes out is checked again by the host's own repository. Each thing
that comes out has a bundle of its own: one that is refused takes no other with it.
"""

from datetime import datetime
from pathlib import Path

import msgspec

from pm_orchestrator.dispatch.agent_git import AgentGit
from pm_orchestrator.dispatch.leftovers import Leftovers
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import HostDirectory, Sandbox, SandboxSpec

BUNDLE_IN = ".pm-in.bundle"
BUNDLE_OUT = ".pm-out.bundle"
OUTGOING = "pm-out"
BASE_OBJECTS = "/base-objects"
"""Where a sandbox sees the objects of the base."""
BEGIN = f"""\
set -e
git init --quiet --initial-branch=pm-start .
test -r {BASE_OBJECTS}/pack && test -x {BASE_OBJECTS}/pack || exit {{nothing}}
echo {BASE_OBJECTS} > .git/objects/info/alternates
"""
NOTHING = 3
"""There is no base to be seen, on a system that shows no directory of the host."""
MAX_BUNDLE = 256 * 1024**2


def seeing_base(spec: SandboxSpec, base: Path) -> SandboxSpec:
    """The same, with the objects of the bare repository `base` in sight."""
    seen = HostDirectory(source=base / "objects", at=BASE_OBJECTS)
    return msgspec.structs.replace(spec, directories=(*spec.directories, seen))


class Parcel(msgspec.Struct, frozen=True, kw_only=True):
    """Something to be taken out."""

    rescue: str | None
    """The name to keep it under; None for the branch itself."""
    commit: str


class SandboxCheckout:
    """The checkout of one branch in one sandbox."""

    def __init__(self, sandbox: Sandbox, repository: Repository, branch: str, start: str) -> None:
        self._sandbox = sandbox
        self._git = AgentGit(sandbox)
        self._repository = repository
        self._branch = branch
        self._start = start
        self._roof = OUTGOING
        self._sees_base = False
        self.problems: list[str] = []
        """What could not be looked at when the parcels were made."""

    @classmethod
    async def load(
        cls, sandbox: Sandbox, repository: Repository, branch: str, start: str
    ) -> "SandboxCheckout":
        """Check out commit `start` of the run's repository as `branch`.

        Raises:
            PmError: E801 when git fails in there.
        """
        workspace = cls(sandbox, repository, branch, start)
        await workspace._fill()
        # What was built in the user's checkout lies there already, and what is committed counts.
        await workspace._git.must("checkout", "--quiet", "--force", branch)
        return workspace

    async def bundle(self, commit: str, branch: str) -> bytes:
        """What this sandbox needs of a commit of the run, as `branch`."""
        return await self._repository.bundle(commit, branch, beyond_base=self._sees_base)

    async def parcels(self, now: datetime) -> tuple[Parcel, ...]:
        """The branch, where it got further, and then all else that the agent left.

        An agent may have thrown its repository away: what it left is then found in a
        new one.
        """
        if await self._git.commit_of(self._start) is None:
            self.problems.append("the agent's repository was broken; only its files are kept")
            await self._sandbox.run(("rm", "-rf", ".git"))
            await self._fill()
            await self._git.must("symbolic-ref", "HEAD", f"refs/heads/{self._branch}")
            await self._git.must("read-tree", "HEAD")
        parcels: list[Parcel] = []
        own = await self._git.commit_of(f"refs/heads/{self._branch}")
        if own is not None and await self._git.has_more(own, self._start):
            parcels.append(Parcel(rescue=None, commit=own))
        leftovers = Leftovers(self._sandbox, self._start)
        for leftover in await leftovers.found(self._branch, now):
            parcels.append(Parcel(rescue=leftover.name, commit=leftover.commit))
        self.problems += leftovers.problems
        self._roof = await self._free_roof()
        return tuple(parcels)

    async def pack(self, parcel: Parcel) -> tuple[str, bytes]:
        """A bundle with the parcel, and the name of the branch it is under in there.

        Raises:
            PmError: E801 when it cannot be packed.
        """
        branch = self._branch
        if parcel.rescue is not None:
            branch = f"{self._roof}/{parcel.rescue}"
            await self._git.must("update-ref", f"refs/heads/{branch}", parcel.commit)
        ref = f"refs/heads/{branch}"
        await self._git.must("bundle", "create", "--quiet", BUNDLE_OUT, f"^{self._start}", ref)
        return branch, await self._sandbox.read_file(BUNDLE_OUT, MAX_BUNDLE)

    async def _free_roof(self) -> str:
        """A place for our own branches where no branch of the agent is in the way."""
        roof = OUTGOING
        while await self._git.must("for-each-ref", "--count=1", f"refs/heads/{roof}"):
            roof += "-"
        return roof

    async def _fill(self) -> None:
        begun = await self._sandbox.run(("sh", "-c", BEGIN.format(nothing=NOTHING)))
        if begun.exit_code not in {0, NOTHING}:
            reason = begun.stderr.decode(errors="replace").strip()
            raise PmError("git_failed", operation="init in the sandbox", reason=reason)
        ref, self._sees_base = f"refs/heads/{self._branch}", begun.exit_code == 0
        if self._sees_base and await self._git.commit_of(self._start) is not None:
            await self._git.must("update-ref", ref, self._start)
            return
        bundle = await self.bundle(self._start, self._branch)
        await self._sandbox.write_file(BUNDLE_IN, bundle)
        await self._git.must("fetch", "--quiet", "--no-tags", BUNDLE_IN, f"{ref}:{ref}")
        await self._sandbox.run(("rm", "-f", BUNDLE_IN))
