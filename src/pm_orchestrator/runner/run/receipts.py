"""Exactly one receipt per step.

Engines promise at-least-once. So a step's body first looks for its own receipt:
if it is there, the work was done and only the answer is repeated. Otherwise the
work is done, its evidence recorded, and the receipt written, in that order;
nothing is built on a result that has no evidence.
"""

import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from pm_orchestrator.domain.company.assignment import AttemptResult
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record, from_json, to_file, to_json
from pm_orchestrator.domain.tasks.evidence_record import Artifact, Evidence
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact, redact_error
from pm_orchestrator.ports.engine import Body, Step, StepContext
from pm_orchestrator.ports.recorder import RUNNER
from pm_orchestrator.ports.store import DurableFiles

In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)


class Note(Protocol):
    """Takes down one operation: its kind, everything seen, and who did it."""

    async def __call__(
        self, kind: str, raw: str, *artifacts: Artifact, by: str = RUNNER
    ) -> Evidence: ...


class Receipt(Record, frozen=True, kw_only=True):
    """Proof that one step was done, with its answer."""

    key: str
    step: str
    evidence_id: str
    output: dict[str, Any]


class Receipts:
    """The receipts of one run, in its directory."""

    def __init__(self, files: DurableFiles, note: Note, folder: Path, masker: Masker) -> None:
        self._files = files
        self._note = note
        self._folder = folder
        self._masker = masker

    def bind(self, step: Step[In, Out], work: Callable[[In], Awaitable[Out]]) -> Body:
        """The body of `step`, done at most once to the end."""

        async def body(given: In, context: StepContext) -> Out:
            path = self._path(context.key)
            try:
                receipt = from_json(Receipt, self._files.read(path), source=path.name)
            except FileNotFoundError:
                receipt = None
            if receipt is not None:
                return msgspec.convert(receipt.output, step.output, strict=True)
            # Masked here, because from here on it is written: receipt, journal, report.
            try:
                output = redact(await work(given), self._masker)
            except PmError as error:
                raise redact_error(error, self._masker) from error
            await self._keep(step.name, context.key, given, output, path)
            return output

        return body

    def evidence_of(self, key: str) -> str | None:
        """The evidence of a step that was done."""
        path = self._path(key)
        try:
            return from_json(Receipt, self._files.read(path), source=path.name).evidence_id
        except FileNotFoundError:
            return None

    async def _keep(self, step: str, key: str, given: Record, output: Record, path: Path) -> None:
        raw = f"step {step}\nkey {key}\ninput {to_json(given).decode()}\n"
        whole = raw + f"output {to_json(output).decode()}\n"
        evidence = await self._note(f"step_{step}", whole, *_artifacts(output), by=_doer(output))
        receipt = Receipt(
            key=key,
            step=step,
            evidence_id=evidence.evidence_id,
            output=msgspec.to_builtins(output),
        )
        await self._files.replace(path, to_file(receipt))

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"


def _doer(output: Record) -> str:
    """An attempt is its worker's, and everything else the Runner's."""
    return output.worker if isinstance(output, AttemptResult) else RUNNER


def _artifacts(output: Record) -> tuple[Artifact, ...]:
    commit = getattr(output, "commit", None)
    return (Artifact(kind="commit", ref=commit),) if isinstance(commit, str) else ()
