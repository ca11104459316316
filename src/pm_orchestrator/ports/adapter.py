"""How an adapter comes about: it says what it needs, is handed a site, and takes its part.

Whoever chooses an adapter knows its name and its family, and nothing else about it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from pm_orchestrator.ports.clock import Clock, IdSource
from pm_orchestrator.ports.process import CommandRunner
from pm_orchestrator.ports.store import DurableFiles


class Needs(msgspec.Struct, frozen=True, kw_only=True):
    """What must be there before an adapter can work; `doctor` looks for it."""

    variables: tuple[str, ...] = ()
    """Variables of the environment, such as the address of a service."""
    programs: tuple[str, ...] = ()
    """What it calls; the first has to be there, the others may."""


class AdapterFactory(Protocol):
    """What the factories of all families have in common.

    It is made without arguments, and making it costs nothing.
    """

    @property
    def needs(self) -> Needs:
        """Nothing, unless it says otherwise."""
        return Needs()


class AdapterSite(msgspec.Struct, frozen=True, kw_only=True):
    """What an adapter may build on; each takes from it what it needs."""

    project: Path
    directory: Path
    """For its own files: of the run it serves, or of the project where it serves all runs.
    It need not be there yet."""
    variables: Mapping[str, str]
    """The environment, without the keys of model vendors: those stay in the gateway."""
    search_path: str
    """Where programs are looked for."""
    clock: Clock
    ids: IdSource
    files: DurableFiles
    commands: CommandRunner
