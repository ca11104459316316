"""Ollama's chat protocol, written down as its vendor documents it."""

import pytest

from pm_orchestrator.adapters.models.ollama import OllamaModels
from pm_orchestrator.ports.dialect import Json
from pm_orchestrator.testing.contracts.dialect_contract import (
    READ,
    TASK,
    DialectContract,
    WrittenByHand,
)

FUNCTION: Json = {
    "name": "read",
    "description": "Reads a file.",
    "parameters": READ.schema,
}
DEEP: Json = {"path": "c", "deep": {"n": [1, None]}}


class TestOllama(DialectContract):
    @pytest.fixture
    def vendor(self) -> WrittenByHand:
        def chat(message: Json, used: tuple[int, int], why: str = "stop") -> Json:
            return {
                "model": "model-1",
                "created_at": "2026-01-01T00:00:00Z",
                "message": {"role": "assistant", **message},
                "done": True,
                "done_reason": why,
                "total_duration": 1,
                "prompt_eval_count": used[0],
                "eval_count": used[1],
            }

        def use(arguments: Json, number: int = 0) -> Json:
            named = {"id": f"call_{number}"} if number else {}
            return {"function": {"name": "read", "arguments": arguments}, **named}

        def result(number: int, content: str) -> Json:
            return {
                "role": "tool",
                "content": content,
                "tool_name": "read",
                "tool_call_id": f"call_{number}",
            }

        looks = [use({"path": "a.py"}, 1), use({"path": "b"}, 2)]
        return WrittenByHand(
            factory=OllamaModels(),
            answers=(
                chat({"content": "I look.", "thinking": "hm", "tool_calls": looks}, (20, 9)),
                chat({"content": "", "tool_calls": [use(DEEP, 3)]}, (40, 5)),
                chat({"content": "Done: 世界"}, (60, 3), "length"),
            ),
            asked={
                "model": "model-1",
                "stream": False,
                "options": {"num_predict": 4096},
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": TASK},
                    {"role": "assistant", "content": "I look.", "tool_calls": looks},
                    result(1, "x = 1"),
                    result(2, "[the tool failed]\nno such file"),
                    {"role": "assistant", "content": "", "tool_calls": [use(DEEP, 3)]},
                    result(3, "x = 1"),
                ],
                "tools": [{"type": "function", "function": FUNCTION}],
            },
            path="/api/chat",
            stream=(
                b'{"model":"m","created_at":"t","message":{"role":"assistant","content":"I "},'
                b'"done":false}\n'
                b'{"model":"m","created_at":"t","message":{"role":"assistant",'
                b'"content":"look."},"done":false}\n'
                b'{"model":"m","created_at":"t","message":{"role":"assistant","content":"",'
                b'"tool_calls":[{"function":{"name":"read","arguments":{"path":"a.py"}}},'
                b'{"function":{"name":"read","arguments":{"path":"b"}}}]},"done":false}\n'
                b'{"model":"m","created_at":"t","message":{"role":"assistant","content":""},'
                b'"done":true,"done_reason":"stop","prompt_eval_count":20,"eval_count":9}\n'
            ),
            shows_key=None,
        )
