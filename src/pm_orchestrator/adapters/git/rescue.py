"""Rescue refs: the user's files of one moment as a commit, and the way back.

The tree of the commit is the working tree, byte for byte. Its parents are HEAD
and, where something was staged, a commit of that. The message carries what a tree
cannot: permissions, and which paths were ignored then, so that undoing never
takes away a file that was none of ours.
"""

import asyncio
import json
import os
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.git.put_back import (
    Details,
    ReadDetails,
    apply_modes,
    details_of,
    put_index_back,
    split_changes,
    under,
)
from pm_orchestrator.adapters.git.refs import object_id, own_ref
from pm_orchestrator.adapters.git.rescue_memo import LastRescue, memo_key, recall, remember
from pm_orchestrator.adapters.git.rescue_place import Place, RescuePlaces
from pm_orchestrator.adapters.git.trees import entries, printable
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.rescue import Rescue, Restored, Saved, Tree

ROOF = "refs/pm/rescue/"
INDEXES = "refs/pm/rescue-index/"
"""Index files, by their own id; rescues of the same state share one."""
PRIVATE_LIMIT = 512 * 1024**2
"""Bytes of a project without a repository that are copied to the state directory."""
ARGUMENTS = 100_000
"""Bytes of path names in one command line."""


class GitRescue(Rescue):
    """Rescues in the user's repository, or in a private one where there is none."""

    def __init__(self, places: RescuePlaces, private_limit: int = PRIVATE_LIMIT) -> None:
        self._places = places
        self._private_limit = private_limit

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
        key = await asyncio.to_thread(memo_key, place, tree)
        last = None
        # Putting a tree back starts from our index, so that must be brought up to date.
        if beside is None:
            last = await asyncio.to_thread(recall, place, key)
        if last is None or not await self._named(place, ref, last.commit):
            last = await self._save(place, tree, key)
            await self._places.run_refs(place, "update-ref", ref, last.commit)
        return Saved(
            ref=ref,
            commit=last.commit,
            place=place.repository,
            head=place.head,
            ignored=tree.ignored,
            skipped=tuple(map(printable, last.skipped)),
        )

    async def _named(self, place: Place, ref: str, commit: str) -> bool:
        """Give a commit that should be there another name."""
        done = await self._places.run_refs(
            place, "update-ref", ref, object_id(commit), accept=(0, 128)
        )
        return done.exit_code == 0

    async def _save(self, place: Place, tree: Tree, key: str) -> LastRescue:
        skipped = await self._stage(place, tree.ignored)
        written = await self._places.run(place, "write-tree")
        parents = [] if place.head is None else [place.head]
        index, staged = await self._staged(place)
        if staged is not None:
            parents.append(staged)
        details = Details(
            head=place.head,
            index=index,
            modes=dict(tree.modes),
            ignored=tree.ignored,
            skipped=skipped,
        )
        commit = await self._commit(place, _text(written.stdout), parents, details)
        last = LastRescue(key=key, commit=commit, skipped=skipped)
        await asyncio.to_thread(remember, place, last)
        return last

    @override
    async def find(self, project: Path, name: str) -> Saved | None:
        ref = _ref(name)
        for place in await self._all(project):
            found = await self._places.run_refs(
                place, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", accept=(0, 1, 128)
            )
            if found.exit_code == 0:
                commit = _text(found.stdout)
                details = await self._details(place, commit)
                return Saved(
                    ref=ref,
                    commit=commit,
                    place=place.repository,
                    head=details.head,
                    ignored=details.ignored,
                    skipped=tuple(map(printable, details.skipped)),
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
        return tuple(sorted(found))

    @override
    async def restore(self, project: Path, current: Saved, target: Saved) -> Restored:
        place = await self._holding(project, target)
        details = await self._details(place, target.commit)
        shown = await self._places.run(
            place, "diff-tree", "-r", "-z", "--raw", "--no-renames", current.commit, target.commit
        )
        written, removed = split_changes(shown.stdout)
        await self._places.run(place, "read-tree", "--reset", "-u", target.commit)
        listed = await self._places.run(place, "ls-tree", "-r", "-z", target.commit)
        await asyncio.to_thread(apply_modes, project, entries(listed.stdout), details.modes)
        moved = details.head != place.head
        restored = False if moved else await self._put_index_back(place, details.index)
        return Restored(
            written=tuple(map(printable, written)),
            removed=tuple(map(printable, removed)),
            head_was=details.head,
            head_is=place.head,
            index_restored=restored,
        )

    @override
    async def forget(self, project: Path, saved: Saved) -> None:
        place = await self._holding(project, saved)
        await self._places.run_refs(place, "update-ref", "-d", own_ref(saved.ref))

    @override
    async def head(self, project: Path) -> str | None:
        return (await self._places.of(project)).head

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

    async def _all(self, project: Path) -> list[Place]:
        first = await self._places.of(project)
        if not first.user:
            return [first]
        return [first, await self._places.without_repository(project)]

    async def _holding(self, project: Path, saved: Saved | None) -> Place:
        """Where `saved` is; without one, where new rescues go."""
        place = await self._places.of(project)
        if saved is None or place.repository == saved.place:
            return place
        return await self._places.without_repository(project)

    async def _stage(self, place: Place, ignored: frozenset[str]) -> tuple[str, ...]:
        """Bring our index to the state of the files; returns what could not be read."""
        added = await self._places.run(
            place, "add", "--all", "--ignore-errors", "--", ".", accept=(0, 1)
        )
        if place.user:
            await self._stage_ignored_but_tracked(place)
        listed = await self._places.run(place, "ls-files", "-z", "--stage")
        pairs = [line.partition(b"\t") for line in listed.stdout.split(b"\0") if line]
        names = [(head, os.fsdecode(name)) for head, _, name in pairs]
        # They are here only because a rule was dropped, or was not there at an earlier save.
        foreign = [name for _, name in names if under(name, ignored)] if ignored else []
        for portion in _portions(foreign):
            await self._places.run(place, "update-index", "--force-remove", "--", *portion)
        nested = [name for head, name in names if head.startswith(b"160000")]
        trouble = added.stderr.decode("utf-8", "replace").splitlines() if added.exit_code else []
        return (*nested, *(line for line in trouble if line.startswith("error:")))

    async def _stage_ignored_but_tracked(self, place: Place) -> None:
        """A file the user tracks is theirs although a rule ignores it."""
        listed = await self._places.run_refs(
            place, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard"
        )
        names = [os.fsdecode(n) for n in listed.stdout.split(b"\0") if n]
        there = await asyncio.to_thread(_existing, place.project, names)
        for portion in _portions(there):
            await self._places.run(
                place, "add", "--force", "--ignore-errors", "--", *portion, accept=(0, 1)
            )

    async def _staged(self, place: Place) -> tuple[str | None, str | None]:
        """Keep the user's index: the file itself, and a commit of what is staged."""
        if place.index is None or not await asyncio.to_thread(place.index.exists):
            return None, None
        copy = place.private / "user-index"
        await asyncio.to_thread(_copy, place.index, copy)
        made = await self._places.run(place, "hash-object", "-w", "--no-filters", "--", str(copy))
        blob = object_id(_text(made.stdout))
        await self._places.run_refs(place, "update-ref", own_ref(f"{INDEXES}{blob}"), blob)
        # Fails for an index with conflicts; the file itself is kept all the same.
        tree = await self._places.run(place, "write-tree", accept=(0, 128), index="user-index")
        if tree.exit_code != 0:
            return blob, None
        commit = await self._places.run(
            place, "commit-tree", "-m", "index", object_id(_text(tree.stdout))
        )
        return blob, object_id(_text(commit.stdout))

    async def _put_index_back(self, place: Place, blob: str | None) -> bool:
        if place.index is None or blob is None:
            return False
        found = await self._places.run_refs(place, "cat-file", "blob", object_id(blob))
        await asyncio.to_thread(put_index_back, place.index, found.stdout)
        return True

    async def _commit(self, place: Place, tree: str, parents: list[str], details: Details) -> str:
        message = place.private / "message"
        text = "State of the files before a task\n\n" + json.dumps(details.to_builtins())
        await asyncio.to_thread(message.write_text, text, encoding="utf-8")
        options = [part for parent in parents for part in ("-p", parent)]
        made = await self._places.run(
            place, "commit-tree", *options, "-F", str(message), object_id(tree)
        )
        return object_id(_text(made.stdout))

    async def _details(self, place: Place, commit: str) -> ReadDetails:
        shown = await self._places.run_refs(place, "cat-file", "commit", object_id(commit))
        return details_of(shown.stdout)


def _ref(name: str) -> str:
    return own_ref(f"{ROOF}{name}")


def _text(output: bytes) -> str:
    return output.decode("ascii").strip()


def _copy(source: Path, target: Path) -> None:
    target.write_bytes(source.read_bytes())


def _existing(project: Path, names: list[str]) -> list[str]:
    return [name for name in names if os.path.lexists(project / name)]


def _portions(names: list[str]) -> list[list[str]]:
    """Names in pieces that fit into a command line."""
    portions: list[list[str]] = []
    room = 0
    for name in names:
        room -= len(name) * 4 + 1
        if room < 0:
            portions.append([])
            room = ARGUMENTS
        portions[-1].append(name)
    return portions
