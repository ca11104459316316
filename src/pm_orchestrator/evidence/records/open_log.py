"""The log of one task while it is being written.

Everything is masked on its way in. At the end the log is on disk before the index
says that the task has ended.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, TypedDict

from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from typing_extensions import Unpack

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.log_contents import (
    LogContent,
    TaskCompleted,
    TaskErred,
    TaskIncomplete,
    event_of,
)
from pm_orchestrator.domain.history.task_log import (
    BlockedReason,
    LogEvent,
    TaskLog,
    TaskLogStatus,
    TerminatedBy,
    log_status,
)
from pm_orchestrator.domain.history.task_story import summary_of
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.tasks.evidence_record import ArtifactList, EvidenceSummary, VerifiedFile
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.chain.log_seals import LogSeals
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact, redact_content
from pm_orchestrator.evidence.records.task_index import TaskIndex
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

TERMINAL = frozenset({TaskLogStatus.COMPLETE, TaskLogStatus.INCOMPLETE, TaskLogStatus.ERROR})
LAST_EVENT: Mapping[TaskLogStatus, type[TaskCompleted | TaskIncomplete | TaskErred]] = {
    TaskLogStatus.COMPLETE: TaskCompleted,
    TaskLogStatus.INCOMPLETE: TaskIncomplete,
    TaskLogStatus.ERROR: TaskErred,
}


class Blocked(TypedDict):
    """Why an executor could not go on."""

    reason: BlockedReason
    timeout_ms: int
    terminated_by: TerminatedBy


class Closing(TypedDict, total=False):
    """What a task ended with."""

    moments: tuple[LogContent, ...]
    """Events that are written together with the end."""

    artifacts: ArtifactList
    verified_files: tuple[VerifiedFile, ...]
    evidence_refs: tuple[str, ...]
    evidence_summary: EvidenceSummary | None
    runner_decision: str
    executor_summary: str | None
    blocked: Blocked | None
    terminated_by: TerminatedBy
    """Who ended an executor that was not blocked."""
    accepted: tuple[str, ...]
    """The names of what a person accepted, where it is complete by that."""
    not_proved: tuple[str, ...]
    """In sentences what that was."""


class OpenLog:
    """The log of a task that has not ended yet."""

    def __init__(
        self,
        files: DurableFiles,
        clock: Clock,
        index: TaskIndex,
        masker: Masker,
        log: TaskLog,
        seals: LogSeals | None = None,
    ) -> None:
        self._files = files
        self._clock = clock
        self._index = index
        self._masker = masker
        self._personal = masker.for_log_events()
        self._log = log
        self._seals = seals
        self._evidence: list[str] = list(log.evidence_refs)
        self._left = Closing()
        self._lock = asyncio.Lock()

    @property
    def log(self) -> TaskLog:
        """As it is on disk."""
        return self._log

    @property
    def evidence(self) -> tuple[str, ...]:
        """Everything that was recorded for the task so far, in this run and earlier ones."""
        return tuple(self._evidence)

    def note_evidence(self, evidence_id: str) -> None:
        """Name evidence that was made for the task; the end of the log lists it."""
        self._evidence.append(evidence_id)

    def note_left(self, left: Closing) -> None:
        """What there is of the work; the end of the log says it, unless it knows better."""
        self._left = left

    async def add(self, *moments: LogContent, began: str | None = None) -> None:
        """Add events that belong together, in one write; the first shows that the task runs.

        `began` is when the first of them happened, where that is earlier than now.

        Raises:
            PmError: E204 when the log is closed.
        """
        async with self._lock:
            self._refuse_if_closed()
            begins = self._log.status is TaskLogStatus.QUEUED
            added = [self._event(moment) for moment in moments]
            if began is not None:
                added[0] = replace(added[0], timestamp=began)
            events = (*self._log.events, *added)
            await self._save(replace(self._log, events=events, status=TaskLogStatus.RUNNING))
            if begins:
                await self._index.update_task(self._log)

    async def close(
        self, status: TaskStatus, reason: str | None, **found: Unpack[Closing]
    ) -> TaskLog:
        """End the log with a verdict; it is on disk before the index says so.

        Raises:
            PmError: E204 when it is closed already, or ends badly without a reason;
                E302 for a verified file that is not relative to the root.
        """
        async with self._lock:
            self._refuse_if_closed()
            if "verified_files" not in found:
                merged = self._left.copy()
                merged.update(found)
                found = merged
            ended = self._ended(status, reason, found)
            await self._save(ended)
            ended = self._log
            await self._index.update_task(ended)
            if self._seals is not None:
                await self._seals.closed(self._path(ended), to_file(ended), ended)
            return ended

    async def reopen(self, run_id: str) -> None:
        """Go on with an ended task in the run `run_id`: its events stay, its end is taken back."""
        async with self._lock:
            if self._seals is not None:
                found = self._files.read(self._path(self._log))
                await self._seals.reopened(self._path(self._log), found, self._log)
            again = replace(
                self._log,
                run_id=run_id,
                status=TaskLogStatus.RUNNING,
                ended_at=None,
                error_reason=None,
                runner_decision="accept",
                executor_summary=UNSET,
                evidence_summary=UNSET,
                summary=UNSET,
                executor_blocked=UNSET,
                blocked_reason=UNSET,
                timeout_ms=UNSET,
                terminated_by=UNSET,
                accepted=UNSET,
            )
            # The index first: it may never say that a task has ended which its log says runs.
            await self._index.update_task(again)
            await self._save(again)

    def _refuse_if_closed(self) -> None:
        if self._log.status in TERMINAL:
            raise PmError("task_closed", task=self._log.task_id)

    def _ended(self, status: TaskStatus, reason: str | None, found: Closing) -> TaskLog:
        word = log_status(status)
        why = self._why(word, reason)
        # A run that saw nothing takes nothing away from what the runs before it saw.
        files = found.get("verified_files", self._log.verified_files)
        self._refuse_absolute(files)
        summary = found.get("evidence_summary")
        accepted = found.get("accepted") or UNSET
        evidence = tuple(dict.fromkeys((*self._evidence, *found.get("evidence_refs", ()))))
        last = LAST_EVENT[word](
            status=status,
            files_modified=tuple(file.path for file in files if file.exists),
            evidence_ref=evidence[-1] if evidence else UNSET,
            error_message=UNSET if why is None else why,
            accepted=accepted,
            not_proved=found.get("not_proved", ()) if accepted else UNSET,
        )
        seen = map(self._event, found.get("moments", ()))
        events = (*self._log.events, *seen, self._event(last))
        return replace(
            self._log,
            status=word,
            summary=summary_of(events),
            ended_at=events[-1].timestamp,
            error_reason=why,
            artifacts=found.get("artifacts", self._log.artifacts),
            events=events,
            evidence_refs=evidence,
            verified_files=files,
            runner_decision=found.get("runner_decision", self._log.runner_decision),
            executor_summary=self._optional(found.get("executor_summary")),
            evidence_summary=UNSET if summary is None else self._summary(summary, why),
            accepted=accepted,
            **_ended_by(found),
        )

    def _why(self, word: TaskLogStatus, reason: str | None) -> str | None:
        if word is TaskLogStatus.COMPLETE:
            return None
        if not reason or not reason.strip():
            raise PmError("log_reason_missing", task=self._log.task_id, status=word)
        return self._personal.mask(reason).text

    def _summary(self, summary: EvidenceSummary, why: str | None) -> EvidenceSummary:
        """What was only seen was not verified for the reason that ended it."""
        said = summary.verification_reason or why or ""
        return redact(replace(summary, verification_reason=said), self._masker)

    def _optional(self, text: str | None) -> str | UnsetType:
        return UNSET if text is None else self._personal.mask(text).text

    def _refuse_absolute(self, files: tuple[VerifiedFile, ...]) -> None:
        for file in files:
            if PurePosixPath(file.path).is_absolute():
                reason = f"verified file {file.path} is not relative to the root"
                raise PmError("evidence_invalid", evidence=self._log.log_id, reason=reason)

    def _event(self, content: LogContent) -> LogEvent:
        event = event_of(content, iso(self._clock.now()))
        return replace(event, content=redact_content(event.content, self._personal))

    async def _save(self, log: TaskLog) -> None:
        # It would be masked as it is written; what is known of it has to be the same.
        log = redact(log, self._masker)
        await self._files.replace(self._path(log), to_file(log))
        self._log = log

    def _path(self, log: TaskLog) -> Path:
        return self._index.log_path(log.session_id, log.log_id)


def _ended_by(found: Closing) -> dict[str, Any]:
    blocked = found.get("blocked")
    if blocked is None:
        by = found.get("terminated_by")
        return {} if by is None else {"terminated_by": by}
    return {
        "executor_blocked": True,
        "blocked_reason": blocked["reason"],
        "timeout_ms": blocked["timeout_ms"],
        "terminated_by": blocked["terminated_by"],
    }
