"""The sandbox's end of the channel: frames in and out, and streams with credit.

One thread reads frames; each request has a thread of its own, so blocking code
serves many requests at once. Standard library only: this text runs inside the
sandbox.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from io import BufferedReader

from pm_orchestrator.adapters.sandboxes.frames import (
    CREDIT,
    HEADER,
    MAX_DATA,
    FrameKind,
    ProtocolError,
    ReceiveWindow,
    pack,
    pack_json,
    parse_credit,
    parse_header,
)


class StoppedError(Exception):
    """The host no longer wants this request."""


class Link:
    """The channel's two ends; frames of several threads never mix."""

    def __init__(self, inward: BufferedReader, outward: int) -> None:
        self._inward = inward
        self._outward = outward
        self._turn = threading.Lock()

    def receive(self) -> tuple[FrameKind, int, bytes] | None:
        """The next frame; None when the host has closed the channel."""
        raw = self._inward.read(HEADER.size)
        if len(raw) < HEADER.size:
            return None
        length, kind, stream = parse_header(raw)
        payload = self._inward.read(length)
        return None if len(payload) < length else (kind, stream, payload)

    def send(self, frame: bytes) -> None:
        view = memoryview(frame)
        with self._turn:
            while view:
                view = view[os.write(self._outward, view) :]


class Stream:
    """One request of the host, from OPEN to RES."""

    def __init__(self, link: Link, number: int) -> None:
        self._link = link
        self._number = number
        self._changed = threading.Condition()
        self._chunks: deque[bytes] = deque()
        self._complete = False
        self._stopped = False
        self._window = ReceiveWindow()
        self._credit = CREDIT
        self._stopper: int | None = None
        self.finished = False

    def take(self, kind: FrameKind, payload: bytes) -> None:
        """Reading thread: a frame for this stream has arrived."""
        with self._changed:
            if kind is FrameKind.DATA and not self._complete:
                self._window.arrived(len(payload))
                self._chunks.append(payload)
            elif kind is FrameKind.END:
                self._complete = True
            elif kind is FrameKind.WINDOW:
                self._credit += parse_credit(payload)
                if self._credit > CREDIT:
                    raise ProtocolError("more credit than there is")
            elif kind is FrameKind.RST:
                self._stop()
            else:
                raise ProtocolError(f"{kind.name} on an open stream")
            self._changed.notify_all()

    def receive(self) -> bytes:
        """The next piece of the host's data; empty after the last one."""
        with self._changed:
            while not self._chunks and not self._complete and not self._stopped:
                self._changed.wait()
            if self._stopped:
                raise StoppedError
            if not self._chunks:
                return b""
            chunk = self._chunks.popleft()
            grant = self._window.consumed(len(chunk))
        if grant:
            self._link.send(pack_json(FrameKind.WINDOW, self._number, {"credit": grant}))
        return chunk

    def send(self, kind: FrameKind, data: bytes) -> None:
        """Send raw data as credit allows; dropped once the host has lost interest."""
        view = memoryview(data)
        while view:
            with self._changed:
                while self._credit == 0 and not self._stopped:
                    self._changed.wait()
                if self._stopped:
                    return
                size = min(len(view), MAX_DATA, self._credit)
                self._credit -= size
            self._link.send(pack(kind, self._number, bytes(view[:size])))
            view = view[size:]

    def finish(self, fields: dict[str, object], kind: FrameKind = FrameKind.RES) -> None:
        """Send the result; the last frame of the stream."""
        self.finished = True
        self._link.send(pack_json(kind, self._number, fields))

    def when_stopped(self, control: int) -> None:
        """Write one byte to `control` when the host stops the request, or now if it has."""
        with self._changed:
            self._stopper = control
            if self._stopped:
                os.write(control, b"k")

    def forget_stopper(self) -> None:
        """The descriptor is about to be closed."""
        with self._changed:
            self._stopper = None

    def _stop(self) -> None:
        if not self._stopped and self._stopper is not None:
            os.write(self._stopper, b"k")
        self._stopped = True
