"""An engine to be added: the local one, with a journal of another name."""

from collections.abc import Mapping

from typing_extensions import override

from pm_orchestrator.adapters.engines.local import LocalEngine
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.engine import Body, EngineFactory, RunEngine


class Added(EngineFactory):
    @override
    def open(self, site: AdapterSite, bodies: Mapping[str, Body]) -> RunEngine:
        return LocalEngine(site.directory / "added-journal.db", bodies, site.clock)
