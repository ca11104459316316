"""What an adapter is handed in its conformance test."""

from pathlib import Path

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock

PROGRAMS = "/usr/bin:/bin"


def adapter_site(directory: Path, clock: Clock | None = None, **variables: str) -> AdapterSite:
    """A site with everything real but time and ids."""
    time = clock or FakeClock()
    return AdapterSite(
        project=directory,
        directory=directory,
        variables={"PATH": PROGRAMS, **variables},
        search_path=PROGRAMS,
        clock=time,
        ids=CountingIds(),
        files=LocalFiles(time),
        commands=LocalCommands(kill_grace_s=0.2),
    )
