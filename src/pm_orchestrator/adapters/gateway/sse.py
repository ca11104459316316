"""Anthropic's event stream: made from a recorded message, and put together again.

A recording holds whole messages, so that it can be read and compared. A client that
asks for a stream gets the events the provider would have sent for that message.
"""

from collections.abc import Iterator

import msgspec

from pm_orchestrator.adapters.gateway.wire import Json, check_message

PING = b'event: ping\ndata: {"type":"ping"}\n\n'


class BrokenStreamError(Exception):
    """The events do not add up to a message; `error` is what the provider said, if it did."""

    def __init__(self, reason: str, error: Json | None = None) -> None:
        super().__init__(reason)
        self.error = error


def to_events(message: Json) -> bytes:
    """The stream of `message`, complete from `message_start` to `message_stop`."""
    return b"".join(_frame(event) for event in _events(message))


def error_event(body: bytes) -> bytes:
    """An error in the middle of a stream; `body` is the vendor's error object."""
    return b"event: error\ndata: " + body + b"\n\n"


def _frame(event: Json) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (event["type"].encode(), msgspec.json.encode(event))


def _events(message: Json) -> Iterator[Json]:
    usage: Json = message["usage"]
    ending = {name: message.get(name) for name in ("stop_reason", "stop_sequence")}
    opening: Json = message | {"content": [], "usage": usage | {"output_tokens": 0}}
    yield {"type": "message_start", "message": opening | dict.fromkeys(ending)}
    for index, block in enumerate(message["content"]):
        empty, deltas = _block_parts(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": ending, "usage": usage}
    yield {"type": "message_stop"}


def _block_parts(block: Json) -> tuple[Json, list[Json]]:
    """How a block begins, and what is added to it.

    Block types that are not streamed in parts begin complete.
    """
    match block["type"]:
        case "text":
            return block | {"text": ""}, [{"type": "text_delta", "text": block.get("text", "")}]
        case "tool_use":
            inputs = msgspec.json.encode(block.get("input", {})).decode()
            return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": inputs}]
        case "thinking":
            return block | {"thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": block.get("thinking", "")},
                {"type": "signature_delta", "signature": block.get("signature", "")},
            ]
        case _:
            return block, []


def from_events(stream: bytes) -> Json:
    """The message that a whole stream carries.

    Raises:
        BrokenStreamError: cut off, not a stream, or ended by an error of the provider.
    """
    try:
        message = _assemble(_read(stream))
        check_message(message)
    except (msgspec.DecodeError, KeyError, TypeError, IndexError, UnicodeDecodeError) as error:
        raise BrokenStreamError("the event stream is malformed") from error
    return message


def _read(stream: bytes) -> Iterator[Json]:
    for part in stream.decode().replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].lstrip() for line in part.split("\n") if line.startswith("data:")]
        if lines:
            yield msgspec.json.decode("\n".join(lines), type=Json)


def _assemble(events: Iterator[Json]) -> Json:
    message: Json = {}
    partial_inputs: dict[int, str] = {}
    for event in events:
        match event["type"]:
            case "message_start":
                message = dict(event["message"])
            case "content_block_start":
                message["content"].append(dict(event["content_block"]))
            case "content_block_delta":
                _extend(message["content"][event["index"]], event, partial_inputs)
            case "message_delta":
                message |= event["delta"]
                message["usage"] |= event.get("usage", {})
            case "message_stop":
                for index, text in partial_inputs.items():
                    message["content"][index]["input"] = msgspec.json.decode(text or "{}")
                return message
            case "error":
                raise BrokenStreamError("the provider broke off", error=event)
            case _:
                continue
    raise BrokenStreamError("the event stream was cut off")


def _extend(block: Json, event: Json, partial_inputs: dict[int, str]) -> None:
    delta: Json = event["delta"]
    match delta["type"]:
        case "text_delta":
            block["text"] += delta["text"]
        case "thinking_delta":
            block["thinking"] += delta["thinking"]
        case "signature_delta":
            block["signature"] = delta["signature"]
        case "input_json_delta":
            index: int = event["index"]
            partial_inputs[index] = partial_inputs.get(index, "") + delta["partial_json"]
        case "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta["citation"]]
        case _:
            # A part we cannot add would make a recording that says less than was answered.
            raise BrokenStreamError("the event stream has an unknown kind of part")
