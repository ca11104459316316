"""Real processes, really killed, on one journal."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("durable_process.py")
STEPS = 60


class Owner:
    """A process that owns the run, or tries to."""

    def __init__(self, folder: Path, steps: int = STEPS) -> None:
        argv = [sys.executable, PROGRAM, folder / "journal.db", folder / "effects", str(steps)]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)

    def wait_for_lines(self, count: int) -> list[str]:
        assert self.process.stdout is not None
        return [self.process.stdout.readline().strip() for _ in range(count)]

    def end(self) -> list[str]:
        """Everything it still has to say until it ends by itself."""
        return self.process.communicate()[0].splitlines()

    def kill(self) -> None:
        self.process.kill()
        # Leaving the context closes the pipe and reaps the process, also the second time.
        with self.process:
            pass


@pytest.fixture
def owners() -> Iterator[list[Owner]]:
    started: list[Owner] = []
    yield started
    for owner in started:
        owner.kill()


def answered(folder: Path) -> set[str]:
    db = sqlite3.connect(folder / "journal.db")
    try:
        return {key for (key,) in db.execute("SELECT key FROM step WHERE position IS NOT NULL")}
    finally:
        db.close()


def effects(folder: Path) -> list[str]:
    return [line.split()[0] for line in (folder / "effects").read_text("utf-8").splitlines()]


def start(owners: list[Owner], folder: Path, steps: int = STEPS) -> Owner:
    owners.append(Owner(folder, steps))
    return owners[-1]


def test_kills_cost_no_finished_step(tmp_path: Path, owners: list[Owner]) -> None:
    calm, stormy = tmp_path / "calm", tmp_path / "stormy"
    calm.mkdir()
    stormy.mkdir()
    expected = start(owners, calm).end()[-1]

    for lines in (2, 5, 4, 7, 3):
        owner = start(owners, stormy)
        assert all(owner.wait_for_lines(lines))
        owner.kill()
        finished, before = answered(stormy), len(effects(stormy))
        last = start(owners, stormy)
        last.wait_for_lines(1)
        last.kill()
        assert not finished & set(effects(stormy)[before:])
    finished, before = answered(stormy), len(effects(stormy))
    assert start(owners, stormy).end()[-1] == expected
    assert not finished & set(effects(stormy)[before:])
    assert set(effects(stormy)) == {f"step-{n}" for n in range(STEPS)}


def test_a_living_owner_is_not_pushed_aside(tmp_path: Path, owners: list[Owner]) -> None:
    first = start(owners, tmp_path, 3000)
    first.wait_for_lines(3)
    first.process.send_signal(signal.SIGSTOP)
    second = start(owners, tmp_path, 3000)
    (refusal,) = second.end()
    assert refusal.startswith("refused E402")
    assert f"process {first.process.pid}." in refusal
    assert second.process.returncode == 3
    first.kill()
    third = start(owners, tmp_path, 3000)
    assert all(third.wait_for_lines(3))


def test_an_owner_that_wakes_after_a_takeover_is_fenced(
    tmp_path: Path, owners: list[Owner]
) -> None:
    first = start(owners, tmp_path, 3000)
    first.wait_for_lines(3)
    first.process.send_signal(signal.SIGSTOP)
    # What a lost lock looks like: the file that carries it is another one now.
    (tmp_path / "journal.db.lock").unlink()
    second = start(owners, tmp_path, 3000)
    second.wait_for_lines(3)
    first.process.send_signal(signal.SIGCONT)
    last = first.end()[-1]
    assert last.startswith("refused E402")
    assert f"process {second.process.pid}." in last
    assert second.process.poll() is None
