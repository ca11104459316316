"""What test runners in a sandbox report, and that asking them opens no way out of it."""

from collections.abc import AsyncIterator

import pytest

from pm_orchestrator.adapters.sandboxes.asked_runners import PLACE, REPORTS
from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.gates.judge.runner_reports import read_report
from pm_orchestrator.ports.sandbox import Sandbox, SandboxSpec

pytestmark = pytest.mark.timeout(60)

MIB = 1024**2
PYTHON_TEST = """\
import unittest
class SomeTest(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self): self.fail()
"""
NODE_TEST = "require('node:test').test('bad', () => { throw new Error('no'); });\n"


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    runtime = BwrapRuntime(LocalCommands(), search_path="/usr/bin:/bin")
    opened = await runtime.open(SandboxSpec(name="asked", disk_bytes=64 * MIB, asks_runners=True))
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("script", "failed"),
    [
        ("python3 -m unittest -q", "test_some.SomeTest.test_bad"),
        ("env -i /usr/bin/python3 -m unittest -q", "test_some.SomeTest.test_bad"),
        ("node --test", "some.test.js > bad"),
        ("env -i /usr/bin/node --test", "some.test.js > bad"),
    ],
)
async def test_a_failure_is_heard(sandbox: Sandbox, script: str, failed: str) -> None:
    await sandbox.write_file("test_some.py", PYTHON_TEST.encode())
    await sandbox.write_file("some.test.js", NODE_TEST.encode())
    result = await sandbox.run(("sh", "-c", f"{script} || true"))
    report = read_report(await sandbox.reported())
    assert report is not None, result.stderr
    assert (report.failed, report.whole) == ((failed,), True)


@pytest.mark.parametrize(
    "plant", ["ln -s /etc/passwd {}/0", "ln -s /proc/1/mem {}/0", "mkfifo {}/0", "mkdir {}/0"]
)
async def test_what_is_planted_among_the_reports_harms_nobody(sandbox: Sandbox, plant: str) -> None:
    await sandbox.write_file("test_some.py", PYTHON_TEST.encode())
    planted = await sandbox.run(("sh", "-c", plant.format(REPORTS)))
    assert planted.exit_code == 0, planted.stderr
    assert await sandbox.reported() == b""
    await sandbox.run(("python3", "-m", "unittest", "-q"))
    report = read_report(await sandbox.reported())
    assert report is not None
    assert report.executed == 2


async def test_reports_have_a_size_and_nothing_of_the_host_can_be_written(sandbox: Sandbox) -> None:
    flood = await sandbox.run(("sh", "-c", f"head -c 200M /dev/zero > {REPORTS}/0.jsonl"))
    assert flood.exit_code != 0
    assert len(await sandbox.reported()) <= 64 * MIB
    writes = f"echo > /usr/bin/node; echo > {PLACE}/node0; rm -f {PLACE}/node0; echo > /run/x"
    written = await sandbox.run(("sh", "-c", writes))
    assert written.stderr.count(b"\n") >= 4, written.stderr


async def test_who_is_not_asked_reports_nothing() -> None:
    opened = await BwrapRuntime(LocalCommands(), search_path="/usr/bin:/bin").open(
        SandboxSpec(name="silent", disk_bytes=64 * MIB)
    )
    try:
        seen = await opened.run(("sh", "-c", "ls -A ~ /run; node -p process.execPath"))
        assert (seen.stdout.split()[-1:], await opened.reported()) == ([b"/usr/bin/node"], b"")
        assert b"pm-orchestrator" not in seen.stdout
    finally:
        await opened.close()
