"""Calling the program through the preloaded interpreter, which is started at the first call."""

import marshal
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from pm_orchestrator.testing.programs.preloaded import Call, News

CHUNK = 1 << 16
UTF_8 = "C.UTF-8"
"""What the preloaded interpreter was started with; its streams speak it."""
ROOM_FOR_A_CALL = 1 << 20


def can_be_preloaded(environment: Mapping[str, str], stdin: str) -> bool:
    """Whether a fork can stand for a process of its own.

    Another locale, a setting of Python and the measuring of coverage act on an interpreter
    that starts.
    """
    locale = next((environment[k] for k in ("LC_ALL", "LC_CTYPE", "LANG") if k in environment), "")
    starts = any(name.startswith(("PYTHON", "COV")) for name in environment)
    return locale == UTF_8 and not starts and len(stdin.encode()) < CHUNK


def call_preloaded(
    arguments: Sequence[str],
    *,
    stdin: str,
    cwd: Path,
    environment: Mapping[str, str],
    patience_s: float,
) -> "subprocess.CompletedProcess[str]":
    """As `subprocess.run` with both outputs captured, and with its errors."""
    call: Call = (list(arguments), dict(environment))
    streams = [os.pipe() for _ in range(3)]
    (their_in, our_in), (our_out, their_out), (our_err, their_err) = streams
    told, teller = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with told:
        theirs = [their_in, their_out, their_err, os.open(cwd, os.O_PATH)]
        with teller:
            socket.send_fds(PRELOADED.control(), [marshal.dumps(call)], [*theirs, teller.fileno()])
        for fd in theirs:
            os.close(fd)
        # Less than a pipe holds: nobody needs to read it.
        os.write(our_in, stdin.encode())
        os.close(our_in)
        pid = _news(told).pid
        try:
            out, err = _read_all(our_out, our_err, time.monotonic() + patience_s)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(list(arguments), patience_s) from None
        finally:
            os.close(our_out)
            os.close(our_err)
        told.settimeout(patience_s)
        code = _news(told).code
    assert code is not None
    return subprocess.CompletedProcess(list(arguments), code, out, err)


class Preloaded:
    """The interpreter of this process, started when first needed."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """Its process, once it runs."""
        return self._server.pid if self._server is not None else None

    def control(self) -> socket.socket:
        """Where calls are sent; whoever took the interpreter away does not end the others."""
        if self._server is not None and self._server.poll() is not None:
            self.end()
        if self._control is None:
            self._control = self._start()
        return self._control

    def end(self) -> None:
        """Let go of the socket, on which it ends; without this it ends with this process."""
        if self._server is not None and self._control is not None:
            self._control.close()
            self._server.communicate(timeout=20)
        self._server = self._control = None

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, ROOM_FOR_A_CALL)
        with theirs:
            self._server = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "pm_orchestrator.testing.programs.preloaded",
                    str(theirs.fileno()),
                ],
                env={"LANG": UTF_8, "PATH": os.defpath},
                cwd="/",
                # A call's own streams take the place of these, and are of the same kind.
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
            )
        return ours


PRELOADED = Preloaded()


def _news(told: socket.socket) -> News:
    return msgspec.json.decode(told.recv(CHUNK), type=News)


def _read_all(out: int, err: int, end: float) -> tuple[str, str]:
    """Everything the program says, to the end of both its outputs."""
    read = {out: bytearray(), err: bytearray()}
    with selectors.DefaultSelector() as waiting:
        for fd in read:
            waiting.register(fd, selectors.EVENT_READ)
        while waiting.get_map():
            ready = waiting.select(max(end - time.monotonic(), 0.0))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                data = os.read(key.fd, CHUNK)
                read[key.fd] += data
                if not data:
                    waiting.unregister(key.fd)
    texts = [
        bytes(data).decode().replace("\r\n", "\n").replace("\r", "\n") for data in read.values()
    ]
    return texts[0], texts[1]
