"""Several real processes on one bus, one of them killed in the middle of its work."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pm_orchestrator.adapters.queues.file_queue import FileQueue
from pm_orchestrator.adapters.system_clock import RandomIds, SystemClock

PROGRAM = Path(__file__).with_name("bus_process.py")
SENDERS = ("left", "middle", "right")
EACH = 100


@pytest.fixture
def started() -> Iterator[list["subprocess.Popen[str]"]]:
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.kill()
        with process:
            pass


@pytest.mark.long
def test_every_message_is_acknowledged_once_and_none_is_lost(
    tmp_path: Path, started: list["subprocess.Popen[str]"]
) -> None:
    """E-18: between processes nothing is lost."""

    def start(*arguments: str) -> "subprocess.Popen[str]":
        argv = [sys.executable, str(PROGRAM), *arguments]
        started.append(subprocess.Popen(argv, stdout=subprocess.PIPE, text=True))
        return started[-1]

    root = str(tmp_path / "bus")
    victim = start("claim", root)
    senders = [start("send", root, name, str(EACH)) for name in SENDERS]
    claimers = [start("claim", root) for _ in range(3)]
    assert victim.stdout is not None
    said = [victim.stdout.readline().strip() for _ in range(5)]
    victim.kill()
    said += victim.communicate()[0].split()
    assert all(sender.wait() == 0 for sender in senders)
    for claimer in claimers:
        said += claimer.communicate()[0].split()
        assert claimer.returncode == 0

    # The victim may have died between acknowledging its last message and saying so.
    assert len(said) == len(set(said))
    assert len(said) >= EACH * len(SENDERS) - 1
    inbox = tmp_path / "bus" / "inbox" / "worker-1"
    done = {path.name.split(".")[0] for path in (inbox / "done").iterdir()}
    assert len(done) == len(list((inbox / "done").iterdir())) == EACH * len(SENDERS)
    assert not list((inbox / "ready").iterdir())
    assert not list((inbox / "claimed").iterdir())

    queue = FileQueue(tmp_path / "bus", SystemClock(), RandomIds())
    history = asyncio.run(queue.history("run_001"))
    for name in SENDERS:
        assert [m.payload["number"] for m in history if m.sender == name] == list(range(EACH))
