"""OpenAI's Chat Completions protocol, written down as its vendor documents it."""

import pytest

from pm_orchestrator.adapters.models.openai import OpenAIModels
from pm_orchestrator.ports.dialect import Json
from pm_orchestrator.testing.contracts.dialect_contract import (
    KEY,
    READ,
    TASK,
    DialectContract,
    WrittenByHand,
    server_sent,
)

FUNCTION: Json = {
    "name": "read",
    "description": "Reads a file.",
    "parameters": READ.schema,
}
DEEP_TEXT = '{"path":"c","deep":{"n":[1,null]}}'


class TestOpenAIChat(DialectContract):
    @pytest.fixture
    def vendor(self) -> WrittenByHand:
        def completion(message: Json, stop: str, used: tuple[int, int]) -> Json:
            return {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1,
                "model": "model-1",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "refusal": None, **message},
                        "logprobs": None,
                        "finish_reason": stop,
                    }
                ],
                "usage": {
                    "prompt_tokens": used[0],
                    "completion_tokens": used[1],
                    "total_tokens": sum(used),
                    "prompt_tokens_details": {"cached_tokens": 0},
                },
            }

        def use(number: int, arguments: str) -> Json:
            function = {"name": "read", "arguments": arguments}
            return {"id": f"call_{number}", "type": "function", "function": function}

        looks = [use(1, '{"path":"a.py"}'), use(2, '{"path":"b"}')]

        def result(number: int, content: str) -> Json:
            return {"role": "tool", "tool_call_id": f"call_{number}", "content": content}

        def chunk(delta: str, why: str = "null") -> str:
            return (
                '{"id":"c","object":"chat.completion.chunk","created":1,"model":"model-1",'
                f'"choices":[{{"index":0,"delta":{delta},"finish_reason":{why}}}],"usage":null}}'
            )

        return WrittenByHand(
            factory=OpenAIModels(),
            answers=(
                completion({"content": "I look.", "tool_calls": looks}, "tool_calls", (20, 9)),
                completion(
                    {"content": None, "tool_calls": [use(3, DEEP_TEXT)]}, "tool_calls", (40, 5)
                ),
                completion({"content": "Done: 世界"}, "length", (60, 3)),
            ),
            asked={
                "model": "model-1",
                "max_completion_tokens": 4096,
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": TASK},
                    {"role": "assistant", "content": "I look.", "tool_calls": looks},
                    result(1, "x = 1"),
                    result(2, "[the tool failed]\nno such file"),
                    {"role": "assistant", "content": None, "tool_calls": [use(3, DEEP_TEXT)]},
                    result(3, "x = 1"),
                ],
                "tools": [{"type": "function", "function": FUNCTION}],
            },
            path="/v1/chat/completions",
            stream=server_sent(
                chunk('{"role":"assistant","content":"","refusal":null}'),
                chunk('{"content":"I "}'),
                chunk('{"content":"look."}'),
                chunk(
                    '{"tool_calls":[{"index":0,"id":"x1","type":"function",'
                    '"function":{"name":"read","arguments":""}}]}'
                ),
                chunk('{"tool_calls":[{"index":0,"function":{"arguments":"{\\"path\\": "}}]}'),
                chunk('{"tool_calls":[{"index":0,"function":{"arguments":"\\"a.py\\"}"}}]}'),
                chunk(
                    '{"tool_calls":[{"index":1,"id":"x2","type":"function",'
                    '"function":{"name":"read","arguments":"{\\"path\\":\\"b\\"}"}}]}'
                ),
                chunk("{}", '"tool_calls"'),
                '{"id":"c","object":"chat.completion.chunk","created":1,"model":"model-1",'
                '"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":9}}',
                "[DONE]",
            ),
            shows_key=("authorization", f"Bearer {KEY}"),
        )
