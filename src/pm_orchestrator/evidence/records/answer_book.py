"""Answers of executors, kept as files: the product of a task that asks and changes nothing.

One file per run of a task, never rewritten, so the evidence that names it by its hash
stays true when the task goes on.
"""

import hashlib
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import safe_name
from pm_orchestrator.domain.tasks.evidence_record import Artifact
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.store import DurableFiles


class KeptAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Where an answer is, and how much of it there is."""

    path: Path
    size: int
    artifact: Artifact


class AnswerBook:
    """The answers of all tasks, next to the raw logs below `claude_dir`."""

    def __init__(self, files: DurableFiles, claude_dir: Path, masker: Masker) -> None:
        self._files = files
        self._claude_dir = claude_dir
        self._masker = masker

    async def keep(self, run: RunIds, text: str, attempt: int = 1) -> KeptAnswer | None:
        """Write the answer of an attempt down; None for one that says nothing."""
        said = self._masker.mask(text).text.strip()
        if not said:
            return None
        data = f"{said}\n".encode("utf-8", "backslashreplace")
        made_in = run.run_id if attempt == 1 else f"{run.run_id}-{attempt}"
        name = f"{safe_name(run.task_id, 'task')}_{safe_name(made_in, 'run')}_answer.md"
        ref = f"raw/{safe_name(run.session_id, 'session')}/{name}"
        path = self._claude_dir / ref
        try:
            await self._files.create(path, data)
        except FileExistsError as error:
            # A step that was cut off is done again, and says the same.
            if self._files.read(path) != data:
                # Only somebody else can have put it there: a run has one answer.
                reason = "it was there before the answer"
                raise PmError("evidence_invalid", evidence=name, reason=reason) from error
        digest = hashlib.sha256(data).hexdigest()
        return KeptAnswer(
            path=path,
            size=len(data),
            artifact=Artifact(kind="answer", ref=ref, sha256=digest),
        )
