"""What holds the limits of a sandbox: the kernel's control groups, or else what is inside.

A group has to have room for files in memory as well; what programs take beside them, a watcher
in the sandbox holds. Where no group can be made it is alone with that, programs are kept to some
of the processors, and the kernel counts processes by their user namespace. A program may choose
other processors again, so that one is a limit for who does not evade it.
"""

import os
from collections.abc import Mapping

from pm_orchestrator.adapters.sandboxes.channel import Multiplexer
from pm_orchestrator.adapters.sandboxes.control_groups import CPU, MEMORY, PIDS
from pm_orchestrator.ports.sandbox import SandboxSpec

GROUPS, WATCHER, RLIMITS, AFFINITY = "control groups", "watcher", "rlimits", "affinity"
BESIDE_WATCHER = 2
"""How many times the memory one process alone may take before the watcher has looked."""


def holders(held: frozenset[str], *, counted: bool, cpus: float | None) -> Mapping[str, str]:
    """What holds each limit; `counted` says whether the kernel counts its processes alone."""
    by = {"memory": GROUPS if MEMORY in held else WATCHER}
    if cpus is not None:
        by["cpu"] = GROUPS if CPU in held else AFFINITY
    by["processes"] = GROUPS if PIDS in held else RLIMITS if counted else WATCHER
    return by


def limits_inside(
    spec: SandboxSpec,
    held_by: Mapping[str, str],
    each: Mapping[str, int],
    number: int,
) -> dict[str, object]:
    """What is held inside, with the limits of `each` process."""
    # Want of memory is told apart from failure by who ends a process; a process that is only
    # refused more fails in its own way.
    return {
        "op": "limit",
        "limits": {**each, "RLIMIT_DATA": BESIDE_WATCHER * spec.memory_bytes},
        "memory": spec.memory_bytes,
        "processes": spec.max_processes if held_by["processes"] == WATCHER else 0,
        "cpus": _some_processors(spec, number) if held_by.get("cpu") == AFFINITY else [],
    }


async def hold_inside(multiplexer: Multiplexer, limits: dict[str, object]) -> None:
    """Tell the tool server."""
    stream = await multiplexer.open(limits)
    try:
        await stream.receive()
    finally:
        multiplexer.release(stream)


def _some_processors(spec: SandboxSpec, number: int) -> list[int]:
    """As many as there may be, others for the next sandbox."""
    there = sorted(os.sched_getaffinity(0))
    wanted = min(max(int(spec.cpus or 1), 1), len(there))
    return [there[(number + step) % len(there)] for step in range(wanted)]
