"""The run's own bare repository, the only place where agents' commits meet the host.

What it starts from lies in a second one beside it, whose objects sandboxes may read: a large
history then goes in once per run, and what agents make is seen by nobody but the host.

It has no working tree, no hooks and no configuration but what we wrote, so
nothing that is committed into it can make a program run. Bundles from sandboxes
are first unpacked into a scratch repository beside it; only what the wanted
branch reaches, checked object by object, comes over.
"""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.git.command import Git
from pm_orchestrator.adapters.git.refs import branch_ref, merge_target, object_id, own_ref
from pm_orchestrator.adapters.git.run.bare_repository import BareRepository, line
from pm_orchestrator.adapters.git.run.bundle import read_header, refused, renamed
from pm_orchestrator.adapters.git.run.commit_reader import CommitReader
from pm_orchestrator.adapters.git.run.edited_commits import edited_commit
from pm_orchestrator.adapters.git.trees import printable_path
from pm_orchestrator.adapters.git.user.uncommitted import look_for_uncommitted
from pm_orchestrator.adapters.git.user.user_refs import UserRefs
from pm_orchestrator.adapters.git.user.user_repository import FETCH, Base, UserRepository
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.effect import Standing
from pm_orchestrator.domain.judging.outcome import CommitInfo, FileChange
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.repository import MergeResult, Repository, Uncommitted

MAX_BUNDLE = 256 * 1024**2
KEPT_BUNDLES = 64 * 1024**2
"""Bytes of bundles that are kept in memory."""
ANY_BRANCH = "refs/heads/pm-any"
TAKEN = "refs/pm/base/"
CONFLICTED = 1
EXPORTED = ("refs/heads/agent", "refs/pm/rescue", "refs/pm/replaced")


class RunRepository(Repository):
    """A bare repository in the run directory."""

    def __init__(
        self,
        directory: Path,
        *,
        base: Path,
        git: Git,
        as_user: Git,
        clock: Clock,
        max_bundle: int = MAX_BUNDLE,
    ) -> None:
        self._clock = clock
        self._max_bundle = max_bundle
        self._git = git
        self._own = BareRepository(git, directory)
        self._base = BareRepository(git, base)
        self._start: str | None = None
        self._reader = CommitReader(self._own)
        self._user = UserRepository(git, as_user)
        self._user_refs = UserRefs(git)
        self._bundles: dict[tuple[str, bool], bytes] = {}
        """By their commits: every attempt and every gate takes one in, most of them the same."""

    @override
    async def resolve(self, project: Path, ref: str) -> str:
        return (await self._user.resolve(project, ref)).commit

    @override
    async def import_base(self, project: Path, ref: str) -> str:
        base = await self._user.resolve(project, ref)
        await self._base.create(base.object_format)
        await _take(base, self._base)
        await self._own.create(base.object_format)
        await self._own.sees(self._base)
        await self._own.run("update-ref", f"{TAKEN}{base.commit}", base.commit)
        self._start = base.commit
        return base.commit

    @override
    async def tree_size(self, project: Path, commit: str) -> int:
        return await self._user.tree_size(project, object_id(commit))

    @override
    async def bundle(self, commit: str, branch: str, *, beyond_base: bool = False) -> bytes:
        ref, kind = branch_ref(branch), (commit, beyond_base)
        if (kept := self._bundles.get(kind)) is None:
            without = self._start if beyond_base else None
            kept = renamed(await self._bundled(commit, ref, without), ref, ANY_BRANCH)
            self._bundles[kind] = kept
            while sum(map(len, self._bundles.values())) > KEPT_BUNDLES:
                del self._bundles[next(iter(self._bundles))]
        return renamed(kept, ANY_BRANCH, ref)

    async def _bundled(self, commit: str, ref: str, without: str | None) -> bytes:
        async with self._own.scratch() as scratch:
            await scratch.run("update-ref", ref, object_id(commit))
            await scratch.run("symbolic-ref", "HEAD", ref)
            place = scratch.directory / "out.bundle"
            but = () if without is None else (f"^{without}",)
            await scratch.run("bundle", "create", "--quiet", str(place), "HEAD", ref, *but)
            return await asyncio.to_thread(place.read_bytes)

    @override
    async def receive(self, bundle: bytes, source: str, target: str) -> str:
        wanted, into = branch_ref(source), own_ref(target)
        if len(bundle) > self._max_bundle:
            raise refused(f"it is larger than {self._max_bundle} bytes")
        header = read_header(bundle)
        if wanted not in header.refs:
            raise refused(f"it does not carry {source}")
        async with self._own.scratch() as scratch:
            place = scratch.directory / "in.bundle"
            await asyncio.to_thread(place.write_bytes, bundle)
            try:
                for number, commit in enumerate(header.prerequisites):
                    await scratch.run("update-ref", f"refs/pm/needs/{number}", commit)
                await scratch.run(*FETCH, "--", str(place), f"+{wanted}:{wanted}")
                await self._keep_replaced(scratch, wanted, into)
                await self._own.run(*FETCH, "--", str(scratch.directory), f"+{wanted}:{into}")
            except PmError as error:
                if error.slug != "git_failed":
                    raise
                raise refused(str(error.params["reason"])) from error
        return await self._own.resolve(into)

    @override
    async def files(self, commit: str) -> tuple[str, ...]:
        return await self._reader.files(commit)

    @override
    async def changes(self, base: str, commit: str) -> tuple[FileChange, ...]:
        return await self._reader.changes(base, commit)

    @override
    async def commits(self, base: str, commit: str) -> tuple[CommitInfo, ...]:
        return await self._reader.commits(base, commit)

    @override
    async def descends(self, commit: str, base: str) -> bool:
        return await self._own.is_ancestor(object_id(base), object_id(commit))

    @override
    async def read(self, commit: str, path: str) -> bytes | None:
        return await self._reader.read(commit, path)

    @override
    async def read_all(self, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
        return await self._reader.read_all(commit, paths)

    @override
    async def holds(self, commit: str, path: str) -> bool:
        return await self._reader.holds(commit, path)

    @override
    async def standing(self, commit: str, path: str) -> Standing:
        return await self._reader.standing(commit, path)

    @override
    async def merge(self, into: str, commit: str, message: str) -> MergeResult:
        if await self.descends(into, commit):
            return MergeResult(commit=into)
        tree = await self._own.run(
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
            names = dict.fromkeys(printable_path(path) for path in paths if path)
            return MergeResult(commit=None, conflicts=tuple(names))
        moment = self._moment()
        made = await self._own.run(
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
        return MergeResult(commit=line(made))

    @override
    async def edited(
        self, commit: str, base: str, back: tuple[str, ...], contents: Mapping[str, bytes]
    ) -> str:
        return await edited_commit(self._own, commit, base, back, contents, self._moment())

    @override
    async def set_branch(self, branch: str, commit: str) -> None:
        ref = own_ref(f"refs/heads/{branch}")
        await self._own.run("update-ref", "--no-deref", ref, object_id(commit))

    @override
    async def own_refs(self) -> dict[str, str]:
        if not await self._own.exists():
            return {}
        shown = await self._own.run("for-each-ref", "--format=%(refname) %(objectname)", *EXPORTED)
        pairs = (text.split(" ") for text in shown.stdout.decode().splitlines())
        return dict(pairs)

    @override
    async def export(self, project: Path, refs: tuple[str, ...]) -> None:
        wanted = {own_ref(ref): await self._own.resolve(ref) for ref in refs}
        if not wanted:
            return
        await self._user_refs.refuse_checked_out(project, wanted)
        present = await self._user.tips(project, wanted)
        for ref, tip in present.items():
            if tip != wanted[ref] and not await self._own.is_ancestor(tip, wanted[ref]):
                await self._user.keep_replaced(project, tip)
        await self._user.take(project, self._own.directory, wanted)

    @override
    async def push(self, project: Path, remote: str, branch: str) -> None:
        await self._user.push(project, remote, own_ref(f"refs/heads/{branch}"))

    @override
    async def uncommitted(self, project: Path) -> Uncommitted:
        return await look_for_uncommitted(self._git, project)

    @override
    async def user_refs(self, project: Path, pattern: str) -> tuple[str, ...]:
        return await self._user_refs.matching(project, pattern)

    @override
    async def put_aside(self, project: Path, moves: Mapping[str, str]) -> None:
        await self._user_refs.put_aside(project, moves)

    @override
    async def bring_back(self, project: Path, moves: Mapping[str, str]) -> None:
        await self._user_refs.bring_back(project, moves)

    @override
    async def merge_into(
        self, project: Path, branch: str, commit: str, message: str
    ) -> MergeResult:
        ref = merge_target(branch)
        await self._user_refs.refuse_checked_out(project, (ref,))
        await self._user_refs.refuse_symbolic(project, (ref,))
        base = await self._user.resolve(project, ref)
        # Merged in our own repository: theirs may name programs that merge.
        await _take(base, self._own)
        if await self.descends(commit, base.commit):
            merged = MergeResult(commit=commit)
        else:
            merged = await self.merge(base.commit, commit, message)
        if merged.commit is None or merged.commit == base.commit:
            return merged
        kept = f"refs/pm/merged/{merged.commit}"
        await self._own.run("update-ref", kept, merged.commit)
        await self._user.take_objects(project, self._own.directory, kept)
        await self._user_refs.move(project, ref, base.commit, merged.commit)
        return merged

    def _moment(self) -> str:
        return f"@{int(self._clock.now().timestamp())} +0000"

    async def _keep_replaced(self, scratch: BareRepository, wanted: str, into: str) -> None:
        """Keep what `into` held so far if the new commit does not contain it.

        The scratch repository is where both can be seen before anything is moved.
        """
        shown = await self._own.run("for-each-ref", "--format=%(objectname)", into)
        old = line(shown)
        if old and not await scratch.is_ancestor(old, wanted):
            await self._own.run("update-ref", f"refs/pm/replaced/{old}", old)


async def _take(base: Base, into: BareRepository) -> None:
    """Copy a commit of the user's in."""
    # History that the user's own git accepted is not ours to find fault with.
    trusted = {"fetch.fsckObjects": "false", "transfer.fsckObjects": "false"}
    # The far end takes none of our settings by itself; this is how it gets them.
    far_end = "git -c safe.directory=* -c core.hooksPath=/dev/null upload-pack"
    await into.run(
        *FETCH,
        f"--upload-pack={far_end}",
        "--",
        str(base.git_directory),
        f"+{base.commit}:{TAKEN}{base.commit}",
        settings=trusted,
    )
