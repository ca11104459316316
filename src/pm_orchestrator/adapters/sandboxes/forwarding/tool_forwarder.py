"""A port inside the sandbox that leads to the host, over the one channel there is.

Each connection is a stream that the sandbox opens, with an even number. Standard library
only: this text runs inside the sandbox.
"""

from __future__ import annotations

import socket
import threading

from pm_orchestrator.adapters.sandboxes.frames import (
    MAX_STREAMS,
    FrameKind,
    ProtocolError,
    pack_json,
)
from pm_orchestrator.adapters.sandboxes.tool_streams import Link, StoppedError, Stream

PIECE = 65536


class OutgoingCall(Stream):
    """A stream that begins in here."""

    @property
    def over(self) -> bool:
        """Whether the host has said its last word."""
        return self._complete or self._stopped

    def give_up(self) -> None:
        """Nobody takes any more of what is sent."""
        with self._changed:
            self._stop()
            self._changed.notify_all()


class Forwarder:
    """Listens on `port` of the sandbox's own loopback."""

    def __init__(self, link: Link, port: int) -> None:
        self._link = link
        self._listener = socket.create_server(("127.0.0.1", port), backlog=MAX_STREAMS)
        self._calls: dict[int, OutgoingCall] = {}
        self._last = 0

    def start(self) -> None:
        """From now on connections are accepted."""
        threading.Thread(target=self._accept, daemon=True).start()

    def take(self, number: int, kind: FrameKind, payload: bytes) -> None:
        """Reading thread: a frame for one of the calls has arrived.

        Raises:
            ProtocolError: the call was never made, or has no such frames.
        """
        call = self._calls.get(number)
        if kind is FrameKind.END or (call is None and number > self._last):
            raise ProtocolError(f"{kind.name} on call {number}")
        if call is not None:
            # The host's last word ends what there is to read, as END does for its own streams.
            call.take(FrameKind.END if kind is FrameKind.RES else kind, payload)

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            if len(self._calls) >= MAX_STREAMS:
                connection.close()
                continue
            self._last += 2
            call = self._calls[self._last] = OutgoingCall(self._link, self._last)
            # From this thread alone, so that the numbers rise as the host sees them.
            self._link.send(pack_json(FrameKind.OPEN, self._last, {}))
            serving = threading.Thread(
                target=self._serve, args=(self._last, call, connection), daemon=True
            )
            serving.start()

    def _serve(self, number: int, call: OutgoingCall, connection: socket.socket) -> None:
        sending = threading.Thread(target=self._send, args=(number, call, connection), daemon=True)
        sending.start()
        heard = True
        try:
            while data := call.receive():
                if heard:
                    heard = self._handed_over(number, connection, data)
        except StoppedError:
            heard = False
        call.give_up()
        if not heard:
            # Whoever waits for more must see that it broke off.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        try:
            connection.shutdown(socket.SHUT_RDWR if heard else socket.SHUT_RD)
        except OSError:
            # The other end was faster.
            pass
        sending.join()
        connection.close()
        del self._calls[number]

    def _handed_over(self, number: int, connection: socket.socket, data: bytes) -> bool:
        try:
            connection.sendall(data)
        except OSError:
            self._link.send(pack_json(FrameKind.RST, number, {}))
            return False
        return True

    def _send(self, number: int, call: OutgoingCall, connection: socket.socket) -> None:
        try:
            while data := connection.recv(PIECE):
                call.send(FrameKind.DATA, data)
        except OSError:
            # It was reset: what has come has come.
            pass
        if not call.over:
            self._link.send(pack_json(FrameKind.END, number, {}))
