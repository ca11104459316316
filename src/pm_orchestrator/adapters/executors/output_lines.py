"""Cutting an executor's output into protocol events and terminal text, in bounded memory."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

LINE_LIMIT = 8 * 1024**2
"""An event longer than this is not read; no CLI says that much at once."""
HEAD_LIMIT = 512 * 1024
TAIL_LIMIT = 256 * 1024

Event = dict[str, Any]

_EVENT_START = re.compile(rb"(?:^|\n)[ \t\r]*\{")
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
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> Iterator[Event | str]:
        """Cut what has come so far; an unfinished line of text is shown as it grows."""
        # Plain text need not be cut: only its end is looked at.
        plain = not self._rest and not self._too_long and _EVENT_START.search(data) is None
        *lines, last = [data] if plain else data.split(b"\n")
        for line in lines:
            yield from self._line(line)
        yield from self._piece(last)

    def finish(self) -> Iterator[Event | str]:
        """The last line may have no end."""
        if self._rest:
            yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[Event | str]:
        if self._too_long:
            self._too_long = False
            return
        whole = bytes(self._rest) + line
        self._rest.clear()
        event = _event(whole)
        if event is not None:
            yield event
        elif whole:
            yield self._decoder.decode(whole + b"\n")
        else:
            yield "\n"

    def _piece(self, piece: bytes) -> Iterator[str]:
        if self._too_long or not piece:
            return
        if not self._rest and not piece.lstrip().startswith(b"{"):
            # Text, and not the beginning of an event: shown at once, as a prompt has no end.
            yield self._decoder.decode(piece)
            return
        self._rest += piece
        if len(self._rest) > LINE_LIMIT:
            self._rest.clear()
            self._too_long = True


def _event(line: bytes) -> Event | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        event = msgspec.json.decode(_well_formed(line), type=dict[str, Any])
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event.get("type"), str) else None


def _well_formed(line: bytes) -> bytes:
    """The same event without halves of surrogate pairs, which JavaScript lets through."""
    if _SURROGATE.search(line) is None:
        return line
    text = json.dumps(json.loads(line), ensure_ascii=False)
    return text.encode("utf-8", "replace")
