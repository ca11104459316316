"""Google's generateContent protocol, written down as its vendor documents it."""

from typing import Any

import pytest

from pm_orchestrator.adapters.models.gemini import GeminiModels
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


class TestGemini(DialectContract):
    @pytest.fixture
    def vendor(self) -> WrittenByHand:
        def content(parts: list[Json], stop: str, used: tuple[int, int, int]) -> Json:
            return {
                "candidates": [
                    {
                        "content": {"role": "model", "parts": parts},
                        "finishReason": stop,
                        "index": 0,
                    }
                ],
                "usageMetadata": {
                    "promptTokenCount": used[0],
                    "candidatesTokenCount": used[1],
                    "thoughtsTokenCount": used[2],
                    "totalTokenCount": sum(used),
                },
                "modelVersion": "model-1",
            }

        def use(number: int, arguments: Json, **more: Any) -> Json:
            call = {"id": f"call_{number}", "name": "read", "args": arguments}
            return {"functionCall": call, **more}

        def result(number: int, response: Json) -> Json:
            made = {"id": f"call_{number}", "name": "read", "response": response}
            return {"functionResponse": made}

        unsigned = "skip_thought_signature_validator"
        return WrittenByHand(
            factory=GeminiModels(),
            answers=(
                content(
                    [{"text": "I look."}, use(1, {"path": "a.py"}), use(2, {"path": "b"})],
                    "STOP",
                    (20, 6, 3),
                ),
                content([use(3, DEEP)], "STOP", (40, 5, 0)),
                content([{"text": "Done: "}, {"text": "世界"}], "MAX_TOKENS", (60, 3, 0)),
            ),
            asked={
                "contents": [
                    {"role": "user", "parts": [{"text": TASK}]},
                    {
                        "role": "model",
                        "parts": [
                            {"text": "I look."},
                            use(1, {"path": "a.py"}, thoughtSignature=unsigned),
                            use(2, {"path": "b"}),
                        ],
                    },
                    {
                        "role": "user",
                        "parts": [
                            result(1, {"output": "x = 1"}),
                            result(2, {"error": "no such file"}),
                        ],
                    },
                    {"role": "model", "parts": [use(3, DEEP, thoughtSignature=unsigned)]},
                    {"role": "user", "parts": [result(3, {"output": "x = 1"})]},
                ],
                "systemInstruction": {"parts": [{"text": "Be brief."}]},
                "generationConfig": {"maxOutputTokens": 4096},
                "tools": [
                    {
                        "functionDeclarations": [
                            {
                                "name": "read",
                                "description": "Reads a file.",
                                "parametersJsonSchema": READ.schema,
                            }
                        ]
                    }
                ],
            },
            path="/v1beta/models/model-1:generateContent",
            stream=server_sent(
                '{"candidates":[{"content":{"role":"model","parts":[{"text":"I "}]},"index":0}]}',
                '{"candidates":[{"content":{"role":"model","parts":[{"text":"look."}]},"index":0}],'
                '"usageMetadata":{"promptTokenCount":20}}',
                '{"candidates":[{"content":{"role":"model","parts":['
                '{"functionCall":{"name":"read","args":{"path":"a.py"}}},'
                '{"functionCall":{"name":"read","args":{"path":"b"}}}]},'
                '"finishReason":"STOP","index":0}],'
                '"usageMetadata":{"promptTokenCount":20,"candidatesTokenCount":9},'
                '"modelVersion":"model-1"}',
            ),
            shows_key=("x-goog-api-key", KEY),
        )
