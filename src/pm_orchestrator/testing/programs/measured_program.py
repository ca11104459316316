"""The program with its peak memory, and with no more power over files than a user has."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from pm_orchestrator.testing.programs.called_program import Ran

KIB = 1024
# The kernel keeps the peak of this very process; a child's would hide it in getrusage.
LAUNCH = """
import atexit, os, runpy, sys
from pathlib import Path

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    Path(os.environ["PEAK_FILE"]).write_text(next(x.split()[1] for x in lines if "VmHWM" in x))

atexit.register(peak)
runpy.run_module("pm_orchestrator", run_name="__main__", alter_sys=True)
"""
# Root may read and write anything, unless that power is taken away first.
AS_A_USER = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")


class Measured(Ran):
    """One finished call; `peak` is the most memory it ever had, in MB."""

    def __init__(self, done: "subprocess.CompletedProcess[str]", peak: int) -> None:
        super().__init__(done)
        self.peak = peak


def run_measured(
    where: Path,
    environment: Mapping[str, str],
    *arguments: str,
    stdin: str = "",
    patience_s: float = 55,
) -> Measured:
    """Run `pm-orchestrator ARGUMENTS` in `where`, which also takes the measurement."""
    note = where / "peak-memory"
    lowered = AS_A_USER if os.geteuid() == 0 else ()
    done = subprocess.run(
        [*lowered, sys.executable, "-c", LAUNCH, *arguments],
        input=stdin,
        cwd=where,
        env={**environment, "PEAK_FILE": str(note)},
        capture_output=True,
        text=True,
        timeout=patience_s,
        check=False,
    )
    return Measured(done, int(note.read_text(encoding="ascii")) * KIB // 10**6)
