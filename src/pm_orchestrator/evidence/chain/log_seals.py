"""The logs of ended tasks in the evidence chain: altered later, they are known to be.

A log changes until its task ends, so the chain gets a word about it then: its digest. One for
a task that is taken up again comes before the first change of its log, with the digest of what
was found there, so that taking it up cannot hide an alteration. A log that ended before there
were such words has none, and nothing is said about it.
"""

from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.record import MalformedRecordError, from_json
from pm_orchestrator.domain.tasks.evidence_record import Artifact, ChainLink, Evidence
from pm_orchestrator.evidence.chain.links import chain_path, complete_lines, digest, record_path
from pm_orchestrator.evidence.look.plain_open import about, is_there, read_file, try_read
from pm_orchestrator.evidence.masking.secret_forms import MARKER
from pm_orchestrator.ports.recorder import Operation, Recorder

CLOSED = "task_log_closed"
REOPENED = "task_log_reopened"


class LogSeals:
    """Says in the chain how a log was left, and how it was found."""

    def __init__(self, recorder: Recorder, claude_dir: Path) -> None:
        self._recorder = recorder
        self._claude_dir = claude_dir

    async def closed(self, path: Path, data: bytes, log: TaskLog) -> None:
        """The log at `path` was closed as `data`.

        One that cannot be sealed is closed all the same: it lacks a word, and is not wrong.
        """
        try:
            await self._say(CLOSED, path, data, log)
        except PmError:
            return

    async def reopened(self, path: Path, found: bytes, log: TaskLog) -> None:
        """The log at `path` was `found`, and is going to change.

        Raises:
            PmError: E301 when that cannot be recorded; the log may not be changed then.
        """
        await self._say(REOPENED, path, found, log)

    async def _say(self, word: str, path: Path, data: bytes, log: TaskLog) -> None:
        ref = path.relative_to(self._claude_dir).as_posix()
        artifact = Artifact(kind="log", ref=ref, sha256=digest(data))
        await self._recorder.record(
            Operation(
                type=word,
                raw=f"{ref} {artifact.sha256} {log.status}",
                session_id=log.session_id,
                task_id=log.task_id,
                artifacts=(artifact,),
            )
        )


class _Ending(msgspec.Struct):
    """Of a log only whether its task has ended."""

    ended_at: str | None = None


def has_ended(log: bytes) -> bool:
    """Whether a log says that its task has ended; a damaged one says nothing."""
    try:
        return msgspec.json.decode(log, type=_Ending).ended_at is not None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False


class BrokenLog(msgspec.Struct, frozen=True):
    """A log that is not what the chain says of it."""

    path: Path
    task_id: str
    evidence_id: str
    gone: bool


class _Word(msgspec.Struct, frozen=True):
    """The last word about a log."""

    task_id: str
    evidence_id: str
    sha256: str | None
    """None while its task goes on."""


class LogWords:
    """What the chain says about logs, taken from its records one after the other."""

    def __init__(self, claude_dir: Path) -> None:
        self._claude_dir = claude_dir
        self._last: dict[Path, _Word] = {}
        self._hidden: list[BrokenLog] = []
        """Logs that were altered before their tasks were taken up again."""

    def take(self, evidence: Evidence) -> bool:
        """Whether a record is such a word; it counts for more than those before it."""
        if evidence.operation_type not in (CLOSED, REOPENED):
            return False
        task_id = Path(evidence.raw_logs).name.rpartition("_")[0]
        for artifact in evidence.artifacts:
            if MARKER.search(artifact.ref):
                continue  # A name that held a secret leads nowhere any more.
            path = self._claude_dir / artifact.ref
            before = self._last.get(path)
            known = artifact.sha256 if before is None else before.sha256 or artifact.sha256
            closed = evidence.operation_type == CLOSED
            if not closed and known != artifact.sha256:
                self._hidden.append(BrokenLog(path, task_id, evidence.evidence_id, gone=False))
            self._last[path] = _Word(
                task_id, evidence.evidence_id, artifact.sha256 if closed else None
            )
        return True

    def allows(self, path: Path, data: bytes | None) -> bool:
        """Whether the chain accounts for a log being `data` now, which it was not before."""
        word = self._last.get(path)
        if word is None or data is None:
            return False
        return word.sha256 is None or word.sha256 == digest(data)

    def broken(self) -> tuple[BrokenLog, ...]:
        """Every log that is not as the last word about it says, or was not at some time."""
        found = list(self._hidden)
        for path, word in self._last.items():
            data = try_read(path)
            if data is None or not self.allows(path, data):
                found.append(BrokenLog(path, word.task_id, word.evidence_id, data is None))
        return tuple(found)


def words_in(claude_dir: Path) -> LogWords:
    """The words of the chain as it is now; whether it is intact is not asked here."""
    words = LogWords(claude_dir)
    chain = chain_path(claude_dir)
    for line in complete_lines(chain) if is_there(chain) else ():
        try:
            link = from_json(ChainLink, line, chain.name)
            path = record_path(claude_dir, link.evidence_id)
            words.take(from_json(Evidence, read_file(path), path.name))
        except (OSError, MalformedRecordError):
            continue  # Whoever checks the chain names it.
    return words


class SteadyChain:
    """Tells whether the chain grew: then what was read may have been between word and log.

    Another process of ours says that it takes a task up before it changes the log, and that
    a task has ended after that. So where the chain did not grow between a look at it and one
    at the logs, the two must fit.
    """

    def __init__(self, claude_dir: Path) -> None:
        self._chain = chain_path(claude_dir)
        self._size = self._now()

    def grew(self) -> bool:
        """Whether it did since the last time it was asked."""
        before, self._size = self._size, self._now()
        return self._size != before

    def _now(self) -> int:
        seen = about(self._chain)
        return 0 if seen is None else seen.st_size
