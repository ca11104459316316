"""Cutting an executor's output into protocol events and terminal text, in bounded memory."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

LINE_LIMIT = 8 * 1024**2
"""An event longer than this is not read; no CLI says that much at once."""
PARTS_LIMIT = 500_000
"""An event of more values than this is not read: each costs far more memory than its text."""
SHOWN_LIMIT = 16 * 1024
"""Bytes of terminal text passed on from one piece: only its end is ever looked at."""
HEAD_LIMIT = 512 * 1024
TAIL_LIMIT = 256 * 1024

OutputEvent = dict[str, Any]

_EVENT_LINE = re.compile(rb"^[ \t\r]*\{[^\n]*\n", re.MULTILINE)
_EVERY_EVENT_HAS = b'"type"'
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class Transcript:
    """The first and the last part of everything that came."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        room = HEAD_LIMIT - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        surplus = len(self._tail) - TAIL_LIMIT
        if surplus > 0:
            del self._tail[:surplus]
            self._dropped += surplus

    def text(self) -> str:
        gap = f"\n[… {self._dropped} bytes left out …]\n" if self._dropped else ""
        head, tail = (part.decode(errors="replace") for part in (self._head, self._tail))
        return head + gap + tail


class EventLines:
    """Feed bytes in; events and pieces of terminal text come out in order."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._too_long = False
        self._in_text = False
        """A line of text was shown that has no end yet; what follows is no event."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> Iterator[OutputEvent | str]:
        """Cut what has come so far; an unfinished line of text is shown as it grows."""
        start = 0
        if self._rest or self._too_long or self._in_text:
            start = data.find(b"\n") + 1
            if not start:
                yield from self._piece(data)
                return
            yield from self._line(data[: start - 1])
        end = data.rfind(b"\n") + 1
        if end > start:
            yield from self._lines(data[start:end])
        yield from self._piece(data[max(start, end) :])

    def finish(self) -> Iterator[OutputEvent | str]:
        """The last line may have no end."""
        if self._rest:
            yield from self._line(b"")

    def _lines(self, body: bytes) -> Iterator[OutputEvent | str]:
        """Whole lines; all text between two events is one piece, so a flood costs little."""
        shown = 0
        if _EVERY_EVENT_HAS in body:
            for found in _EVENT_LINE.finditer(body):
                event = _event(found.group())
                if event is None:
                    continue
                if found.start() > shown:
                    yield self._text(body[shown : found.start()])
                yield event
                shown = found.end()
        if len(body) > shown:
            yield self._text(body[shown:])

    def _line(self, line: bytes) -> Iterator[OutputEvent | str]:
        """The end of a line that was begun before."""
        if self._too_long:
            self._too_long = False
            return
        if self._in_text:
            self._in_text = False
            yield self._text(line + b"\n")
            return
        whole = bytes(self._rest) + line
        self._rest.clear()
        event = _event(whole)
        yield event if event is not None else self._text(whole + b"\n")

    def _text(self, piece: bytes) -> str:
        if len(piece) > SHOWN_LIMIT:
            self._decoder.reset()
            piece = piece[-SHOWN_LIMIT:]
        return self._decoder.decode(piece)

    def _piece(self, piece: bytes) -> Iterator[str]:
        if self._too_long or not piece:
            return
        if not self._rest and (self._in_text or piece.lstrip()[:1] not in {b"{", b""}):
            # Text, and not the beginning of an event: shown at once, as a prompt has no end.
            self._in_text = True
            yield self._text(piece)
            return
        self._rest += piece
        if len(self._rest) > LINE_LIMIT:
            self._rest.clear()
            self._too_long = True


def _event(line: bytes) -> OutputEvent | None:
    if not line.lstrip().startswith(b"{") or _too_many_parts(line):
        return None
    try:
        event = msgspec.json.decode(_well_formed(line), type=dict[str, Any])
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event.get("type"), str) else None


def _too_many_parts(line: bytes) -> bool:
    if len(line) <= PARTS_LIMIT:
        return False
    return line.count(b",") + line.count(b"[") + line.count(b"{") > PARTS_LIMIT


def _well_formed(line: bytes) -> bytes:
    """The same event without halves of surrogate pairs, which JavaScript lets through."""
    if _SURROGATE.search(line) is None:
        return line
    text = json.dumps(json.loads(line), ensure_ascii=False)
    return text.encode("utf-8", "replace")
