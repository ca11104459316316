"""Was a record of the Runner, or the policy in force, altered while an executor ran?

The Runner writes none of these files during that time, so each must be found as it
was left: this session's logs, indexes and ownership, the end of the evidence chain with the
records it names and what these prove, and our keys of the settings. Two files may grow, because
another process of ours may be at work on the same project: the list of sessions, and the
chain, whose new lines must then be intact and have their heads outside the project. A log of
another session that had ended may change where the chain says that its task goes on. What
else is ours lies beside the evidence, and is compared there.

Only the latest records are looked at, so that the price does not grow with the
history; an older one that was altered is found by `evidence verify`.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.session_list import listed_in
from pm_orchestrator.domain.record import MalformedRecordError, from_json
from pm_orchestrator.domain.tasks.evidence_record import ChainLink
from pm_orchestrator.evidence.chain.links import chain_path, record_path
from pm_orchestrator.evidence.chain.log_seals import SteadyChain, has_ended, words_in
from pm_orchestrator.evidence.guard.proved_files import ProvedFile, proved_files
from pm_orchestrator.evidence.guard.way_to_records import (
    clear_way,
    give_back_access,
    is_open_to_us,
    make_again,
)
from pm_orchestrator.evidence.look.growing_folders import GrowingFolders
from pm_orchestrator.evidence.look.plain_open import about, names_in, open_file, read_file, try_read

EARLIER = 100
"""How many ended logs of other sessions, and how many of these sessions, are looked at."""
LATEST = 20
"""How many links of the chain, and logs of the session, are looked at."""
TAIL_WINDOW = 64 * 1024
LATE_LINES, LATE_S = 5, 0.1
"""How often, and after how long, the chain is read again for a line that may still come."""
EXECUTING = "executing.json"
"""Who has the project directory to itself."""
GONE = "gone"
NOTES = "CLAUDE.md"
"""The user's, beside the settings: whoever cleans up takes both or neither."""
CLOCK_STEP_NS = 50_000_000
"""File systems stamp with a clock that lags a little behind."""


class Growing(msgspec.Struct, frozen=True, kw_only=True):
    """A file that may only get longer: its length, and its last bytes as a digest."""

    size: int
    tail: str


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """The records of one moment."""

    session_id: str
    """In which the work is done."""
    proved: dict[Path, ProvedFile]
    """Raw logs, facts and answers of the latest records."""

    kept: dict[str, bytes | None]
    """Files that must stay as they are and are put back if not; None for no file."""
    digests: dict[str, str]
    """Files that must stay as they are."""
    chain: Growing
    heads: Growing
    earlier: dict[str, bytes]
    """Logs of other sessions whose tasks had ended."""
    sessions: tuple[str, ...]
    """All sessions of the project, in order."""
    evidence_folder: tuple[int, int]
    """Times of the evidence directory: they move when a record is added or taken away."""
    tasks_folder: tuple[int, int]
    """The same of the session's logs."""
    sealed_at_ns: int
    policy: str
    """Our keys of the settings, in their one form."""
    folders: tuple[Path, ...] = ()
    """Empty directories of a project, which git does not keep."""


class SealedRecords:
    """Seals the records below `claude_dir` and tells what was done to them.

    `policy` reads the settings and returns our part of them; it raises PmError when
    they cannot be read.
    """

    def __init__(
        self,
        claude_dir: Path,
        head_file: Path,
        owners: Path,
        policy: Callable[[], str],
        now_ns: Callable[[], int],
        folders: GrowingFolders | None = None,
    ) -> None:
        self._folders = folders or GrowingFolders()
        self._claude_dir = claude_dir
        self._head_file = head_file
        self._settings = claude_dir / "settings.json"
        self._owners = owners
        self._policy = policy
        self._now_ns = now_ns
        self._logs = claude_dir / "logs"
        self._listed: tuple[tuple[int, int], tuple[str, ...]] | None = None
        """What the index of all sessions says, and when it was written."""

    def seal(self, session_id: str) -> Seal:
        """Take down how the records are now."""
        chain = chain_path(self._claude_dir)
        kept = {str(path): try_read(path) for path in self._session_files(session_id)}
        notes = self._claude_dir / NOTES
        kept |= {str(path): try_read(path) for path in (self._settings, notes)}
        records = {path: try_read(path) for path in self._latest_evidence()}
        whole = (data for data in records.values() if data is not None)
        sessions = self._sessions()
        return Seal(
            session_id=session_id,
            proved=proved_files(self._claude_dir, whole),
            kept=kept,
            digests={str(path): _digest(data) for path, data in records.items()},
            chain=_growing(chain),
            heads=_growing(self._head_file),
            earlier=self._earlier_logs(session_id, sessions),
            sessions=sessions,
            evidence_folder=_times(chain.parent),
            tasks_folder=_times(self._tasks(session_id)),
            sealed_at_ns=self._now_ns(),
            policy=self._policy(),
            folders=tuple(
                folder
                for folder in (self._claude_dir / "agents", self._claude_dir / "rules")
                if about(folder) is not None
            ),
        )

    def altered(self, seal: Seal, current_log: bytes | None = None) -> tuple[str, ...]:
        """What is no longer as it was sealed; `current_log` is what we wrote there last.

        The way to the records is cleared first, or looking at them could take for ever.
        """
        # Directories that grow with every task are searched only where something was added.
        growing = {chain_path(self._claude_dir).parent: seal.evidence_folder}
        growing |= {
            self._tasks(Path(name).parent.name): seal.tasks_folder
            for name in seal.kept
            if name.endswith("/session_state.json")
        }
        quiet = (folder for folder, times in growing.items() if _times(folder) == times)
        root, shared = self._claude_dir.parent, (self._claude_dir, *quiet)
        barred = map(self.shown, clear_way(root, self._sealed(seal), shared))
        return tuple(dict.fromkeys((*barred, *self._findings(seal, current_log))))

    def gone(self, seal: Seal) -> dict[Path, bytes]:
        """What is not there any more and can be put back whole: policy and ownership.

        A stash or a cleaning git takes them in good faith, and all of them at once: they are
        put back before anybody reads them again. Who takes the settings alone means them.
        """
        if not is_open_to_us(self._claude_dir):
            # Barred is not gone: somebody meant us, and `altered` says so.
            return {}
        make_again(seal.folders)
        alone = about(self._claude_dir / NOTES) is not None
        return {
            path: data
            for name, data in seal.kept.items()
            if data is not None
            and (path := Path(name)).parent in {self._owners, self._claude_dir}
            and about(path) is None
            and not (alone and path == self._settings)
        }

    def to_put_back(self, seal: Seal) -> dict[Path, bytes]:
        """Sealed files that are different or gone, as they were; all can be written again."""
        for folder in (self._claude_dir, self._owners):
            give_back_access(folder)
        altered = {path: seal.earlier[str(path)] for path in self._unaccounted(seal)}
        # Only now: reading them waits for nothing, whatever stands in their place.
        clear_way(self._claude_dir.parent, altered, (self._claude_dir,))
        return altered | {
            Path(name): data
            for name, data in seal.kept.items()
            if data is not None
            and try_read(Path(name)) != data
            and (name == str(self._settings) or Path(name).parent != self._claude_dir)
        }

    def _sealed(self, seal: Seal) -> Iterator[Path]:
        yield self._settings
        yield chain_path(self._claude_dir)
        yield self._logs / "index.json"
        yield from (Path(name) for name, data in seal.kept.items() if data is not None)

    def _findings(self, seal: Seal, current_log: bytes | None) -> Iterator[str]:
        if not self._policy_holds(seal):
            yield self.shown(self._settings)
        for name, data in seal.kept.items():
            if Path(name).parent == self._claude_dir:
                continue  # These are also somebody else's; of the settings our keys count.
            found = try_read(Path(name))
            if found != data and (found is None or found != current_log):
                yield self.shown(Path(name))
        for name, digest in seal.digests.items():
            if _digest(try_read(Path(name))) != digest:
                yield self.shown(Path(name))
        yield from map(self.shown, self._unaccounted(seal))
        if self._sessions()[: len(seal.sessions)] != seal.sessions:
            yield self.shown(self._logs / "index.json")
        yield from self._chain_findings(seal)

    def _unaccounted(self, seal: Seal) -> list[Path]:
        """Logs of earlier tasks that are different, without a word of it in the chain."""
        changed = [Path(name) for name, data in seal.earlier.items() if _differs(name, data)]
        chain = SteadyChain(self._claude_dir)
        while changed:
            # Hardly ever, so the price of walking the chain is paid here.
            words = words_in(self._claude_dir)
            found = [path for path in changed if not words.allows(path, try_read(path))]
            if not found or not chain.grew():
                return found
        return changed

    def _policy_holds(self, seal: Seal) -> bool:
        try:
            return self._policy() == seal.policy
        except PmError:
            return False

    def _chain_findings(self, seal: Seal) -> Iterator[str]:
        chain = chain_path(self._claude_dir)
        for path, before in ((chain, seal.chain), (self._head_file, seal.heads)):
            if _growing(path, before.size) != before:
                yield self.shown(path)
        if _size(chain) == seal.chain.size and _times(chain.parent) == seal.evidence_folder:
            return
        # Something was added: by another process of ours, or by somebody who is not.
        from pm_orchestrator.evidence.chain.integrity import check

        report = check(self._claude_dir, self._head_file)
        for _ in range(LATE_LINES):
            if not report.problems and not list(self._unlinked(seal, report.uncommitted)):
                break
            # A record of ours comes before its line, and that before its head: another
            # process may be in the middle of it.
            time.sleep(LATE_S)
            report = check(self._claude_dir, self._head_file)
        for problem in report.problems:
            # Logs were compared already; one that was altered long ago is nobody's doing here.
            if not Path(problem.path).is_relative_to(self._logs):
                yield self.shown(Path(problem.path))
        yield from map(self.shown, self._unlinked(seal, report.uncommitted))

    def _unlinked(self, seal: Seal, uncommitted: Iterable[str]) -> Iterator[Path]:
        """Records that came since, and have no line in the chain."""
        folder = chain_path(self._claude_dir).parent
        for name in uncommitted:
            if _changed_at(folder / name) > seal.sealed_at_ns - CLOCK_STEP_NS:
                yield folder / name

    def _tasks(self, session_id: str) -> Path:
        return self._logs / "sessions" / session_id / "tasks"

    def _session_files(self, session_id: str) -> list[Path]:
        folder = self._logs / "sessions" / session_id
        own = [folder / name for name in _names(folder, ".json", ".jsonl")]
        logs = self._folders.latest(folder / "tasks", LATEST, ".json")
        owners = (self._owners / name for name in (f"{session_id}.json", EXECUTING))
        return [*owners, *own, *(folder / "tasks" / name for name in logs)]

    def _earlier_logs(self, session_id: str, sessions: tuple[str, ...]) -> dict[str, bytes]:
        """One that is open belongs to another process of ours, or to a task cut off."""
        logs: dict[str, bytes] = {}
        others = [name for name in sessions[-EARLIER:] if name != session_id]
        for other in reversed(others):
            folder = self._tasks(other)
            for name in self._folders.latest(folder, LATEST, ".json"):
                data = try_read(folder / name)
                if data is not None and has_ended(data):
                    logs[str(folder / name)] = data
            if len(logs) >= EARLIER:
                break
        return logs

    def _latest_evidence(self) -> list[Path]:
        chain = chain_path(self._claude_dir)
        lines = _read_tail(chain, _size(chain)).splitlines()[-LATEST:]
        paths: list[Path] = []
        for line in lines:
            try:
                link = from_json(ChainLink, line, chain.name)
            except MalformedRecordError:
                continue  # The first of them may be a part of a line.
            paths.append(record_path(self._claude_dir, link.evidence_id))
        return paths

    def _sessions(self) -> tuple[str, ...]:
        index = self._logs / "index.json"
        times = _times(index)
        if self._listed is None or self._listed[0] != times:
            try:
                self._listed = (times, listed_in(read_file(index), index.name))
            except (OSError, MalformedRecordError):
                return ()
        return self._listed[1]

    def shown(self, path: Path) -> str:
        """How a file of ours is called before a person."""
        root = self._claude_dir.parent
        if path == root:
            return f"{root.name}/"
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _differs(name: str, data: bytes) -> bool:
    return try_read(Path(name)) != data


def _names(folder: Path, *endings: str) -> list[str]:
    try:
        return names_in(folder, *endings)
    except OSError:
        return []


def _times(path: Path) -> tuple[int, int]:
    seen = about(path)
    return (0, 0) if seen is None else (seen.st_mtime_ns, seen.st_ctime_ns)


def _changed_at(path: Path) -> int:
    return _times(path)[1]


def _digest(data: bytes | None) -> str:
    return GONE if data is None else hashlib.sha256(data).hexdigest()


def _size(path: Path) -> int:
    seen = about(path)
    return 0 if seen is None else seen.st_size


def _growing(path: Path, size: int | None = None) -> Growing:
    """The file's first `size` bytes, known by their end."""
    length = _size(path)
    upto = length if size is None else min(size, length)
    return Growing(size=upto, tail=hashlib.sha256(_read_tail(path, upto)).hexdigest())


def _read_tail(path: Path, size: int) -> bytes:
    try:
        with open_file(path) as file:
            start = max(0, size - TAIL_WINDOW)
            file.seek(start)
            return file.read(size - start)
    except OSError:
        return b""
