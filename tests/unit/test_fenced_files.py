"""Whoever lost a session writes nothing any more, however it tries."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.sessions.fenced_files import FencedFiles
from pm_orchestrator.testing.memory.memory_files import MemoryFiles
from pm_orchestrator.testing.memory.memory_owners import MemoryOwners

HERE, LOG, AHEAD = Path("/p/a"), Path("/p/log"), Path("/p/ahead")


async def note(files: FencedFiles) -> None:
    files.note(HERE, b"x")


CHANGES: dict[str, Callable[[FencedFiles], Awaitable[object]]] = {
    "create": lambda files: files.create(Path("/p/new"), b"x"),
    "replace": lambda files: files.replace(HERE, b"x"),
    "append": lambda files: files.append(LOG, b"x"),
    "create and append": lambda files: files.create_and_append(
        {Path("/p/new"): b"x"}, LOG, b"line\n", AHEAD
    ),
    "recover": lambda files: files.recover(LOG, AHEAD),
    "note": note,
    "cut": lambda files: files.cut(LOG, 1),
    "link": lambda files: files.link(Path("/p/link"), HERE),
    "remove": lambda files: files.remove([HERE]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_a_former_owner_changes_nothing(
    change: Callable[[FencedFiles], Awaitable[object]],
) -> None:
    disk = MemoryFiles({HERE: b"a", LOG: b"one\n"})
    owners = MemoryOwners()
    plain = MemoryFiles(dict(disk.disk))
    files = FencedFiles(disk, owners.take(Path("/p/owner"), "the session"))
    await change(files)
    # As long as it is the owner it writes as anybody would.
    await change(cast("Any", plain))
    assert (disk.disk, disk.links, disk.writes) == (plain.disk, plain.links, plain.writes)
    owners.die()
    kept, links = dict(disk.disk), dict(disk.links)
    with pytest.raises(PmError) as refused:
        await change(files)
    assert refused.value.slug == "owner_alive"
    assert (disk.disk, disk.links) == (kept, links)


async def test_looking_needs_no_ownership() -> None:
    owners = MemoryOwners()
    disk = MemoryFiles({HERE: b"abc"})
    files = FencedFiles(disk, owners.take(Path("/p/owner"), "the session"))
    owners.die()
    assert (files.read(HERE, 1), files.size(HERE), files.names(Path("/p"))) == (b"bc", 3, ("a",))
    async with files.exclusive(HERE):
        assert files.read(HERE) == b"abc"
