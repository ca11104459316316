"""Gates on the tree that lies in the project directory, and on the one before the task.

Each gate sees its tree at the project's own path, in a view that is thrown away: what it
writes reaches neither the user's files nor the next gate. Where no view can be had, it
runs in the directory itself and what it did is put back, and the tree before is a copy.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.judging.gate import Gate, GateKind
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.by_products import made_again
from pm_orchestrator.evidence.look.ignored_files import IgnoredDifferences
from pm_orchestrator.evidence.look.plain_open import read_file
from pm_orchestrator.evidence.look.snapshot import Snapshot
from pm_orchestrator.gates.compare.base_place import gate_files, leads_back
from pm_orchestrator.gates.detect.detection import KINDS
from pm_orchestrator.gates.judge.printed_results import with_printed
from pm_orchestrator.ports.gate_programs import OutsideChanges
from pm_orchestrator.ports.process import CommandResult, DirectoryView, ReportedResult
from pm_orchestrator.ports.saved_files import SavedFiles
from pm_orchestrator.ports.tree_views import Patch, PatchedCopies, PatchedFile, TreeViews
from pm_orchestrator.runner.places.judged.base_patch import BaseUnknown, base_patch
from pm_orchestrator.runner.places.judged.put_back import DeliveredFiles, put_back
from pm_orchestrator.runner.places.place import Judged, OnBase, TreeEdit
from pm_orchestrator.runner.places.workspace import After, Before

RunIn = Callable[[Gate, Path, tuple[DirectoryView, ...]], Awaitable[CommandResult]]
Look = Callable[[], Awaitable[Snapshot]]


class GateParts(msgspec.Struct, frozen=True, kw_only=True):
    """What gates in a directory stand on."""

    root: Path
    run_in: RunIn
    saved_files: SavedFiles
    views: TreeViews
    copies: PatchedCopies
    """For where there are no views."""
    outside_changes: Callable[[], Awaitable[OutsideChanges]]
    """What became otherwise around the project, and what no gate is to see."""
    aside: Path
    """Where files go that a gate changed, when they are put back."""


class DirectoryGates(Judged):
    """One delivered tree; `look` sees it as it is now."""

    def __init__(self, parts: GateParts, before: Before, after: After, look: Look) -> None:
        self._parts = parts
        self._before = before
        self._after = after
        self._look = look
        self._kept = DeliveredFiles({}, frozenset())
        self._in_place = False
        self._in_views: set[str] = set()
        self._unseen: dict[GateKind, tuple[str, ...]] = {}
        """What running code left behind and a gate makes by itself: it is not to see it."""
        self._needing: set[GateKind] = set()

    async def _hold(self) -> None:
        """Hold the work's own files, so that no gate can spoil them."""
        self._kept = await asyncio.to_thread(
            DeliveredFiles.of, self._parts.root, self._after.changes
        )

    @override
    async def run(self, gate: Gate) -> CommandResult:
        # A build that somebody asked for is to leave what it builds.
        if gate.kind in KINDS:
            result = await self._run_without_leavings(gate)
            if result is not None:
                return result
        if not self._in_place:
            self._in_place = True
            await self._hold()
        return await self._parts.run_in(gate, self._parts.root, ())

    async def _run_without_leavings(self, gate: Gate) -> CommandResult | None:
        """The gate without what was left behind, as far as it does not only need that."""
        made = self._after.ignored.made
        if not made:
            return await self._run_in_view(gate, Patch())
        self._unseen[gate.kind] = made
        written: list[str] = []
        result = await self._run_in_view(gate, Patch(), written)
        if result is None or (result.exit_code == 0 and _tested(result)):
            return result
        self._unseen[gate.kind] = again = made_again(made, written)
        if again == made:
            return result
        self._needing.add(gate.kind)
        return await self._run_in_view(gate, Patch())

    @override
    def needs_leavings(self, gate: Gate) -> bool:
        return gate.kind in self._needing

    async def _run_in_view(
        self, gate: Gate, patch: Patch, written: list[str] | None = None
    ) -> CommandResult | None:
        """None where there is no view."""
        around, told = await self._parts.outside_changes(), self._after.ignored.told_to_git
        files = {**told.files, **patch.files}
        gone = (*patch.gone, *told.gone, *self._unseen.get(gate.kind, ()))
        patch = replace(
            patch, files=files, gone=gone, hidden=around.newcomers, elsewhere=around.settings
        )
        async with self._parts.views.of(self._parts.root, patch) as view:
            if view is None:
                return None
            result = await self._parts.run_in(gate, self._parts.root, view.directories)
            touched = await asyncio.to_thread(view.written)
            self._in_views.update(touched)
            if written is not None:
                written += touched
            report = await asyncio.to_thread(view.reported)
            return with_printed(result, report)

    @override
    async def run_on_base(self, gate: Gate) -> OnBase:
        patch = await self._taken_back(self._after.changes, self._after.ignored)
        if isinstance(patch, BaseUnknown):
            return OnBase(result=None, why=patch.why)
        return await self._run_patched(gate, patch)

    @override
    async def run_edited(self, gate: Gate, edit: TreeEdit) -> CommandResult | None:
        unknown = frozenset(self._after.ignored.unknown)
        back = tuple(change for change in edit.taken_back if change.path not in unknown)
        patch = await self._taken_back(back, IgnoredDifferences())
        if isinstance(patch, BaseUnknown):
            return None
        laid = {path: self._laid(path, content) for path, content in edit.contents.items()}
        patch = replace(patch, files={**patch.files, **laid})
        return (await self._run_patched(gate, patch)).result

    async def _taken_back(
        self, changes: tuple[FileChange, ...], ignored: IgnoredDifferences
    ) -> Patch | BaseUnknown:
        return await base_patch(self._before, changes, ignored, self._parts.saved_files)

    async def _run_patched(self, gate: Gate, patch: Patch) -> OnBase:
        root = str(self._parts.root)
        seen = await self._run_in_view(gate, patch)
        if seen is not None:
            return OnBase(result=seen, project=root, base_project=root)
        return await self._run_in_copy(gate, patch)

    def _laid(self, path: str, content: bytes) -> PatchedFile:
        known = self._after.files.get(path)
        return PatchedFile(content=content, mode=0o644 if known is None else known.mode)

    @override
    async def files(self) -> tuple[str, ...]:
        return tuple(sorted(self._after.files))

    async def _run_in_copy(self, gate: Gate, patch: Patch) -> OnBase:
        root = self._parts.root
        async with self._parts.copies.of(root, patch) as copy:
            if copy is None:
                return OnBase(result=None, why="no copy of the project could be made")
            result = await self._parts.run_in(gate, copy, ())
            seen = (result.stdout + result.stderr).decode("utf-8", "replace")
            texts = await asyncio.to_thread(_texts, gate, copy)
            if any(leads_back(text, root) for text in (seen, *texts)):
                # It may have judged the delivered tree again, and that proves nothing.
                return OnBase(result=None, why="the gate led back to the project")
            return OnBase(result=result, project=str(root), base_project=str(copy))

    @override
    async def tidy(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        judged = self._after.files
        seen = tuple(f"written in a view {p}" for p in sorted(self._in_views) if p in judged)
        if not self._in_place:
            return (), seen
        now = await self._look()
        touched = [p for p, state in judged.items() if _digest(now, p) != state.digest]
        added = [p for p in now if p not in judged]
        left = [path for path in touched if not await self._put_back(path)]
        lines = [f"put back {p}" for p in touched if p not in left]
        lines += [f"not put back {p}" for p in left] + [f"added {p}" for p in added]
        return tuple(left), (*lines, *seen)

    async def _put_back(self, path: str) -> bool:
        parts, saved = self._parts, self._before.base
        content = self._kept.content(path)
        if content is None and path not in self._kept.own and saved is not None:
            content = await parts.saved_files.read(saved, path)
        return content is not None and await asyncio.to_thread(
            put_back, parts.root, path, content, self._after.files[path], parts.aside
        )


def _tested(result: CommandResult) -> bool:
    """Whether it does not say that there was no test."""
    report = result.report if isinstance(result, ReportedResult) else b""
    return not report or b'"test"' in report


def _texts(gate: Gate, where: Path) -> list[str]:
    files = gate_files(gate.argv, gate.source, where)
    return [read_file(file).decode("utf-8", "replace") for file in files]


def _digest(tree: Snapshot, path: str) -> str | None:
    state = tree.get(path)
    return state.digest if state is not None else None
