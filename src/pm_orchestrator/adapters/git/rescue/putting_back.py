"""Putting back what a rescue holds: all of it, or what one task changed.

Loaded when something is undone, which most tasks never are.
"""

import asyncio

from pm_orchestrator.adapters.git.refs import object_id
from pm_orchestrator.adapters.git.rescue.beside_the_tree import (
    ReadDetails,
    apply_modes,
    details_of,
    put_index_back,
    split_changes,
    take_away,
)
from pm_orchestrator.adapters.git.rescue.rescue_place import RescuePlaces, RescueRepository
from pm_orchestrator.adapters.git.rescue.staging import portions
from pm_orchestrator.adapters.git.trees import entries, printable_path
from pm_orchestrator.ports.rescue import Exchanged, Restored, Saved


async def read_details(places: RescuePlaces, place: RescueRepository, commit: str) -> ReadDetails:
    """What the rescue says besides its files."""
    shown = await places.run_refs(place, "cat-file", "commit", object_id(commit))
    return details_of(shown.stdout)


async def restore(
    places: RescuePlaces, place: RescueRepository, current: Saved, target: Saved
) -> Restored:
    """Every file as `target` has it, and the user's index where the branch is the same."""
    details = await read_details(places, place, target.commit)
    shown = await places.run(
        place, "diff-tree", "-r", "-z", "--raw", "--no-renames", current.commit, target.commit
    )
    written, removed = split_changes(shown.stdout)
    await places.run(place, "read-tree", "--reset", "-u", target.commit)
    listed = await places.run(place, "ls-tree", "-r", "-z", target.commit)
    await asyncio.to_thread(apply_modes, place.project, entries(listed.stdout), details.modes)
    # Another branch may be at the same commit, and has the same index then.
    moved = details.head != place.head
    restored = False if moved else await _put_index_back(places, place, details.index)
    return Restored(
        written=tuple(map(printable_path, written)),
        removed=tuple(map(printable_path, removed)),
        head_was=details.head,
        head_is=place.head,
        branch_was=details.branch,
        branch_is=place.branch,
        index_restored=restored,
    )


async def exchange(
    places: RescuePlaces, place: RescueRepository, states: tuple[Saved, Saved, Saved]
) -> Exchanged:
    """What differs between the second and third of the states, where the first did not move."""
    current, origin, target = states

    async def differing(one: Saved, other: Saved) -> tuple[list[str], list[str]]:
        shown = await places.run(
            place, "diff-tree", "-r", "-z", "--raw", "--no-renames", one.commit, other.commit
        )
        return split_changes(shown.stdout)

    write, remove = await differing(origin, target)
    if not write and not remove:
        return Exchanged()
    since = {path for paths in await differing(origin, current) for path in paths}
    there = {path for paths in await differing(current, target) for path in paths}
    written, removed = ([p for p in paths if p not in since] for paths in (write, remove))
    await asyncio.to_thread(take_away, place.project, removed)
    await places.run(place, "read-tree", target.commit, index="exchange")
    for names in portions(written):
        await places.run(place, "checkout-index", "--force", "--", *names, index="exchange")
    details = await read_details(places, place, target.commit)
    listed = await places.run(place, "ls-tree", "-r", "-z", target.commit)
    mine = [entry for entry in entries(listed.stdout) if entry.name in set(written)]
    await asyncio.to_thread(apply_modes, place.project, mine, details.modes)
    left = [path for path in (*write, *remove) if path in since & there]
    return Exchanged(
        written=tuple(map(printable_path, written)),
        removed=tuple(map(printable_path, removed)),
        left=tuple(map(printable_path, left)),
    )


async def _put_index_back(places: RescuePlaces, place: RescueRepository, blob: str | None) -> bool:
    if place.index is None or blob is None:
        return False
    found = await places.run_refs(place, "cat-file", "blob", object_id(blob))
    await asyncio.to_thread(put_index_back, place.index, found.stdout)
    return True
