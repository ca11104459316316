"""Which models turned out to have no tool calls of their own: found out once, and remembered."""

from functools import partial
from pathlib import Path

from pm_orchestrator.dispatch.text_tools import TextTools
from pm_orchestrator.domain.record import MalformedRecordError, Record, from_json, to_file
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.project.project import Project


class ToollessModels(Record, frozen=True, kw_only=True):
    """`.pm-orchestrator/runtime/state/toolless-models.json`."""

    models: tuple[str, ...] = ()
    """Each behind the name of its adapter."""


class ToollessMemory:
    """Looks up and notes models of one project; by adapter, as vendors differ under one name."""

    def __init__(self, files: DurableFiles, state: Path) -> None:
        self._files = files
        self._path = state / "toolless-models.json"

    def lacks(self, adapter: str, model: str) -> bool:
        return f"{adapter}/{model}" in self._read().models

    async def note(self, adapter: str, model: str) -> None:
        known = dict.fromkeys((*self._read().models, f"{adapter}/{model}"))
        await self._files.replace(self._path, to_file(ToollessModels(models=tuple(known))))

    def _read(self) -> ToollessModels:
        try:
            return from_json(ToollessModels, self._files.read(self._path), str(self._path))
        except (FileNotFoundError, MalformedRecordError):
            # It is found out again.
            return ToollessModels()


def with_text_tools(model: ChatModel, adapter: str, project: Project) -> ChatModel:
    """`model`, which calls tools in words where it cannot otherwise."""
    memory = ToollessMemory(project.files, project.paths.state)
    return TextTools(model, partial(memory.lacks, adapter), partial(memory.note, adapter))
