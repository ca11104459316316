"""All checks at the same time, each in its own box of time; none can take the others down."""

import asyncio
import platform
from collections.abc import Awaitable, Callable, Mapping

from pm_orchestrator import __version__
from pm_orchestrator.bootstrap.doctor import (
    isolation,
    models_there,
    places,
    programs as tools,
    project_checks as project,
    services,
)
from pm_orchestrator.bootstrap.doctor.surroundings import Finding, Surroundings
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record

Check = Callable[[Surroundings], Awaitable[list[Finding]]]
Slow = Callable[[str], None]

CHECKS: dict[str, tuple[Check, float]] = {
    "python": (tools.python, 5.0),
    "git": (tools.git, 15.0),
    **{name: (tools.coding_cli(name), 20.0) for name in tools.CODING_CLIS},
    "executor": (tools.ways_to_work, 5.0),
    "sandboxes": (isolation.sandboxes, 40.0),
    "workers": (isolation.workers, 40.0),
    "gates": (isolation.gates, 40.0),
    "containers": (isolation.containers, 30.0),
    "keys": (services.keys, 5.0),
    "needs": (services.needs, 5.0),
    "model": (services.model, 5.0),
    "vendors": (models_there.vendors, 15.0),
    "redis": (services.redis, 10.0),
    "places": (places.places, 15.0),
    "settings": (project.settings, 10.0),
    "evidence": (project.evidence, 60.0),
    "owners": (project.owners, 10.0),
    "unfinished tasks": (project.unfinished, 10.0),
}
"""In the order in which they are shown: the check and the seconds it may take."""
SLOW_S = 2.0
"""After this a person is told what we wait for."""


class DoctorReport(Record, frozen=True, kw_only=True):
    """Everything that was found."""

    well: bool
    """Nothing essential is wrong."""
    version: str
    """Of this program."""
    system: str
    project: str
    findings: tuple[Finding, ...]


async def examine(
    surroundings: Surroundings, slow: Slow, checks: Mapping[str, tuple[Check, float]] | None = None
) -> DoctorReport:
    """Run every check; `slow` hears the name of each that takes its time."""
    async with asyncio.TaskGroup() as group:
        running = [
            group.create_task(_boxed(surroundings, name, check, seconds, slow))
            for name, (check, seconds) in (checks or CHECKS).items()
        ]
    findings = tuple(finding for task in running for finding in task.result())
    return DoctorReport(
        well=all(finding.level != "problem" for finding in findings),
        version=__version__,
        system=platform.platform(),
        project=str(surroundings.paths.root),
        findings=findings,
    )


async def _boxed(
    surroundings: Surroundings, name: str, check: Check, seconds: float, slow: Slow
) -> list[Finding]:
    loop = asyncio.get_running_loop()
    reminder = loop.call_later(SLOW_S, slow, name)
    try:
        async with asyncio.timeout(seconds):
            return await check(surroundings)
    except TimeoutError:
        return [surroundings.found(name, "problem", "check_timeout", seconds=seconds)]
    except PmError as error:
        params = {"code": error.code, "what": error.what(surroundings.lang)}
        hint = error.hint(surroundings.lang)
        return [surroundings.found(name, "problem", "settings_wrong", hint=hint, **params)]
    except Exception as bug:  # noqa: BLE001 - a check that breaks is a finding, not a traceback
        reason = f"{type(bug).__name__}: {bug}"
        return [surroundings.found(name, "problem", "check_failed", reason=reason)]
    finally:
        reminder.cancel()
