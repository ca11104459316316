"""Retention: raw logs of tasks that ended long ago go, and a tombstone stands for each.

Records, hashes, facts and answers stay, so that what was proved can still be checked, and
`accept`, `undo` and `continue` work as before. The tombstones are durable before the first
log goes: a crash leaves logs that have one already, and they are pruned the next time.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLogEntry
from pm_orchestrator.domain.record import MalformedRecordError, Record, from_json, to_file
from pm_orchestrator.domain.tasks.evidence_record import Evidence, Tombstones
from pm_orchestrator.evidence.chain.links import digest, record_path
from pm_orchestrator.evidence.chain.raw_logs import content
from pm_orchestrator.evidence.chain.tombstones import (
    PROJECT,
    PRUNE,
    all_tombstones,
    is_covered,
    tombstones_in,
)
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.ports.store import DurableFiles

ENDINGS = ("log", "log.gz")


class PruneReport(Record, frozen=True, kw_only=True):
    """What a pruning did, or would do."""

    before: str
    """Everything that is pruned is older than this."""
    dry_run: bool
    pruned: int
    """Raw logs that are gone; their records remain."""
    freed_bytes: int
    kept: int
    """Raw logs that are still there."""
    kept_bytes: int
    evidence_id: str | None
    """The record with the tombstones; None where nothing was pruned."""


class RawLog(msgspec.Struct, frozen=True, kw_only=True):
    """A raw log on disk."""

    evidence_id: str
    path: Path
    size: int


class SessionsInUse(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of the sessions whose logs may go."""

    entries: Callable[[str], Iterable[TaskLogEntry]]
    in_use: Callable[[str], bool]
    """Whether somebody works in it; nothing of it is touched then."""


class Pruning:
    """The raw logs of a project, below `claude_dir`."""

    def __init__(
        self, files: DurableFiles, recorder: Recorder, claude_dir: Path, sessions: SessionsInUse
    ) -> None:
        self._files = files
        self._recorder = recorder
        self._claude_dir = claude_dir
        self._raw = claude_dir / "raw"
        self._sessions = sessions

    async def prune(self, before: str, *, dry_run: bool = False) -> PruneReport:
        """Prune what is older than `before`, or tell what would be.

        Raises:
            PmError: E402 while another process prunes, E301 when the tombstones cannot be
                recorded; nothing is gone then.
        """
        if dry_run:
            return self._report(before, list(self._due(before)), None, dry_run=True)
        async with self._files.exclusive(self._claude_dir / "evidence" / PRUNE):
            due = list(self._due(before))
            if not due:
                return self._report(before, due, None)
            evidence = await self._bury(before, due)
            stones = tombstones_in(evidence, self._files.read(self._claude_dir / evidence.raw_logs))
            # What was written down goes, and not what was meant to be.
            named = frozenset(stones.evidence_ids)
            gone = [log for log in due if log.evidence_id in named]
            await self._files.remove([log.path for log in gone])
            return self._report(before, gone, evidence.evidence_id)

    async def _bury(self, before: str, due: list[RawLog]) -> Evidence:
        stones = Tombstones(before=before, evidence_ids=tuple(log.evidence_id for log in due))
        operation = Operation(
            type=PRUNE, raw=to_file(stones).decode(), session_id=PROJECT, task_id=PRUNE
        )
        return await self._recorder.record(operation)

    def _report(
        self, before: str, gone: list[RawLog], evidence_id: str | None, *, dry_run: bool = False
    ) -> PruneReport:
        names = {log.path for log in gone}
        kept = [log for session in self._files.names(self._raw) for log in self._logs(session)]
        kept = [log for log in kept if log.path not in names]
        return PruneReport(
            before=before,
            dry_run=dry_run,
            pruned=len(gone),
            freed_bytes=sum(log.size for log in gone),
            kept=len(kept),
            kept_bytes=sum(log.size for log in kept),
            evidence_id=evidence_id,
        )

    def _due(self, before: str) -> Iterator[RawLog]:
        for session in self._files.names(self._raw):
            logs = list(self._logs(session))
            if not logs or self._sessions.in_use(session):
                continue
            entries = self._sessions.entries(session)
            young = {e.external_task_id for e in entries if not _ended(e, before)}
            for log in logs:
                if log.path.name.rpartition("_")[0] not in young and self._is_old(log, before):
                    yield log

    def _logs(self, session: str) -> Iterator[RawLog]:
        """The raw logs of a session; answers, which are somebody's work, lie beside them."""
        for name in self._files.names(self._raw / session):
            token, _, ending = name.rpartition("_")[2].partition(".")
            if ending in ENDINGS:
                path = self._raw / session / name
                yield RawLog(evidence_id=f"ev-{token}", path=path, size=self._files.size(path))

    def _is_old(self, log: RawLog, before: str) -> bool:
        path = record_path(self._claude_dir, log.evidence_id)
        try:
            evidence = from_json(Evidence, self._files.read(path), path.name)
        except (OSError, MalformedRecordError):
            # Not a log of ours, or one whose record is damaged: `evidence verify` says so.
            return False
        own = evidence.raw_logs == log.path.relative_to(self._claude_dir).as_posix()
        return own and is_covered(evidence, before)


def _ended(entry: TaskLogEntry, before: str) -> bool:
    return entry.completed_at is not None and entry.completed_at < before


def raw_log_of(files: DurableFiles, claude: Path, evidence: Evidence) -> bytes:
    """The raw log of a record, as it was before it was kept.

    Raises:
        PmError: E303 when it was pruned or is missing, E304 when it is not what was recorded.
    """
    path = claude / evidence.raw_logs
    name = evidence.evidence_id
    try:
        data = files.read(path)
    except FileNotFoundError as error:
        before = all_tombstones(files, claude).get(name)
        if is_covered(evidence, before):
            raise PmError("raw_log_pruned", evidence=name, before=before) from error
        raise PmError("artifacts_missing", path=path, evidence=name) from error
    if evidence.raw_evidence_refs != (f"sha256:{digest(data)}",):
        raise PmError("hash_mismatch", path=path, evidence=name)
    return content(path.name, data)
