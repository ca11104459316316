"""The frames that host and sandbox exchange over one stdin/stdout channel.

A frame is a header (payload length, kind, stream number) and a payload: raw
bytes in DATA and ERRDATA, a JSON object in the others. The host opens odd
streams, the sandbox even ones; numbers are never used again. Each stream starts
with a credit of bytes in either direction, which the receiver renews as it
consumes: without it an unread flood would fill the host's memory.

Standard library only: this text also runs inside the sandbox.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from pm_orchestrator.adapters.processes.plain_json import dumps, loads

VERSION = 1
HEADER = struct.Struct("!IBI")
MAX_DATA = 32 * 1024
MAX_JSON = 4 * 1024**2
CREDIT = 256 * 1024
MAX_STREAMS = 64


class FrameKind(IntEnum):
    """What a frame means."""

    HELLO = 1
    """First frame of either side, on stream 0; the versions must be equal."""
    OPEN = 2
    """A request; the stream lives until RES or RST."""
    DATA = 3
    """File content or standard output."""
    ERRDATA = 4
    """Standard error."""
    END = 5
    """The opener has sent all its DATA."""
    RES = 6
    """The result; the stream is over."""
    RST = 7
    """From the opener: stop it (a RES still comes). From the other side: no result."""
    WINDOW = 8
    """More credit."""


RAW = frozenset({FrameKind.DATA, FrameKind.ERRDATA})


class ProtocolError(Exception):
    """The other side broke the rules; the channel is closed, nothing is guessed."""


def pack(kind: FrameKind, stream: int, payload: bytes) -> bytes:
    """One frame of raw payload."""
    return HEADER.pack(len(payload), kind, stream) + payload


def pack_json(kind: FrameKind, stream: int, fields: dict[str, object]) -> bytes:
    """One frame with a JSON object; ASCII escapes carry undecodable file names."""
    return pack(kind, stream, dumps(fields).encode("ascii"))


def parse_header(raw: bytes) -> tuple[int, FrameKind, int]:
    """Return length, kind and stream.

    Raises:
        ProtocolError: for an unknown kind or a payload over its limit.
    """
    length, number, stream = HEADER.unpack(raw)
    try:
        kind = FrameKind(number)
    except ValueError:
        raise ProtocolError(f"unknown frame kind {number}") from None
    if length > (MAX_DATA if kind in RAW else MAX_JSON):
        raise ProtocolError(f"{kind.name} frame of {length} bytes")
    return length, kind, stream


def parse_json(payload: bytes) -> dict[str, object]:
    """The object of a frame that carries JSON.

    Raises:
        ProtocolError: when it is anything but one JSON object.
    """
    try:
        fields: dict[str, object] = loads(payload)
    except (ValueError, RecursionError):
        raise ProtocolError("payload is not JSON") from None
    if not _is_object(fields):
        raise ProtocolError("payload is not a JSON object")
    return fields


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def parse_credit(payload: bytes) -> int:
    """The bytes a WINDOW frame grants."""
    credit = parse_json(payload).get("credit")
    if not isinstance(credit, int) or isinstance(credit, bool) or not 0 < credit <= CREDIT:
        raise ProtocolError("WINDOW without a sensible credit")
    return credit


class ReceiveWindow:
    """Counts what the sender may still send, and when to renew it."""

    def __init__(self) -> None:
        self._allowed = CREDIT
        self._consumed = 0

    def arrived(self, size: int) -> None:
        """Raises ProtocolError when the sender overruns its credit."""
        if size > self._allowed:
            raise ProtocolError("more data than credit")
        self._allowed -= size

    def consumed(self, size: int) -> int:
        """Return the credit to send back now; 0 until half has been used."""
        self._consumed += size
        if self._consumed < CREDIT // 2:
            return 0
        grant, self._consumed = self._consumed, 0
        self._allowed += grant
        return grant
