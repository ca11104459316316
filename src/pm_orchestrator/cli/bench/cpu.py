"""The CPU time of a program with everything it starts, daemons included."""

import sys
from collections.abc import Mapping
from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Command
from pm_orchestrator.runner.project.project import Project

# Whoever leaves its parent becomes a child of the meter, which waits until nobody is left;
# so nothing escapes the sum, and the meter itself is no part of it.
METER = """\
import ctypes, os, resource, sys
assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0
main = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
code = 0
while True:
    try:
        pid, status = os.wait()
    except ChildProcessError:
        break
    if pid == main:
        code = os.waitstatus_to_exitcode(status)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("\\n", used.ru_utime + used.ru_stime)
sys.exit(code)
"""


async def cpu_seconds(
    opened: Project, argv: tuple[str, ...], variables: Mapping[str, str]
) -> float:
    """Run it to its end; user and system time of its whole tree.

    Raises:
        PmError: E905 when it did not end well: then its time means nothing.
    """
    command = Command(
        argv=(sys.executable, "-I", "-S", "-c", METER, *argv),
        cwd=Path(opened.paths.root),
        env=variables,
        timeout_s=60,
    )
    ran = await opened.commands.run(command)
    if ran.exit_code != 0:
        said = (ran.stderr or ran.stdout).decode(errors="replace")[-500:]
        raise PmError("program_fault", reason=f"{argv[1:]} ended with {ran.exit_code}: {said}")
    return float(ran.stdout.split()[-1])
