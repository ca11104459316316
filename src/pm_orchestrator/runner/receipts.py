"""Exactly one receipt per step.

Engines promise at-least-once. So a step's body first looks for its own receipt:
if it is there, the work was done and only the answer is repeated. Otherwise the
work is done, its evidence recorded, and the receipt written, in that order;
nothing is built on a result that has no evidence.
"""

import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pm_orchestrator.domain.errors import ERROR_CLASSES, PmError
from pm_orchestrator.domain.evidence import Artifact
from pm_orchestrator.domain.record import Record, from_json, to_file, to_json
from pm_orchestrator.evidence.masking import Masker
from pm_orchestrator.evidence.redaction import redact
from pm_orchestrator.ports.engine import Body, Step, StepContext
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.ports.store import DurableFiles

In = TypeVar("In", bound=Record)
Out = TypeVar("Out", bound=Record)


class Receipt(Record, frozen=True, kw_only=True):
    """Proof that one step was done, with its answer."""

    key: str
    step: str
    evidence_id: str
    output: dict[str, Any]


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Whose operations these are."""

    session_id: str
    task_id: str


class Receipts:
    """The receipts of one run, in its directory."""

    def __init__(
        self, files: DurableFiles, recorder: Recorder, folder: Path, masker: Masker, owner: Owner
    ) -> None:
        self._files = files
        self._recorder = recorder
        self._folder = folder
        self._masker = masker
        self._owner = owner
        self._kept: dict[str, Receipt] = {}

    def bind(self, step: Step[In, Out], work: Callable[[In], Awaitable[Out]]) -> Body:
        """The body of `step`, done at most once to the end."""

        async def body(given: In, context: StepContext) -> Out:
            path = self._path(context.key)
            try:
                receipt = from_json(Receipt, self._files.read(path), source=path.name)
            except FileNotFoundError:
                receipt = None
            if receipt is not None:
                self._kept[context.key] = receipt
                return msgspec.convert(receipt.output, step.output, strict=True)
            # Masked here, because from here on it is written: receipt, journal, report.
            try:
                output = redact(await work(given), self._masker)
            except PmError as error:
                raise self._masked(error) from error
            await self._keep(step.name, context.key, given, output, path)
            return output

        return body

    async def _keep(self, step: str, key: str, given: Record, output: Record, path: Path) -> None:
        raw = f"step {step}\nkey {key}\ninput {to_json(given).decode()}\n"
        evidence = await self._recorder.record(
            Operation(
                type=step,
                raw=raw + f"output {to_json(output).decode()}\n",
                session_id=self._owner.session_id,
                task_id=self._owner.task_id,
                artifacts=_artifacts(output),
            )
        )
        receipt = Receipt(
            key=key,
            step=step,
            evidence_id=evidence.evidence_id,
            output=msgspec.to_builtins(output),
        )
        await self._files.replace(path, to_file(receipt))
        self._kept[key] = receipt

    def _masked(self, error: PmError) -> PmError:
        params = {name: self._masker.mask(str(p)).text for name, p in error.params.items()}
        return ERROR_CLASSES[error.next_step](error.slug, **params)

    @property
    def evidence_ids(self) -> dict[str, str]:
        """Evidence of every step done so far, by key."""
        return {key: receipt.evidence_id for key, receipt in self._kept.items()}

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"


def _artifacts(output: Record) -> tuple[Artifact, ...]:
    commit = getattr(output, "commit", None)
    return (Artifact(kind="commit", ref=commit),) if isinstance(commit, str) else ()
