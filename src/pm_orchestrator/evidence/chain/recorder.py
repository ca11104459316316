"""Evidence: one record per operation, on disk before anybody builds on it.

The chain line is the commit. Files without one are leftovers of a crash and count
for nothing; a line without its end was never written and is cut away.
"""

import asyncio
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import iso, safe_name
from pm_orchestrator.domain.record import MalformedRecordError, from_json, to_file, to_json
from pm_orchestrator.domain.tasks.evidence_record import Artifact, ChainLink, Evidence
from pm_orchestrator.evidence.chain.links import (
    Head,
    ahead_path,
    chain_path,
    digest,
    evidence_hash,
    follow,
    head_of,
    record_path,
)
from pm_orchestrator.evidence.chain.raw_logs import stored
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.clock import Clock, IdSource
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.ports.store import DurableFiles

TAIL_WINDOW = 64 * 1024
"""Enough to find the last line of a long chain without reading all of it."""


class EvidenceRecorder(Recorder):
    """Records below `claude_dir`; `head_file` gets a copy of every link.

    Any number of workers and processes may record at the same time.
    """

    def __init__(
        self,
        files: DurableFiles,
        clock: Clock,
        ids: IdSource,
        masker: Masker,
        claude_dir: Path,
        head_file: Path | None,
    ) -> None:
        self._files = files
        self._clock = clock
        self._ids = ids
        self._masker = masker
        self._personal = masker.for_log_events()
        self._claude_dir = claude_dir
        self._chain = chain_path(claude_dir)
        self._head_file = head_file
        self._ahead = ahead_path(claude_dir, head_file)
        self._lock = asyncio.Lock()
        self._known_size = 0
        self._last: ChainLink | None = None
        self.compresses = True
        """Whether long raw logs are kept compressed."""

    @override
    async def record(self, operation: Operation) -> Evidence:
        token = self._ids.token(16)
        session = safe_name(operation.session_id, "session")
        task = safe_name(operation.task_id, "task")
        raw_name = f"raw/{session}/{task}_{token}.log"
        masked = self._personal.mask(operation.raw)
        log = masked.text.encode("utf-8", "backslashreplace")
        raw_name, raw = stored(raw_name, log, compress=self.compresses)
        evidence = self._evidence(operation, f"ev-{token}", raw_name, digest(raw))
        clean = self._without_secrets(evidence)
        clean = replace(clean, contains_sensitive_data=masked.found or clean != evidence)
        clean = replace(clean, hash=evidence_hash(clean))
        try:
            await self._commit(clean, {self._claude_dir / raw_name: raw})
        except (PmError, OSError) as error:
            raise self._not_collected(error) from error
        return clean

    def _not_collected(self, error: PmError | OSError) -> PmError:
        if isinstance(error, PmError) and error.slug == "disk":
            # Nobody did anything wrong, and a person can mend it.
            return PmError("evidence_refused", **error.params)
        return PmError("evidence_not_collected", path=self._chain, reason=error)

    def reread(self) -> None:
        """Go on with the chain as it is now, after somebody else was seen to alter it.

        Nothing is hidden by that: the heads outside the project still name what is gone.
        """
        self._known_size = 0
        self._last = None

    def _evidence(
        self, operation: Operation, evidence_id: str, raw_name: str, raw_digest: str
    ) -> Evidence:
        return Evidence(
            evidence_id=evidence_id,
            timestamp=iso(self._clock.now()),
            operation_type=operation.type,
            artifacts=operation.artifacts,
            hash="",
            raw_logs=raw_name,
            atomic_operation=True,
            raw_evidence_refs=(f"sha256:{raw_digest}",),
            integrity_validated=True,
            contains_sensitive_data=False,
            executor_id=UNSET if operation.executor_id is None else operation.executor_id,
        )

    def _without_secrets(self, evidence: Evidence) -> Evidence:
        """Names can carry secrets too; a masked one can no longer be looked up."""
        executor = evidence.executor_id
        return replace(
            evidence,
            operation_type=self._masker.mask(evidence.operation_type).text,
            executor_id=executor if executor is UNSET else self._masker.mask(executor).text,
            artifacts=tuple(self._without_secret(artifact) for artifact in evidence.artifacts),
        )

    def _without_secret(self, artifact: Artifact) -> Artifact:
        masked = self._masker.mask(artifact.ref)
        return replace(artifact, ref=masked.text) if masked.found else artifact

    async def _commit(self, evidence: Evidence, raw: dict[Path, bytes]) -> None:
        new = {**raw, record_path(self._claude_dir, evidence.evidence_id): to_file(evidence)}
        async with self._lock, self._files.exclusive(self._chain):
            link = follow(await self._last_link(), evidence)
            line = to_json(link) + b"\n"
            await self._files.create_and_append(new, self._chain, line, self._ahead)
            self._last = link
            self._known_size += len(line)
            if self._head_file is not None:
                self._files.note(self._head_file, to_json(head_of(link)) + b"\n")

    async def _last_link(self) -> ChainLink | None:
        """The end of the chain, read again only when somebody else wrote to it."""
        size = self._files.size(self._chain)
        if size == self._known_size:
            return self._last
        if size < self._known_size:
            raise PmError("hash_mismatch", path=self._chain, reason="it was shortened")
        tail = await self._whole_lines(self._chain)
        if self._last is None:
            tail = await self._without_unfinished(tail)
        self._known_size = self._files.size(self._chain)
        if tail:
            self._last = self._link(tail[-1])
        return self._last

    def _link(self, line: bytes) -> ChainLink:
        return from_json(ChainLink, line, str(self._chain))

    async def _without_unfinished(self, tail: list[bytes]) -> list[bytes]:
        """Take the last line away if a power cut came before its files.

        Nobody was ever told of such a record, so its head is missing too. Where the
        head is there, the files were taken away later; that is for `evidence verify`
        to say, and the line stays.
        """
        heads = [] if self._head_file is None else await self._whole_lines(self._head_file)
        if not tail or self._head_file is None:
            return tail
        link = self._link(tail[-1])
        known = from_json(Head, heads[-1], str(self._head_file)).sequence if heads else 0
        if known >= link.sequence or self._is_complete(link):
            return tail
        await self._files.cut(self._chain, self._files.size(self._chain) - len(tail[-1]))
        return tail[:-1]

    def _is_complete(self, link: ChainLink) -> bool:
        path = record_path(self._claude_dir, link.evidence_id)
        try:
            evidence = from_json(Evidence, self._files.read(path), path.name)
            raw = self._files.read(self._claude_dir / evidence.raw_logs)
        except (FileNotFoundError, MalformedRecordError):
            return False
        return evidence.raw_evidence_refs == (f"sha256:{digest(raw)}",)

    async def _whole_lines(self, path: Path) -> list[bytes]:
        """The last lines of a file, after cutting away one without its end.

        The first of them may be a part of a line.
        """
        size = self._files.size(path)
        start = max(0, size - TAIL_WINDOW)
        tail = self._files.read(path, start) if size else b""
        whole = tail[: tail.rfind(b"\n") + 1]
        if len(whole) < len(tail):
            await self._files.cut(path, start + len(whole))
        return whole.splitlines(keepends=True)
