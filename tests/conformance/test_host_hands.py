"""The user's own directory keeps the contract of hands."""

from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.sandboxes.host_hands import HostHands
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.hands import Hands
from pm_orchestrator.testing.contracts.hands_contract import HandsContract


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    return place


class TestHostHands(HandsContract):
    @pytest.fixture
    @override
    def hands(self, directory: Path) -> Hands:
        commands = LocalCommands(kill_grace_s=0.2)
        return HostHands(commands, directory, {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"})

    @pytest.mark.parametrize("path", ["../planted", "/planted", "up/planted", "direct", "a/../b"])
    async def test_paths_cannot_leave_the_directory(
        self, hands: Hands, directory: Path, path: str
    ) -> None:
        planted = directory.parent / "planted"
        planted.write_bytes(b"secret")
        (directory / "up").symlink_to("..")
        (directory / "direct").symlink_to(planted)
        with pytest.raises(PmError, match="E703"):
            await hands.read_file(path)
        with pytest.raises(PmError, match="E703"):
            await hands.write_file(path, b"x")
        assert planted.read_bytes() == b"secret"

    async def test_a_link_to_the_project_is_the_project(self, directory: Path) -> None:
        link = directory.parent / "link"
        link.symlink_to(directory)
        await HostHands(LocalCommands(), link, {}).write_file("made", b"1")
        assert (directory / "made").read_bytes() == b"1"
