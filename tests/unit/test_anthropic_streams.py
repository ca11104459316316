"""Event streams as the provider really writes them."""

import msgspec
import pytest

from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.ports.dialect import BrokenStreamError
from pm_orchestrator.testing.scripted.whole_answer import whole_answer

SPOKEN = AnthropicMessages()
LIVE = b"""\
event: message_start\r
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",\
"model":"m","content":[],"stop_reason":null,"stop_sequence":null,\
"usage":{"input_tokens":25,"cache_read_input_tokens":4,"output_tokens":1}}}\r
\r
event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

: a comment

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}

data: {"type":"content_block_delta","index":0,
data: "delta":{"type":"citations_delta","citation":{"cited_text":"x"}}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":\
{"type":"tool_use","id":"t1","name":"read","input":{}}}

data: {"type":"content_block_delta","index":1,\
"delta":{"type":"input_json_delta","partial_json":""}}

data: {"type":"content_block_delta","index":1,\
"delta":{"type":"input_json_delta","partial_json":"{\\"path\\": \\"a"}}

data: {"type":"content_block_delta","index":1,\
"delta":{"type":"input_json_delta","partial_json":".py\\"}"}}

data: {"type":"content_block_start","index":2,"content_block":\
{"type":"tool_use","id":"t2","name":"list","input":{}}}

data: {"type":"content_block_delta","index":2,\
"delta":{"type":"input_json_delta","partial_json":""}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},\
"usage":{"output_tokens":15}}

data: {"type":"message_stop"}

"""


def test_a_live_stream_is_put_together() -> None:
    assert whole_answer(SPOKEN, LIVE) == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [
            {"type": "text", "text": "Hello", "citations": [{"cited_text": "x"}]},
            {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a.py"}},
            {"type": "tool_use", "id": "t2", "name": "list", "input": {}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 25, "cache_read_input_tokens": 4, "output_tokens": 15},
    }


def test_the_events_come_in_the_vendors_order() -> None:
    events = [
        msgspec.json.decode(frame.split(b"data: ")[1])["type"]
        for frame in SPOKEN.write_stream(whole_answer(SPOKEN, LIVE))
    ]
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert events == ["message_start", *block, *block, *block, "message_delta", "message_stop"]


@pytest.mark.parametrize(
    "stream",
    [
        b"",
        b"\xff\n\n",
        b'data: {"type":"message_stop"}\n\n',
        b'data: {"no":"type"}\n\n',
        b"data: []\n\n",
        LIVE.replace(b'"text_delta"', b'"unheard_of_delta"'),
        LIVE.replace(b'"index":1', b'"index":7'),
        LIVE.replace(b'.py\\"}', b'.py\\"'),
        LIVE.replace(b"event: ping", b"event: x").replace(b'"role":"assistant",', b""),
    ],
)
def test_what_does_not_add_up_is_no_message(stream: bytes) -> None:
    with pytest.raises(BrokenStreamError):
        whole_answer(SPOKEN, stream)
