"""The tool server's manners on the channel, in this process and over plain pipes."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pm_orchestrator.adapters.sandboxes.frames import (
    CREDIT,
    MAX_DATA,
    MAX_STREAMS,
    VERSION,
    FrameKind,
    ProtocolError,
    pack,
    pack_json,
    parse_json,
)
from pm_orchestrator.adapters.sandboxes.tool_server import HostSettings, ToolServer, greet
from pm_orchestrator.adapters.sandboxes.tool_streams import Link


class Host:
    """The other end of the channel, one thread, blocking."""

    def __init__(self, workspace: Path) -> None:
        self._before = set(threading.enumerate())
        to_server, self._send = os.pipe()
        from_server, self._answer = os.pipe()
        self._ends = (os.fdopen(to_server, "rb"), os.fdopen(from_server, "rb"))
        self.server_link = Link(self._ends[0], self._answer)
        self.link = Link(self._ends[1], self._send)
        self._zygote, self._zygote_end = socket.socketpair()
        self.hello: dict[str, object] = {
            "version": VERSION,
            "workspace": str(workspace),
            "env": {},
            "kill_grace_s": 1,
            "limits": {},
        }

    def serve(self, *frames: bytes) -> None:
        """Let the server read these frames and then the end of the channel."""
        for frame in frames:
            self.link.send(frame)
        os.close(self._send)
        self._send = -1
        settings = HostSettings(pack_json(FrameKind.HELLO, 0, self.hello)[9:])
        ToolServer(self.server_link, self._zygote, os.getpid(), settings).serve()

    def answer(self) -> tuple[FrameKind, int, bytes]:
        frame = self.link.receive()
        assert frame is not None
        return frame

    def close(self) -> None:
        # Answers may still be on their way; a request that waits for us never ends.
        for thread in set(threading.enumerate()) - self._before:
            thread.join(0.2)
        if self._send >= 0:
            os.close(self._send)
        os.close(self._answer)
        for end in (*self._ends, self._zygote, self._zygote_end):
            end.close()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path)
    yield host
    host.close()


def opening(number: int, **fields: object) -> bytes:
    return pack_json(FrameKind.OPEN, number, dict(fields))


def test_hello_is_answered_with_our_version(host: Host) -> None:
    host.link.send(pack_json(FrameKind.HELLO, 0, host.hello))
    assert greet(host.server_link).workspace == host.hello["workspace"]
    kind, stream, payload = host.answer()
    assert (kind, stream, parse_json(payload)) == (FrameKind.HELLO, 0, {"version": VERSION})


def test_another_version_is_refused(host: Host) -> None:
    host.link.send(pack_json(FrameKind.HELLO, 0, {**host.hello, "version": VERSION + 1}))
    with pytest.raises(ProtocolError, match="version"):
        greet(host.server_link)


def test_anything_before_hello_is_refused(host: Host) -> None:
    host.link.send(opening(1, op="ping"))
    with pytest.raises(ProtocolError, match="HELLO"):
        greet(host.server_link)


def test_a_ping_is_answered(host: Host) -> None:
    host.serve(opening(1, op="ping"))
    assert host.answer() == (FrameKind.RES, 1, b"{}")


def test_a_file_is_written_and_read(host: Host, tmp_path: Path) -> None:
    host.serve(
        opening(1, op="write", path="a/b"),
        pack(FrameKind.DATA, 1, b"con"),
        pack(FrameKind.DATA, 1, b"tent"),
        pack_json(FrameKind.END, 1, {}),
    )
    assert host.answer() == (FrameKind.RES, 1, b"{}")
    assert (tmp_path / "a/b").read_bytes() == b"content"


def test_reading_and_listing(host: Host, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    host.serve(opening(1, op="read", path="file", limit=5))
    assert host.answer() == (FrameKind.DATA, 1, b"12345")
    assert host.answer() == (FrameKind.RES, 1, b"{}")


def test_a_listing_is_data(host: Host, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    host.serve(opening(1, op="list", path=""))
    assert host.answer() == (FrameKind.DATA, 1, b'[["file", "file", 5]]')


def test_a_refusal_says_why(host: Host) -> None:
    host.serve(opening(1, op="read", path="../x", limit=5))
    kind, _, payload = host.answer()
    assert (kind, parse_json(payload)) == (FrameKind.RES, {"refused": "it contains .."})


def test_a_stopped_write_changes_nothing(host: Host, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    host.serve(
        opening(1, op="write", path="file"),
        pack(FrameKind.DATA, 1, b"new"),
        pack_json(FrameKind.RST, 1, {}),
    )
    kind, _, payload = host.answer()
    assert (kind, "refused" in parse_json(payload)) == (FrameKind.RES, True)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_an_unknown_operation_is_reset(host: Host) -> None:
    host.serve(opening(1, op="dance"))
    assert host.answer()[0] is FrameKind.RST


def test_too_many_streams_are_reset(host: Host) -> None:
    numbers = range(1, 2 * MAX_STREAMS + 3, 2)
    host.serve(
        *(opening(number, op="write", path=f"f{number}") for number in numbers),
        *(pack_json(FrameKind.RST, number, {}) for number in numbers),
    )
    kinds = {number: kind for kind, number, _ in (host.answer() for _ in numbers)}
    assert [number for number, kind in kinds.items() if kind is FrameKind.RST] == [numbers[-1]]


def test_data_without_a_reader_waits_for_credit(host: Host, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(CREDIT + 10))
    host.serve(opening(1, op="read", path="big", limit=10**7), opening(3, op="ping"))
    frames = [host.answer() for _ in range(CREDIT // MAX_DATA + 1)]
    assert (FrameKind.RES, 3, b"{}") in frames
    assert sum(len(payload) for kind, _, payload in frames if kind is FrameKind.DATA) == CREDIT


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param([opening(2, op="ping")], id="even"),
        pytest.param([opening(3, op="ping"), opening(1, op="ping")], id="backwards"),
        pytest.param([opening(3, op="ping"), opening(3, op="ping")], id="again"),
        pytest.param([pack(FrameKind.DATA, 1, b"x")], id="never-opened"),
        pytest.param([pack(FrameKind.DATA, 1, bytes(MAX_DATA + 1))], id="oversize"),
        pytest.param([bytes(9)], id="unknown-kind"),
        pytest.param(
            [opening(1, op="write", path="x"), pack_json(FrameKind.WINDOW, 1, {"credit": 1})],
            id="too-much-credit",
        ),
        pytest.param(
            [opening(1, op="write", path="x"), pack_json(FrameKind.RES, 1, {})], id="result"
        ),
    ],
)
def test_a_host_that_breaks_the_rules_is_left(host: Host, frames: list[bytes]) -> None:
    with pytest.raises(ProtocolError):
        host.serve(*frames)
