"""Anthropic's Messages protocol, written down as its vendor documents it."""

import pytest

from pm_orchestrator.adapters.models.anthropic import AnthropicModels
from pm_orchestrator.ports.dialect import Json
from pm_orchestrator.testing.contracts.dialect_contract import (
    KEY,
    READ,
    TASK,
    DialectContract,
    WrittenByHand,
    server_sent,
)

DEEP: Json = {"path": "c", "deep": {"n": [1, None]}}


class TestAnthropic(DialectContract):
    @pytest.fixture
    def vendor(self) -> WrittenByHand:
        def message(content: list[Json], stop: str, used: tuple[int, int, int]) -> Json:
            return {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "model-1",
                "content": content,
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": {
                    "input_tokens": used[0],
                    "cache_read_input_tokens": used[1],
                    "output_tokens": used[2],
                },
            }

        def use(number: int, arguments: Json) -> Json:
            return {
                "type": "tool_use",
                "id": f"call_{number}",
                "name": "read",
                "input": arguments,
            }

        def result(number: int, content: str, *, failed: bool) -> Json:
            return {
                "type": "tool_result",
                "tool_use_id": f"call_{number}",
                "content": content,
                "is_error": failed,
            }

        looks = [
            {"type": "text", "text": "I look."},
            use(1, {"path": "a.py"}),
            use(2, {"path": "b"}),
        ]
        cached = {"cache_control": {"type": "ephemeral"}}
        return WrittenByHand(
            factory=AnthropicModels(),
            answers=(
                message(looks, "tool_use", (5, 15, 9)),
                message([use(3, DEEP)], "tool_use", (40, 0, 5)),
                message([{"type": "text", "text": "Done: 世界"}], "max_tokens", (60, 0, 3)),
            ),
            asked={
                "model": "model-1",
                "max_tokens": 4096,
                "system": "Be brief.",
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": TASK}]},
                    {"role": "assistant", "content": looks},
                    {
                        "role": "user",
                        "content": [
                            result(1, "x = 1", failed=False),
                            result(2, "no such file", failed=True),
                        ],
                    },
                    {"role": "assistant", "content": [use(3, DEEP)]},
                    {"role": "user", "content": [result(3, "x = 1", failed=False) | cached]},
                ],
                "tools": [
                    {
                        "name": "read",
                        "description": "Reads a file.",
                        "input_schema": READ.schema,
                    }
                ],
            },
            path="/v1/messages",
            stream=server_sent(
                '{"type":"message_start","message":{"id":"msg_1","type":"message",'
                '"role":"assistant","model":"model-1","content":[],"stop_reason":null,'
                '"usage":{"input_tokens":20,"output_tokens":1}}}',
                '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
                '{"type":"ping"}',
                '{"type":"content_block_delta","index":0,'
                '"delta":{"type":"text_delta","text":"I "}}',
                '{"type":"content_block_delta","index":0,'
                '"delta":{"type":"text_delta","text":"look."}}',
                '{"type":"content_block_stop","index":0}',
                '{"type":"content_block_start","index":1,"content_block":'
                '{"type":"tool_use","id":"t1","name":"read","input":{}}}',
                '{"type":"content_block_delta","index":1,'
                '"delta":{"type":"input_json_delta","partial_json":"{\\"path\\": "}}',
                '{"type":"content_block_delta","index":1,'
                '"delta":{"type":"input_json_delta","partial_json":"\\"a.py\\"}"}}',
                '{"type":"content_block_stop","index":1}',
                '{"type":"content_block_start","index":2,"content_block":'
                '{"type":"tool_use","id":"t2","name":"read","input":{}}}',
                '{"type":"content_block_delta","index":2,'
                '"delta":{"type":"input_json_delta","partial_json":"{\\"path\\": \\"b\\"}"}}',
                '{"type":"content_block_stop","index":2}',
                '{"type":"message_delta","delta":{"stop_reason":"tool_use"},'
                '"usage":{"output_tokens":9}}',
                '{"type":"message_stop"}',
                named=True,
            ),
            shows_key=("x-api-key", KEY),
        )
