"""Nobody but the Runner writes its records: checked around every executor and every gate."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

from pm_orchestrator.domain.cancelling import undisturbed
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.evidence.guard.beside_evidence import BesideEvidence
from pm_orchestrator.evidence.guard.sealed_part import Difference
from pm_orchestrator.evidence.guard.tamper import Seal, SealedRecords
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.places.rescue_names import RescueRefs

T = TypeVar("T")
Comparing = Callable[[], Difference]
NAMED = 5


class RecordGuard:
    """Runs work of others between two looks at our own records.

    `reread` makes the recorder go on with the chain as it is found after an alteration.
    """

    def __init__(
        self,
        records: SealedRecords,
        files: DurableFiles,
        recorder: Recorder,
        reread: Callable[[], None],
        beside: BesideEvidence,
        rescues: RescueRefs,
    ) -> None:
        self._records = records
        self._beside = beside
        self._files = files
        self._recorder = recorder
        self._reread = reread
        self._rescues = rescues
        self.put_back: list[str] = []
        """Files and refs of ours that were taken away during some work, and are back."""
        self.gone: list[str] = []
        """Those that could not be put back."""
        self.rewritten: list[str] = []
        """Those that somebody wrote, and nobody can say whether otherwise than they were."""
        self.lost: dict[str, str] = {}
        """Of these, what evidence rested on, by the id of its record."""

    async def watch(self, log: OpenLog, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, if it kept its hands off.

        Raises:
            PmError: E505 when it did not; what can be put back is, so that the old policy
                stays in force and nothing altered is used. What `work` itself raises weighs less,
                and so does that a person stopped it.
        """
        seal = await asyncio.to_thread(self._sealed, log.log.session_id)
        refs = await self._rescues.seen()
        try:
            result = await work()
        except PmError:
            await self._refuse_altered(seal, refs, log)
            raise
        except asyncio.CancelledError:
            await undisturbed(self._refuse_altered(seal, refs, log))
            raise
        await self._refuse_altered(seal, refs, log)
        return result

    def _sealed(self, session_id: str) -> tuple[Seal, Comparing]:
        seal = self._records.seal(session_id)
        return seal, self._beside.seal(seal)

    async def _refuse_altered(
        self, sealed: tuple[Seal, Comparing], refs: Mapping[str, str], log: OpenLog
    ) -> None:
        gone, altered, beside = await asyncio.to_thread(self._compared, sealed, log)
        if gone:
            for path, data in gone.items():
                await self._files.replace(path, data)
                self.put_back.append(path.name)
            _, altered, beside = await asyncio.to_thread(self._compared, sealed, log)
        moved = await self._rescues.put_back(refs)
        self.put_back += moved.back
        self.gone += moved.gone
        await self._take_back(beside)
        found = (*altered, *map(self._records.shown, beside.altered), *moved.altered)
        if found:
            for path, data in self._records.to_put_back(sealed[0]).items():
                await self._files.replace(path, data)
            self._reread()
            raise await self._altered(tuple(dict.fromkeys(found)), log)

    def _compared(
        self, sealed: tuple[Seal, Comparing], log: OpenLog
    ) -> tuple[dict[Path, bytes], tuple[str, ...], Difference]:
        """What has to be put back before anybody looks; what was altered; what lies beside."""
        seal, compare = sealed
        if gone := self._records.gone(seal):
            return gone, (), Difference()
        return {}, self._records.altered(seal, to_file(log.log)), compare()

    async def _take_back(self, beside: Difference) -> None:
        for path, data in beside.put_back.items():
            await self._files.replace(path, data)
        for path in beside.gone:
            name = self._records.shown(path)
            (self.put_back if path in beside.put_back else self.gone).append(name)
        self.rewritten += map(self._records.shown, beside.rewritten)
        self.lost |= {found: self._records.shown(path) for found, path in beside.lost.items()}

    async def _altered(self, altered: tuple[str, ...], log: OpenLog) -> PmError:
        more = f" (+{len(altered) - NAMED})" if len(altered) > NAMED else ""
        what = ", ".join(altered[:NAMED]) + more
        try:
            evidence = await self._recorder.record(
                Operation(
                    type="records_altered",
                    raw="\n".join(altered),
                    session_id=log.log.session_id,
                    task_id=log.log.task_id,
                )
            )
            log.note_evidence(evidence.evidence_id)
        except PmError:
            # The chain itself was hit beyond use. That is what the error says, louder.
            pass
        return PmError("records_altered", what=what, task=log.log.task_id)
