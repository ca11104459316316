"""The few things we do inside the user's repository.

Objects and our own refs come in; the working tree, the index, HEAD and every
other ref stay as they are. Nothing the repository configures is run. Only a
push, which needs the user's credentials, happens in the user's environment.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import CommandResult

FETCH = (
    "fetch",
    "--quiet",
    "--atomic",
    "--no-tags",
    "--no-prune",
    "--no-prune-tags",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--no-recurse-submodules",
    "--no-show-forced-updates",
)
REMOTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run starts from."""

    commit: str
    git_directory: Path
    object_format: str


class UserRepository:
    """Git in the project directory; `as_user` is for what needs their credentials."""

    def __init__(self, git: Git, as_user: Git) -> None:
        self._git = git
        self._as_user = as_user

    async def resolve(self, project: Path, ref: str) -> Base:
        """Find the commit `ref` names.

        Raises:
            PmError: E102 when `project` is no repository, has no commit or is shallow;
                E210 when `ref` names no commit.
        """
        if not await asyncio.to_thread(project.is_dir):
            raise PmError("not_a_repository", path=project)
        try:
            about = await self._in(
                project,
                "rev-parse",
                "--absolute-git-dir",
                "--is-shallow-repository",
                "--show-object-format",
            )
        except PmError as error:
            if error.slug != "git_failed":
                raise
            raise PmError("not_a_repository", path=project) from error
        git_directory, shallow, object_format = about.stdout.decode().splitlines()
        if shallow == "true":
            raise PmError("shallow_repository", path=project)
        commit = await self._commit(project, ref)
        if commit is None:
            if ref == "HEAD" or await self._commit(project, "HEAD") is None:
                raise PmError("no_commits", path=project)
            raise PmError("bad_argument", reason=f"{ref} names no commit", command="run")
        return Base(commit=commit, git_directory=Path(git_directory), object_format=object_format)

    async def tree_size(self, project: Path, commit: str) -> int:
        """Bytes of all files of a commit."""
        form = "--format=%(objectsize)"
        listed = await self._in(project, "ls-tree", "-r", "-z", "--full-tree", form, commit)
        return sum(int(size) for size in listed.stdout.split(b"\0") if size.isdigit())

    async def tips(self, project: Path, refs: Iterable[str]) -> dict[str, str]:
        """Which of `refs` the user's repository has, and where they point."""
        wanted = set(refs)
        shown = await self._in(
            project, "for-each-ref", "--format=%(refname) %(objectname)", *sorted(wanted)
        )
        pairs = (line.split(" ") for line in shown.stdout.decode().splitlines())
        # A pattern also matches what is below it.
        return {name: oid for name, oid in pairs if name in wanted}

    async def keep_replaced(self, project: Path, tip: str) -> None:
        """Give a commit that is about to lose its ref another one."""
        await self._in(project, "update-ref", f"refs/pm/replaced/{tip}", tip)

    async def take(self, project: Path, source: Path, refs: Mapping[str, str]) -> None:
        """Fetch our own refs from `source`, all or none, and make sure they arrived."""
        pairs = [f"+{ref}:{ref}" for ref in refs]
        await self._in(project, *FETCH, "--", str(source), *pairs)
        # A `url.….insteadOf` of the user's could have led the fetch elsewhere.
        if await self.tips(project, refs) != dict(refs):
            reason = "the refs did not arrive as they were sent"
            raise PmError("git_failed", operation="fetch", reason=reason)

    async def take_objects(self, project: Path, source: Path, ref: str) -> None:
        """Fetch what `ref` of `source` reaches, under no name yet."""
        await self._in(project, *FETCH, "--", str(source), ref)

    async def push(self, project: Path, remote: str, ref: str) -> None:
        """Push `ref` under its own name, never forced."""
        if REMOTE.fullmatch(remote) is None:
            reason = f"{remote!r} is not the name of a remote"
            raise PmError("git_failed", operation="push", reason=reason)
        await self._as_user.run(
            project,
            "push",
            "--quiet",
            "--no-verify",
            "--no-signed",
            "--no-follow-tags",
            "--recurse-submodules=no",
            "--",
            remote,
            f"{ref}:{ref}",
        )

    async def _commit(self, project: Path, ref: str) -> str | None:
        name = f"{ref}^{{commit}}"
        found = await self._in(
            project,
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            name,
            accept=(0, 1, 128),
        )
        return found.stdout.decode("ascii").strip() if found.exit_code == 0 else None

    async def _in(
        self, project: Path, *arguments: str, accept: tuple[int, ...] = (0,)
    ) -> CommandResult:
        return await self._git.run(project, *arguments, accept=accept, settings=ANY_OWNER)
