"""A runtime to be added: bubblewrap, which leaves a note where it was used."""

from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.process import CommandRunner
from pm_orchestrator.ports.sandbox import RuntimeFactory, Sandbox, SandboxRuntime, SandboxSpec


class Noting(BwrapRuntime):
    def __init__(self, commands: CommandRunner, search_path: str, note: Path) -> None:
        super().__init__(commands, search_path=search_path)
        self._note = note

    @property
    @override
    def name(self) -> str:
        return "added"

    @override
    async def open(self, spec: SandboxSpec) -> Sandbox:
        self._note.parent.mkdir(parents=True, exist_ok=True)
        self._note.touch()
        return await super().open(spec)


class Added(RuntimeFactory):
    @override
    def create(self, site: AdapterSite) -> SandboxRuntime:
        return Noting(site.commands, site.search_path, site.directory / "added-sandbox")
