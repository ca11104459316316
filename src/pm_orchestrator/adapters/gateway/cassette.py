"""Recorded answers on disk: small, sorted and strict, so that a change shows in a diff."""

from pathlib import Path
from typing import Literal

from msgspec import field

from pm_orchestrator.adapters.gateway.normalise import RequestDigest
from pm_orchestrator.domain.company.model_conversation import ChatReply
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import MalformedRecordError, Record, from_json, to_file

TakeKey = tuple[str, int, RequestDigest | None]


class Take(Record, frozen=True, kw_only=True):
    """One recorded answer."""

    agent: str
    turn: int
    digest: RequestDigest | None
    """None fits any request of this agent and turn; only written by hand."""
    asked: str = ""
    """What was said to the model since its last answer, for people."""
    reply: ChatReply
    """In nobody's dialect: it is said in that of whoever asks."""

    def key(self) -> TakeKey:
        return (self.agent, self.turn, self.digest)


class Cassette(Record, frozen=True, kw_only=True):
    """All answers of one recording."""

    schema_version: Literal[2] = 2
    takes: tuple[Take, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    """What the short hashes stand for that are not of a conversation: models, tools, prompts."""


def load_cassette(path: Path) -> Cassette:
    """Read a cassette.

    Raises:
        PmError: E604 when the file is missing, malformed or ambiguous.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unusable(path, error.strerror or "it cannot be read") from error
    return parse_cassette(data, path)


def parse_cassette(data: bytes, path: Path) -> Cassette:
    """Read a cassette from memory; `path` only names it in errors.

    Raises:
        PmError: E604 when the data is malformed or ambiguous.
    """
    try:
        cassette = from_json(Cassette, data, source=str(path))
    except MalformedRecordError as error:
        raise _unusable(path, str(error.params["reason"])) from error
    if len({take.key() for take in cassette.takes}) < len(cassette.takes):
        raise _unusable(path, "two answers are recorded for the same request")
    return cassette


def check_place(path: Path) -> None:
    """Pass where a recording may be saved: over another one, but over nothing else.

    Raises:
        PmError: E604 naming what is in the way.
    """
    if path.exists():
        load_cassette(path)
    elif not path.parent.is_dir():
        raise _unusable(path, "there is no such folder")


def save_cassette(path: Path, cassette: Cassette) -> None:
    """Write a cassette in one move: a reader never sees half of it.

    Raises:
        PmError: E604 when the file cannot be written.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_bytes(to_file(cassette))
        partial.replace(path)
    except OSError as error:
        raise _unusable(path, error.strerror or "it cannot be written") from error


def _unusable(path: Path, reason: str) -> PmError:
    return PmError("cassette_unreadable", path=path, reason=reason)
