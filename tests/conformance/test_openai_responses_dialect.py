"""OpenAI's Responses protocol, written down as its vendor documents it."""

from typing import Any

import pytest

from pm_orchestrator.adapters.models.openai_responses import ResponsesModels
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


class TestOpenAIResponses(DialectContract):
    @pytest.fixture
    def vendor(self) -> WrittenByHand:
        def response(output: list[Json], used: tuple[int, int], cut: str | None = None) -> Json:
            return {
                "id": "resp_1",
                "object": "response",
                "created_at": 1,
                "model": "model-1",
                "status": "incomplete" if cut else "completed",
                "error": None,
                "incomplete_details": {"reason": cut} if cut else None,
                "output": output,
                "usage": {
                    "input_tokens": used[0],
                    "input_tokens_details": {"cached_tokens": 0},
                    "output_tokens": used[1],
                    "total_tokens": sum(used),
                },
            }

        def words(text: str, **more: Any) -> Json:
            part: Json = {"type": "output_text", "text": text, "annotations": []}
            return {"type": "message", "role": "assistant", "content": [part], **more}

        def use(number: int, arguments: str, **more: Any) -> Json:
            return {
                "type": "function_call",
                "call_id": f"call_{number}",
                "name": "read",
                "arguments": arguments,
                **more,
            }

        def result(number: int, output: str) -> Json:
            return {
                "type": "function_call_output",
                "call_id": f"call_{number}",
                "output": output,
            }

        def added(index: int, item: str) -> str:
            return (
                '{"type":"response.output_item.added","sequence_number":1,'
                f'"output_index":{index},"item":{item}}}'
            )

        def done(index: int, item: str) -> str:
            return added(index, item).replace("added", "done")

        said = (
            '{"id":"m","type":"message","role":"assistant","status":"completed",'
            '"content":[{"type":"output_text","text":"I look.","annotations":[]}]}'
        )

        def called(number: int, path: str) -> str:
            return (
                f'{{"id":"f{number}","type":"function_call","call_id":"x{number}","name":"read",'
                f'"arguments":"{{\\"path\\":\\"{path}\\"}}","status":"completed"}}'
            )

        done_status: Json = {"id": "i", "status": "completed"}
        return WrittenByHand(
            factory=ResponsesModels(),
            answers=(
                response(
                    [
                        words("I look.", **done_status),
                        use(1, '{"path":"a.py"}', **done_status),
                        use(2, '{"path":"b"}', **done_status),
                    ],
                    (20, 9),
                ),
                response(
                    [
                        {"type": "reasoning", "id": "rs_1", "summary": []},
                        use(3, DEEP_TEXT, **done_status),
                    ],
                    (40, 5),
                ),
                response([words("Done: 世界", **done_status)], (60, 3), "max_output_tokens"),
            ),
            asked={
                "model": "model-1",
                "instructions": "Be brief.",
                "max_output_tokens": 4096,
                "store": False,
                "include": ["reasoning.encrypted_content"],
                "input": [
                    {
                        "type": "message",
                        "role": "user",
                        "content": [{"type": "input_text", "text": TASK}],
                    },
                    words("I look."),
                    use(1, '{"path":"a.py"}'),
                    use(2, '{"path":"b"}'),
                    result(1, "x = 1"),
                    result(2, "[the tool failed]\nno such file"),
                    use(3, DEEP_TEXT),
                    result(3, "x = 1"),
                ],
                "tools": [{"type": "function", "strict": False, **FUNCTION}],
            },
            path="/v1/responses",
            stream=server_sent(
                '{"type":"response.created","sequence_number":0,"response":{"id":"r",'
                '"status":"in_progress","output":[]}}',
                added(0, '{"id":"m","type":"message","role":"assistant","content":[]}'),
                '{"type":"response.content_part.added","output_index":0,"content_index":0,'
                '"item_id":"m","part":{"type":"output_text","text":"","annotations":[]}}',
                '{"type":"response.output_text.delta","output_index":0,"content_index":0,'
                '"item_id":"m","delta":"I look."}',
                done(0, said),
                added(
                    1,
                    '{"id":"f1","type":"function_call","call_id":"x1","name":"read",'
                    '"arguments":""}',
                ),
                '{"type":"response.function_call_arguments.delta","output_index":1,'
                '"item_id":"f1","delta":"{\\"path\\":\\"a.py\\"}"}',
                done(1, called(1, "a.py")),
                added(
                    2,
                    '{"id":"f2","type":"function_call","call_id":"x2","name":"read",'
                    '"arguments":""}',
                ),
                done(2, called(2, "b")),
                '{"type":"response.completed","sequence_number":9,"response":{"id":"r",'
                '"status":"completed","model":"model-1","output":['
                + ",".join([said, called(1, "a.py"), called(2, "b")])
                + '],"usage":{"input_tokens":20,"output_tokens":9}}}',
                named=True,
            ),
            shows_key=("authorization", f"Bearer {KEY}"),
        )
