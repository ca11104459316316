"""The parts that watch over a project directory, put together."""

import hashlib
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pm_orchestrator.adapters.git.rescue.git_rescue import GitRescue
from pm_orchestrator.adapters.git.rescue.git_saved_files import GitSavedFiles
from pm_orchestrator.adapters.git.rescue.rescue_place import RescuePlaces
from pm_orchestrator.adapters.git.user.git_ignored import GitIgnored, repository_above
from pm_orchestrator.bootstrap.config import load_settings
from pm_orchestrator.bootstrap.host_git import HostGit
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.guard.beside_evidence import BesideEvidence
from pm_orchestrator.evidence.guard.sealed_history import SealedHistory
from pm_orchestrator.evidence.guard.sealed_marks import SealedSelection, SealedUnfinished
from pm_orchestrator.evidence.guard.sealed_past import SealedPast
from pm_orchestrator.evidence.guard.tamper import EXECUTING, SealedRecords
from pm_orchestrator.evidence.look.growing_folders import GrowingFolders
from pm_orchestrator.evidence.look.limits import LookLimits
from pm_orchestrator.evidence.look.snapshot import DirectoryWalk
from pm_orchestrator.evidence.look.stat_cache import StatCache, load_cache
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.rescue import Rescue
from pm_orchestrator.ports.saved_files import SavedFiles
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.layout import ProjectPaths, RunDirectory
from pm_orchestrator.runner.places.beside.neighbours import NeighbourParts, Neighbours
from pm_orchestrator.runner.places.record_guard import RecordGuard
from pm_orchestrator.runner.places.rescue_names import RescueRefs
from pm_orchestrator.runner.places.workspace import LastLook, Workspace

if TYPE_CHECKING:
    from pm_orchestrator.ports.commit_history import CommitHistory
    from pm_orchestrator.ports.tree_differences import TreeDifferences

NANOSECONDS = 1_000_000_000
NEIGHBOUR = LookLimits(files=100_000, bytes=1024**3, seconds=20.0)
"""It is not what the task is about; a home directory that is a repository is not read whole."""


class DirectoryWatches(msgspec.Struct, kw_only=True, dict=True):
    """One project's directory; what its files held is remembered from task to task."""

    paths: ProjectPaths
    state_home: Path
    head_file: Path
    git: HostGit
    as_given: DurableFiles
    """Not masked: what a person wrote is put back as it was."""
    masker: Masker
    clock: Clock
    recorder: EvidenceRecorder
    last_look: LastLook = msgspec.field(default_factory=LastLook)
    folders: GrowingFolders = msgspec.field(default_factory=GrowingFolders)

    def __call__(self, run: RunDirectory) -> "DirectoryWatch":
        """What one run needs."""
        return DirectoryWatch(self, run)

    @cached_property
    def cache(self) -> StatCache:
        """Contents that were hashed already; read when first needed."""
        try:
            return load_cache(self._cache_file().read_bytes())
        except OSError:
            return StatCache()

    def keep_cache(self) -> None:
        """Leave what was seen to the next process."""
        if not self.cache.changed:
            return
        file = self._cache_file()
        draft = file.with_suffix(".draft")
        try:
            draft.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(self.cache.dump(lambda text: self.masker.mask(text).found))
            draft.replace(file)
        except OSError:
            return  # A full disk costs the next process time, and this one nothing.

    def _cache_file(self) -> Path:
        return self.state_home / "stat" / f"{self.head_file.stem}.msgpack"

    def now_ns(self) -> int:
        return int(self.clock.now().timestamp() * NANOSECONDS)


class DirectoryWatch:
    """What one run needs to look at the project directory, to save it and to put it back."""

    def __init__(self, shared: DirectoryWatches, run: RunDirectory) -> None:
        self._shared = shared
        root = shared.paths.root
        git = shared.git.git(run)
        places = RescuePlaces(git, shared.state_home / "rescue", shared.head_file.stem)
        self.rescue: Rescue = GitRescue(places)
        self.saved_files: SavedFiles = GitSavedFiles(git)
        self._git = git
        self.workspace = Workspace(
            root,
            DirectoryWalk(root, shared.cache, shared.now_ns),
            GitIgnored(git),
            self.rescue,
            shared.last_look,
        )
        top = repository_above(root)
        around = None if top in (None, root) else top
        self.neighbours = Neighbours(root, around, self._neighbour, self.saved_files)

    def _neighbour(self, root: Path) -> NeighbourParts:
        shared = self._shared
        name = f"{shared.head_file.stem}.{hashlib.sha256(bytes(root)).hexdigest()[:12]}"
        places = RescuePlaces(self._git, shared.state_home / "rescue", name)
        return NeighbourParts(
            walk=DirectoryWalk(root, StatCache(), shared.now_ns, NEIGHBOUR),
            ignored=GitIgnored(self._git),
            rescue=GitRescue(places),
        )

    def history(self) -> "CommitHistory":
        """What of the work is in branches, tags and commits; few tasks ask."""
        from pm_orchestrator.adapters.git.user.git_history import GitHistory

        return GitHistory(self._git)

    def differences(self) -> "TreeDifferences":
        """How saved trees differ; who looks back at a task asks."""
        from pm_orchestrator.adapters.git.git_tree_differences import GitTreeDifferences

        return GitTreeDifferences(self._git)

    def guard(self) -> RecordGuard:
        """Watches over the project's records and the policy in force."""
        shared, paths = self._shared, self._shared.paths
        records = SealedRecords(
            paths.claude,
            shared.head_file,
            paths.owners,
            lambda: to_json(load_settings(paths)).decode(),
            shared.now_ns,
            shared.folders,
        )
        parts = (
            SealedSelection(paths.claude / "repl.json"),
            SealedUnfinished(paths.unfinished),
            SealedHistory(paths.claude / "logs", paths.runs, paths.backlog, shared.folders),
            SealedPast(paths.claude / "logs", paths.runs, shared.folders, _by_chance),
        )
        return RecordGuard(
            records,
            shared.as_given,
            shared.recorder,
            shared.recorder.reread,
            BesideEvidence(paths.claude, parts, lambda: _living(paths.owners)),
            RescueRefs(self.rescue, paths.root),
        )

    def remember(self) -> None:
        """Keep what was seen for the next task; losing it costs only time."""
        self._shared.keep_cache()


def _by_chance(below: int) -> int:
    # As `secrets.randbelow`, without all that it imports; so few are left out by no bias to see.
    return int.from_bytes(os.urandom(8), "big") % below


def _living(owners: Path) -> frozenset[str]:
    """The sessions that somebody works in; looked up only where something was changed."""
    from pm_orchestrator.adapters.stores.owner_survey import owner_records

    found = (path.stem for path, _, alive in owner_records(owners) if alive)
    return frozenset(found) - {Path(EXECUTING).stem}
