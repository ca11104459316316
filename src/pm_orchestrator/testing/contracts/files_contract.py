"""What every DurableFiles must do; a conformance test gives it a store and a place."""

import asyncio
from pathlib import Path

import pytest

from pm_orchestrator.ports.store import DurableFiles


class FilesContract:
    """Subclass this with a fixture `files`; `tmp_path` is the place."""

    async def test_create_writes_and_never_overwrites(
        self, files: DurableFiles, tmp_path: Path
    ) -> None:
        path = tmp_path / "new" / "deep" / "file"
        await files.create(path, b"one")
        with pytest.raises(FileExistsError):
            await files.create(path, b"two")
        assert files.read(path) == b"one"

    async def test_replace_takes_the_place_of_the_old(
        self, files: DurableFiles, tmp_path: Path
    ) -> None:
        path = tmp_path / "new" / "file"
        await files.replace(path, b"a longer first version")
        await files.replace(path, b"second")
        assert files.read(path) == b"second"

    async def test_append_adds_to_the_end(self, files: DurableFiles, tmp_path: Path) -> None:
        path = tmp_path / "new" / "log"
        await files.append(path, b"one\n")
        await files.append(path, b"two\n")
        files.note(path, b"three\n")
        assert files.read(path) == b"one\ntwo\nthree\n"
        assert files.read(path, 4) == b"two\nthree\n"
        assert files.size(path) == 14

    async def test_a_note_makes_its_file(self, files: DurableFiles, tmp_path: Path) -> None:
        files.note(tmp_path / "state" / "heads", b"x")
        assert files.read(tmp_path / "state" / "heads") == b"x"

    async def test_create_and_append_does_both(self, files: DurableFiles, tmp_path: Path) -> None:
        log = tmp_path / "evidence" / "chain"
        for number in range(3):
            new = {tmp_path / "evidence" / f"{number}": b"r", tmp_path / "raw" / f"{number}": b""}
            await files.create_and_append(new, log, b"%d\n" % number, tmp_path / "ahead")
        assert files.read(log) == b"0\n1\n2\n"
        assert files.read(tmp_path / "evidence" / "2") == b"r"
        assert files.read(tmp_path / "raw" / "2") == b""

    async def test_create_and_append_leaves_the_log_alone_when_a_file_is_there(
        self, files: DurableFiles, tmp_path: Path
    ) -> None:
        await files.create(tmp_path / "there", b"old")
        new = {tmp_path / "a": b"a", tmp_path / "there": b"new"}
        with pytest.raises(FileExistsError):
            await files.create_and_append(new, tmp_path / "log", b"line\n", tmp_path / "ahead")
        assert files.size(tmp_path / "log") == 0
        assert files.read(tmp_path / "there") == b"old"

    async def test_cut_shortens(self, files: DurableFiles, tmp_path: Path) -> None:
        await files.append(tmp_path / "log", b"whole\ntor")
        await files.cut(tmp_path / "log", 6)
        assert files.read(tmp_path / "log") == b"whole\n"

    async def test_remove_takes_away_what_is_there(
        self, files: DurableFiles, tmp_path: Path
    ) -> None:
        one, two = tmp_path / "folder" / "1", tmp_path / "folder" / "2"
        await files.create(one, b"one")
        await files.create(two, b"two")
        await files.remove([one, tmp_path / "folder" / "none", tmp_path / "no" / "folder"])
        await files.remove([])
        assert files.names(tmp_path / "folder") == ("2",)
        await files.create(one, b"again")
        assert files.names(tmp_path / "folder") == ("1", "2")
        assert files.names(one) == files.names(tmp_path / "none") == ()

    async def test_room_is_kept_until_it_is_removed(
        self, files: DurableFiles, tmp_path: Path
    ) -> None:
        room = tmp_path / "new" / "room"
        for size in (4096, 4096, 8192):
            await files.keep_room(room, size)
            assert files.size(room) == size
        await files.remove([room])
        assert files.names(tmp_path / "new") == ()

    async def test_what_is_not_there(self, files: DurableFiles, tmp_path: Path) -> None:
        assert files.size(tmp_path / "nothing") == 0
        with pytest.raises(FileNotFoundError):
            files.read(tmp_path / "nothing")

    async def test_holders_take_turns(self, files: DurableFiles, tmp_path: Path) -> None:
        inside = 0
        most = 0

        async def hold() -> None:
            nonlocal inside, most
            async with files.exclusive(tmp_path / "new" / "log"):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.001)
                inside -= 1

        async with asyncio.TaskGroup() as group:
            for _ in range(5):
                group.create_task(hold())
        assert most == 1
