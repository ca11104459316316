"""The run's own bare repository, the only place where agents' commits meet the host.

It has no working tree, no hooks and no configuration but what we wrote, so
nothing that is committed into it can make a program run. Bundles from sandboxes
are first unpacked into a scratch repository beside it; only what the wanted
branch reaches, checked object by object, comes over.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from typing_extensions import override

from pm_orchestrator.adapters.git.bundle import read_header, refused
from pm_orchestrator.adapters.git.command import (
    Git,
    Sink,
    isolated_environment,
    user_environment,
)
from pm_orchestrator.adapters.git.refs import branch_ref, object_id, own_ref
from pm_orchestrator.adapters.git.trees import (
    RawChange,
    entries,
    plain_path,
    printable,
    raw_changes,
    with_sizes,
)
from pm_orchestrator.adapters.git.user_repository import FETCH, UserRepository
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.outcome import CommitInfo, FileChange
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.process import CommandResult, CommandRunner
from pm_orchestrator.ports.repository import MergeResult, Repository

MAX_BUNDLE = 256 * 1024**2
PATHS_PER_CALL = 200
CONFLICTED = 1


class RunRepository(Repository):
    """A bare repository in the run directory."""

    def __init__(
        self,
        directory: Path,
        *,
        commands: CommandRunner,
        clock: Clock,
        sink: Sink,
        user_env: Mapping[str, str],
        max_bundle: int = MAX_BUNDLE,
    ) -> None:
        self._directory = directory
        self._clock = clock
        self._max_bundle = max_bundle
        self._git = Git(commands, clock, sink, isolated_environment(user_env.get("PATH", "")))
        as_user = Git(commands, clock, sink, user_environment(user_env))
        self._user = UserRepository(self._git, as_user)

    @override
    async def import_base(self, project: Path, ref: str) -> str:
        base = await self._user.resolve(project, ref)
        await self._create(self._directory, base.object_format)
        # History that the user's own git accepted is not ours to find fault with.
        trusted = {"fetch.fsckObjects": "false", "transfer.fsckObjects": "false"}
        # The far end takes none of our settings by itself; this is how it gets them.
        far_end = "git -c safe.directory=* -c core.hooksPath=/dev/null upload-pack"
        target = f"refs/pm/base/{base.commit}"
        await self._here(
            *FETCH,
            f"--upload-pack={far_end}",
            "--",
            str(base.git_directory),
            f"+{base.commit}:{target}",
            settings=trusted,
        )
        return base.commit

    @override
    async def bundle(self, commit: str, branch: str) -> bytes:
        ref = branch_ref(branch)
        async with self._scratch() as scratch:
            await self._in(scratch, "update-ref", ref, object_id(commit))
            await self._in(scratch, "symbolic-ref", "HEAD", ref)
            place = scratch / "out.bundle"
            await self._in(scratch, "bundle", "create", "--quiet", str(place), "HEAD", ref)
            return await asyncio.to_thread(place.read_bytes)

    @override
    async def receive(self, bundle: bytes, source: str, target: str) -> str:
        wanted, into = branch_ref(source), own_ref(target)
        if len(bundle) > self._max_bundle:
            raise refused(f"it is larger than {self._max_bundle} bytes")
        header = read_header(bundle)
        if wanted not in header.refs:
            raise refused(f"it does not carry {source}")
        async with self._scratch() as scratch:
            place = scratch / "in.bundle"
            await asyncio.to_thread(place.write_bytes, bundle)
            try:
                for number, commit in enumerate(header.prerequisites):
                    await self._in(scratch, "update-ref", f"refs/pm/needs/{number}", commit)
                await self._in(scratch, *FETCH, "--", str(place), f"+{wanted}:{wanted}")
                await self._keep_replaced(scratch, wanted, into)
                await self._here(*FETCH, "--", str(scratch), f"+{wanted}:{into}")
            except PmError as error:
                if error.slug != "git_failed":
                    raise
                raise refused(str(error.params["reason"])) from error
        return await self._resolve(into)

    @override
    async def files(self, commit: str) -> tuple[str, ...]:
        listing = await self._here("ls-tree", "-r", "-z", "--full-tree", object_id(commit))
        return tuple(printable(e.name) for e in entries(listing.stdout) if not e.is_submodule)

    @override
    async def changes(self, base: str, commit: str) -> tuple[FileChange, ...]:
        difference = await self._here(
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-abbrev",
            "--find-renames",
            "--no-ext-diff",
            "--no-textconv",
            object_id(base),
            object_id(commit),
        )
        changes = raw_changes(difference.stdout)
        return with_sizes(changes, await self._sizes(commit, changes))

    @override
    async def commits(self, base: str, commit: str) -> tuple[CommitInfo, ...]:
        log = await self._here(
            "log",
            "-z",
            "--reverse",
            "--topo-order",
            "--encoding=UTF-8",
            "--format=%H %s",
            f"{object_id(base)}..{object_id(commit)}",
        )
        lines = [line.decode("utf-8", "replace") for line in log.stdout.split(b"\0") if line]
        return tuple(
            CommitInfo(sha=sha, subject=subject)
            for sha, _, subject in (line.strip("\n").partition(" ") for line in lines)
        )

    @override
    async def descends(self, commit: str, base: str) -> bool:
        return await self._is_ancestor(self._directory, object_id(base), object_id(commit))

    @override
    async def read(self, commit: str, path: str) -> bytes | None:
        if not plain_path(path):
            return None
        listing = await self._here("ls-tree", "-z", "--full-tree", object_id(commit), "--", path)
        found = [e for e in entries(listing.stdout) if e.name == path and e.is_regular]
        if not found:
            return None
        return (await self._here("cat-file", "blob", found[0].oid)).stdout

    @override
    async def merge(self, into: str, commit: str, message: str) -> MergeResult:
        if await self.descends(into, commit):
            return MergeResult(commit=into)
        tree = await self._here(
            "merge-tree",
            "--write-tree",
            "-z",
            "--name-only",
            "--no-messages",
            object_id(into),
            object_id(commit),
            accept=(0, CONFLICTED),
        )
        head, *paths = tree.stdout.decode("utf-8", "surrogateescape").split("\0")
        if tree.exit_code == CONFLICTED:
            names = dict.fromkeys(printable(path) for path in paths if path)
            return MergeResult(commit=None, conflicts=tuple(names))
        moment = f"@{int(self._clock.now().timestamp())} +0000"
        made = await self._here(
            "commit-tree",
            object_id(head),
            "-p",
            into,
            "-p",
            commit,
            "-m",
            message,
            environment={"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment},
        )
        return MergeResult(commit=_line(made))

    @override
    async def set_branch(self, branch: str, commit: str) -> None:
        ref = own_ref(f"refs/heads/{branch}")
        await self._here("update-ref", "--no-deref", ref, object_id(commit))

    @override
    async def export(self, project: Path, refs: tuple[str, ...]) -> None:
        wanted = {own_ref(ref): await self._resolve(ref) for ref in refs}
        if not wanted:
            return
        present = await self._user.tips(project, wanted)
        for ref, tip in present.items():
            if tip != wanted[ref] and not await self._is_ancestor(
                self._directory, tip, wanted[ref]
            ):
                await self._user.keep_replaced(project, tip)
        await self._user.take(project, self._directory, wanted)

    @override
    async def push(self, project: Path, remote: str, branch: str) -> None:
        await self._user.push(project, remote, own_ref(f"refs/heads/{branch}"))

    async def _keep_replaced(self, scratch: Path, wanted: str, into: str) -> None:
        """Keep what `into` held so far if the new commit does not contain it.

        The scratch repository is where both can be seen before anything is moved.
        """
        shown = await self._here("for-each-ref", "--format=%(objectname)", into)
        old = _line(shown)
        if old and not await self._is_ancestor(scratch, old, wanted):
            await self._here("update-ref", f"refs/pm/replaced/{old}", old)

    async def _sizes(self, commit: str, changes: Sequence[RawChange]) -> dict[str, int]:
        names = [change.name for change in changes if change.kind != "deleted"]
        sizes: dict[str, int] = {}
        for start in range(0, len(names), PATHS_PER_CALL):
            some = names[start : start + PATHS_PER_CALL]
            listing = await self._here("ls-tree", "-z", "-l", "--full-tree", commit, "--", *some)
            sizes.update((entry.name, entry.size) for entry in entries(listing.stdout))
        return sizes

    async def _resolve(self, ref: str) -> str:
        return _line(
            await self._here("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
        )

    async def _is_ancestor(self, where: Path, old: str, new: str) -> bool:
        answer = await self._in(where, "merge-base", "--is-ancestor", old, new, accept=(0, 1, 128))
        # 128: one of them is not here at all, so nothing here descends from it.
        return answer.exit_code == 0

    async def _create(self, directory: Path, object_format: str) -> None:
        """Make an empty bare repository; an existing one is left as it is."""
        await asyncio.to_thread(directory.mkdir, parents=True, exist_ok=True)
        await self._in(
            directory,
            "init",
            "--quiet",
            "--bare",
            "--template=",
            "--initial-branch=agent/none",
            f"--object-format={object_format}",
        )

    @asynccontextmanager
    async def _scratch(self) -> AsyncGenerator[Path]:
        """A repository for one operation that sees our objects and adds none to them."""
        shown = await self._here("rev-parse", "--show-object-format")
        with TemporaryDirectory(prefix="scratch-", dir=self._directory) as folder:
            scratch = Path(folder)
            await self._create(scratch, _line(shown))
            alternates = scratch / "objects" / "info" / "alternates"
            await asyncio.to_thread(
                alternates.write_text, f"{self._directory / 'objects'}\n", "utf-8"
            )
            yield scratch

    async def _here(
        self,
        *arguments: str,
        accept: tuple[int, ...] = (0,),
        settings: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> CommandResult:
        return await self._in(
            self._directory,
            *arguments,
            accept=accept,
            settings=settings,
            environment=environment,
        )

    async def _in(
        self,
        repository: Path,
        *arguments: str,
        accept: tuple[int, ...] = (0,),
        settings: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> CommandResult:
        """Run git on exactly `repository`: a damaged one must not make git look further up."""
        return await self._git.run(
            repository,
            *arguments,
            accept=accept,
            settings=settings,
            environment={"GIT_DIR": str(repository), **(environment or {})},
        )


def _line(result: CommandResult) -> str:
    return result.stdout.decode("ascii").strip()
