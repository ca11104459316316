"""One wire protocol of model vendors, read and written from both ends.

A chat model writes requests and reads answers; the gateway reads requests, and writes
answers where it has them from a recording. What both have in common is the conversation
of `domain/company/model_conversation.py`: nobody but a dialect knows a vendor's form.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Protocol

import msgspec

from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest

Json = dict[str, Any]
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What reading JSON of strangers may raise."""


class Inquiry(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it came over the wire, understood."""

    request: ChatRequest
    stream: bool = False

    @property
    def turn(self) -> int:
        """Which answer is asked for, told from the request alone.

        Without state in the server a retried, a parallel and a resumed agent all
        find the same place in a recording.
        """
        return 1 + sum(message.role == "assistant" for message in self.request.messages)


class BrokenStreamError(Exception):
    """The frames do not add up to an answer; `status` where the vendor said itself why."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


class VendorFailure(msgspec.Struct, frozen=True, kw_only=True):
    """What a vendor says of a failure, apart from its status."""

    message: str = ""
    retry_after: float | None = None
    """Seconds, where the body says them."""
    busy: bool = False
    """It says that it has too much to do, whatever the status."""
    final: bool = False
    """It says that waiting does not help, whatever the status."""
    status: int | None = None
    """The status that the body is about; some send it with 200."""


class StreamReader(Protocol):
    """Puts an answer together out of the frames of its stream."""

    acts: bool
    """A tool call has begun: from here on an agent might act on what it hears."""
    ended: bool
    """The answer is whole, whatever else may come."""

    def read(self, frame: bytes) -> None:
        """Take one frame, its end included.

        Raises:
            BrokenStreamError: it is none of this protocol, or says that the vendor failed.
        """
        ...

    def answer(self) -> Json:
        """The answer as the vendor gives it to who asks for no stream.

        Raises:
            BrokenStreamError: the stream was cut off.
        """
        ...


class Dialect(Protocol):
    """How requests, answers, streams and errors of one protocol are written."""

    name: str
    route: "re.Pattern[str]"
    """The paths it is asked at."""
    key_header: str = "authorization"
    """How its clients show a key, apart from `authorization: Bearer`."""
    headers: Mapping[str, str] = MappingProxyType({})
    """Sent where the client sends none of its own."""
    passed_headers: tuple[str, ...] = ()
    """What else of a client's headers belongs to the protocol."""
    stream_type: str
    frame_end: "re.Pattern[bytes]"
    ping: bytes
    """A frame that says nothing; empty where there is none."""

    def path(self, request: ChatRequest) -> str:
        """Where `request` is asked."""
        ...

    def write_request(self, request: ChatRequest) -> Json: ...

    def read_request(self, body: bytes, path: str) -> Inquiry:
        """Raises msgspec.DecodeError for anything that is no request of this protocol."""
        ...

    def write_answer(self, reply: ChatReply, model: str) -> Json: ...

    def read_answer(self, answer: Json) -> ChatReply:
        """Raises msgspec.ValidationError for anything that is no complete answer."""
        ...

    def write_stream(self, answer: Json) -> Iterator[bytes]:
        """The frames that bring `answer`."""
        ...

    def stream_reader(self) -> StreamReader: ...

    def write_error(self, status: int, kind: str, message: str) -> Json: ...

    def read_error(self, body: bytes) -> VendorFailure:
        """What the vendor says of a failure, as far as the body is readable."""
        ...

    def error_frame(self, error: Json) -> bytes:
        """An error in the middle of a stream."""
        ...
