"""Sending over plain files: one message is one file, and half a send is finished by the next.

Senders take turns by a lock that dies with its holder. A message is written and
synced aside, then renamed into `sending`: from there on it is sent, whoever
dies. It gets two names, one in its recipient's inbox and one in its run's
history (by which a second sending of the same id is known), and leaves
`sending` when both are durable. The next sender finishes what it finds there.
"""

import fcntl
import logging
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import safe_name
from pm_orchestrator.domain.record import MalformedRecordError, Record, from_json, to_json

log = logging.getLogger(__name__)


class Envelope(Record, frozen=True, kw_only=True):
    """A message with its place in the order of sending."""

    sequence: int
    message: AgentMessage


class Box:
    """The three states of a recipient's messages; a message changes state by one rename."""

    def __init__(self, root: Path, recipient: str) -> None:
        folder = root / "inbox" / safe_name(recipient, "recipient")
        self.ready = folder / "ready"
        self.claimed = folder / "claimed"
        self.done = folder / "done"

    def holds(self, token: str) -> bool:
        # In the order in which a message moves, so that it is not missed on its way.
        return any(
            name.split(".")[0] == token
            for folder in (self.ready, self.claimed, self.done)
            for name in message_names(folder)
        )


def token_name(sequence: int) -> str:
    """The name of a ready message: sorts in order of sending."""
    return f"{sequence:012d}"


def message_names(folder: Path) -> list[str]:
    """What is in a folder, which need not exist yet."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except FileNotFoundError:
        return []


def history_folder(root: Path, run_id: str) -> Path:
    """Where every message of a run keeps its second name."""
    return root / "messages" / safe_name(run_id, "run id")


def read_envelope(root: Path, path: Path) -> Envelope | None:
    """The message in a file, or None after a damaged one was put into quarantine.

    Raises:
        FileNotFoundError: somebody else has moved it.
    """
    try:
        return from_json(Envelope, path.read_bytes(), source=path.name)
    except MalformedRecordError as error:
        place = root / "quarantine" / path.parent.relative_to(root)
        place.mkdir(parents=True, exist_ok=True)
        path.rename(place / path.name)
        log.warning("a damaged message was put aside as %s: %s", place / path.name, error)
        return None


class Outbox:
    """The sending side of a queue at `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._sending = root / "sending"
        self._counter_checked = False

    def post(self, message: AgentMessage) -> None:
        """Send once; durable on return. Blocks: for the disk, and for other senders.

        Raises:
            PmError: E210 for a name that cannot be a file's; E902 when it cannot be written.
        """
        box = Box(self._root, message.recipient)
        name = safe_name(message.id, "message id") + ".json"
        known = history_folder(self._root, message.run_id) / name
        try:
            self._prepare(box, known.parent)
            with self._turn() as lock:
                self._finish_half_sent()
                if self._was_sent(known):
                    return
                sequence = self._next_sequence(lock)
                aside = self._root / "incoming"
                _write_durably(aside, to_json(Envelope(sequence=sequence, message=message)))
                sent = self._sending / token_name(sequence)
                aside.rename(sent)
                os.link(sent, box.ready / sent.name)
                self._make_known(sent, box, known)
        except OSError as error:
            raise PmError("disk", path=self._root, reason=error.strerror) from error

    def _make_known(self, sent: Path, box: Box, known: Path) -> None:
        """Give a message that is in its inbox its second name, and end the sending.

        The inbox is synced first: if the power goes in between, a message that is
        known but in no inbox would be lost; the other way round it comes twice.
        """
        _sync_folder(box.ready)
        if not known.exists():
            os.link(sent, known)
        _sync_folder(known.parent)
        sent.unlink()

    def _finish_half_sent(self) -> None:
        for name in sorted(message_names(self._sending)):
            envelope = read_envelope(self._root, self._sending / name)
            if envelope is None:
                continue
            box = Box(self._root, envelope.message.recipient)
            known = history_folder(self._root, envelope.message.run_id)
            known /= f"{envelope.message.id}.json"
            self._prepare(box, known.parent)
            if not box.holds(name):
                os.link(self._sending / name, box.ready / name)
            self._make_known(self._sending / name, box, known)

    def _was_sent(self, known: Path) -> bool:
        try:
            return read_envelope(self._root, known) is not None
        except FileNotFoundError:
            return False

    def _prepare(self, box: Box, history: Path) -> None:
        for folder in (self._sending, box.ready, box.claimed, box.done, history):
            _make_durably(folder)

    @contextmanager
    def _turn(self) -> Generator[int]:
        """Exclude every other sender, in this process and elsewhere."""
        lock = os.open(self._root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield lock
        finally:
            os.close(lock)

    def _next_sequence(self, lock: int) -> int:
        """One more than ever before; the lock file keeps the count.

        The count is not synced, so after a power cut it may be old or torn: the
        first sending of each process compares it with what is there.
        """
        text = os.pread(lock, 32, 0)
        last = int(text) if text.isdigit() else 0
        if not self._counter_checked or last == 0:
            last = max(last, self._highest())
            self._counter_checked = True
        os.pwrite(lock, token_name(last + 1).encode(), 0)
        return last + 1

    def _highest(self) -> int:
        found = [int(name) for name in message_names(self._sending) if name.isdigit()]
        for recipient in message_names(self._root / "inbox"):
            box = Box(self._root, recipient)
            for folder in (box.ready, box.claimed, box.done):
                tokens = (name.split(".")[0] for name in message_names(folder))
                found.extend(int(token) for token in tokens if token.isdigit())
        return max(found, default=0)


def _write_durably(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _make_durably(folder: Path) -> None:
    if folder.is_dir():
        return
    _make_durably(folder.parent)
    folder.mkdir(exist_ok=True)
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
