"""Nobody but the Runner writes its records: checked around every executor and every gate."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.evidence.chain.tamper import Seal, SealedRecords
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.ports.store import DurableFiles

T = TypeVar("T")
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
    ) -> None:
        self._records = records
        self._files = files
        self._recorder = recorder
        self._reread = reread
        self.put_back: list[str] = []
        """Files of ours that were taken away during some work, and are back."""

    async def watch(self, log: OpenLog, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, if it kept its hands off.

        Raises:
            PmError: E505 when it did not; logs and settings are put back then, so that
                the old policy stays in force. What `work` itself raises weighs less.
        """
        seal = await asyncio.to_thread(self._records.seal, log.log.session_id)
        try:
            result = await work()
        except PmError:
            await self._refuse_altered(seal, log)
            raise
        await self._refuse_altered(seal, log)
        return result

    async def _refuse_altered(self, seal: Seal, log: OpenLog) -> None:
        for path, data in (await asyncio.to_thread(self._records.gone, seal)).items():
            await self._files.replace(path, data)
            self.put_back.append(path.name)
        altered = await asyncio.to_thread(self._records.altered, seal, to_file(log.log))
        if not altered:
            return
        for path, data in self._records.to_put_back(seal).items():
            await self._files.replace(path, data)
        self._reread()
        more = f" (+{len(altered) - NAMED})" if len(altered) > NAMED else ""
        what = ", ".join(altered[:NAMED]) + more
        try:
            await self._recorder.record(
                Operation(
                    type="records_altered",
                    raw="\n".join(altered),
                    session_id=log.log.session_id,
                    task_id=log.log.task_id,
                )
            )
        except PmError:
            # The chain itself was hit beyond use. That is what the next line says, louder.
            pass
        raise PmError("records_altered", what=what, task=log.log.task_id)
