"""Rescue refs: the user's files of one moment as a commit, and the way back.

The tree of the commit is the working tree, byte for byte. Its parents are HEAD
and, where something was staged, a commit of that. The message carries what a tree
cannot: permissions, and which paths were ignored then, so that undoing never
takes away a file that was none of ours.
"""

import asyncio
import json
from collections.abc import Collection, Mapping
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.git.refs import object_id, own_ref
from pm_orchestrator.adapters.git.rescue.rescue_memo import (
    KeptIndex,
    LastRescue,
    memo_key,
    recall,
    remember,
)
from pm_orchestrator.adapters.git.rescue.rescue_place import RescuePlaces, RescueRepository
from pm_orchestrator.adapters.git.rescue.rescue_refs import latest_of, latest_rescues, refs_named
from pm_orchestrator.adapters.git.trees import printable_path
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.rescue import CheckedOut, Exchanged, Rescue, Restored, Saved, Tree

ROOF = "refs/pm/rescue/"
PRIVATE_LIMIT = 512 * 1024**2
"""Bytes of a project without a repository that are copied to the state directory."""


class GitRescue(Rescue):
    """Rescues in the user's repository, or in a private one where there is none."""

    def __init__(self, places: RescuePlaces, private_limit: int = PRIVATE_LIMIT) -> None:
        self._places = places
        self._private_limit = private_limit
        self._plain: Path | None = None
        """Where the refs of the last look are plain files."""

    @override
    async def save(self, tree: Tree, name: str, beside: Saved | None = None) -> Saved:
        ref = _ref(name)
        place = await self._holding(tree.project, beside)
        if not place.user and tree.size > self._private_limit:
            reason = (
                f"the project has no git repository and {tree.size} bytes; "
                f"at most {self._private_limit} are copied for undo"
            )
            raise PmError("rescue_too_large", path=place.private, reason=reason)
        key, last = await asyncio.to_thread(lambda: (memo_key(place, tree), recall(place)))
        # Putting a tree back starts from our index, so that must be brought up to date.
        if last is None or last.key != key or not await self._places.has(place, last.commit):
            last = await self._save(place, tree, key, last)
        elif beside is not None:
            await self._stage(place, tree, last)
        await self._places.point(place, ref, last.commit)
        return Saved(
            ref=ref,
            commit=last.commit,
            place=place.repository,
            head=place.head,
            branch=place.branch,
            ignored=tree.ignored,
            skipped=tuple(map(printable_path, last.skipped)),
        )

    async def _stage(
        self, place: RescueRepository, tree: Tree, last: LastRescue | None
    ) -> tuple[KeptIndex | None, str, tuple[str, ...]]:
        """Write the files, so that our index holds them; and what was left out."""
        from pm_orchestrator.adapters.git.rescue.staging import Staging

        staging = Staging(self._places, place)
        index = await staging.keep_index(None if last is None else last.index)
        try:
            return index, *await staging.write_tree(tree)
        except PmError as error:
            if error.slug != "git_failed":
                raise
            # Our index may remember objects of a repository that was made anew since.
            await staging.forget()
            return index, *await staging.write_tree(tree)

    async def _save(
        self, place: RescueRepository, tree: Tree, key: str, last: LastRescue | None
    ) -> LastRescue:
        from pm_orchestrator.adapters.git.rescue.beside_the_tree import Details

        index, written, skipped = await self._stage(place, tree, last)
        parents = [] if place.head is None else [place.head]
        if index is not None and index.staged is not None:
            parents.append(index.staged)
        details = Details(
            head=place.head,
            branch=place.branch,
            index=None if index is None else index.blob,
            modes=dict(tree.modes),
            ignored=tree.ignored,
            skipped=skipped,
        )
        text = "State of the files before a task\n\n" + json.dumps(details.to_builtins())
        commit = await self._places.add_commit(place, written, parents, text)
        new = LastRescue(key=key, commit=commit, skipped=skipped, index=index)
        await asyncio.to_thread(remember, place, new)
        return new

    @override
    async def find(self, project: Path, name: str) -> Saved | None:
        from pm_orchestrator.adapters.git.rescue.putting_back import read_details

        ref = _ref(name)
        for place in await self._all(project):
            found = await self._places.run_refs(
                place, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", accept=(0, 1, 128)
            )
            if found.exit_code == 0:
                commit = _text(found.stdout)
                details = await read_details(self._places, place, commit)
                return Saved(
                    ref=ref,
                    commit=commit,
                    place=place.repository,
                    head=details.head,
                    branch=details.branch,
                    ignored=details.ignored,
                    skipped=tuple(map(printable_path, details.skipped)),
                )
        return None

    @override
    async def names(self, project: Path, task: str) -> tuple[str, ...]:
        found: list[str] = []
        pattern = _ref(f"any/{task}").replace("/any/", "/*/")
        for place in await self._all(project):
            shown = await self._places.run_refs(
                place, "for-each-ref", "--format=%(refname)", pattern
            )
            found += [line.removeprefix(ROOF) for line in shown.stdout.decode().splitlines()]
        # Numbers get longer one day: run_1000 comes after run_999.
        return tuple(sorted(found, key=lambda name: (len(name), name)))

    @override
    async def latest(self, project: Path) -> Mapping[str, str]:
        place = await self._places.of(project)
        self._plain = place.refs
        if place.refs is not None:
            # A look at a few small files; a thread would cost more.
            return latest_rescues(place.refs)
        return latest_of(await self._listed(place))

    @override
    async def named_now(self, project: Path, refs: Collection[str]) -> Mapping[str, str]:
        if self._plain is not None:
            return refs_named(self._plain, refs)
        place = await self._places.of(project)
        return {ref: oid for ref, oid in (await self._listed(place)).items() if ref in refs}

    @override
    async def point(self, project: Path, refs: Mapping[str, str]) -> tuple[str, ...]:
        place = await self._places.of(project)
        there = [ref for ref, oid in refs.items() if await self._places.has(place, oid)]
        for ref in there:
            await self._places.point(place, ref, refs[ref])
        return tuple(there)

    async def _listed(self, place: RescueRepository) -> dict[str, str]:
        shown = await self._places.run_refs(
            place, "for-each-ref", "--format=%(objectname) %(refname)", ROOF.rstrip("/")
        )
        pairs = (line.split(" ", 1) for line in shown.stdout.decode().splitlines())
        return {ref: oid for oid, ref in pairs}

    @override
    async def restore(self, project: Path, current: Saved, target: Saved) -> Restored:
        from pm_orchestrator.adapters.git.rescue.putting_back import restore

        return await restore(self._places, await self._holding(project, target), current, target)

    @override
    async def exchange(
        self, project: Path, current: Saved, origin: Saved, target: Saved
    ) -> Exchanged:
        from pm_orchestrator.adapters.git.rescue.putting_back import exchange

        place = await self._holding(project, target)
        return await exchange(self._places, place, (current, origin, target))

    @override
    async def forget(self, project: Path, saved: Saved) -> None:
        place = await self._holding(project, saved)
        await self._places.run_refs(place, "update-ref", "-d", own_ref(saved.ref))

    @override
    async def head(self, project: Path) -> CheckedOut:
        place = await self._places.of(project)
        return CheckedOut(commit=place.head, branch=place.branch)

    @override
    async def descends(self, project: Path, commit: str, base: str) -> bool:
        place = await self._places.of(project)
        asked = await self._places.run_refs(
            place,
            "merge-base",
            "--is-ancestor",
            object_id(base),
            object_id(commit),
            accept=(0, 1, 128),
        )
        return asked.exit_code == 0

    async def _all(self, project: Path) -> list[RescueRepository]:
        first = await self._places.of(project)
        if not first.user:
            return [first]
        return [first, await self._places.without_repository(project)]

    async def _holding(self, project: Path, saved: Saved | None) -> RescueRepository:
        """Where `saved` is; without one, where new rescues go."""
        place = await self._places.of(project)
        if saved is None or place.repository == saved.place:
            return place
        return await self._places.without_repository(project)


def _ref(name: str) -> str:
    return own_ref(f"{ROOF}{name}")


def _text(output: bytes) -> str:
    return output.decode("ascii").strip()
