"""What is on record of a conversation grows with what is said, and can be put together again."""

import hashlib
import json
from typing import Any

import msgspec
import pytest

from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.adapters.models.gemini import GeminiContent
from pm_orchestrator.adapters.models.ollama import OllamaChat
from pm_orchestrator.adapters.models.openai import OpenAIChat
from pm_orchestrator.adapters.models.openai_responses import OpenAIResponses
from pm_orchestrator.domain.company.model_conversation import (
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.model_exchanges import ExchangeRecords
from pm_orchestrator.ports.dialect import Dialect
from pm_orchestrator.ports.gateway import Exchange

EVERY = [AnthropicMessages(), OpenAIChat(), OpenAIResponses(), GeminiContent(), OllamaChat()]
TOOLS = (ToolDefinition(name="read", description="Reads. " * 100, schema={"type": "object"}),)
SECRET = "s" + "k-ant-api03-" + "Zq81mXw02LkPr64TnVb95YcDs37Hg"


def exchange(request: bytes, agent: str = "worker", turn: int = 1) -> Exchange:
    return Exchange(
        agent=agent,
        turn=turn,
        status=200,
        request=request,
        response=b'{"said": "so"}',
        usage=TokenUsage(),
    )


def asked(records: ExchangeRecords, request: bytes, agent: str = "worker") -> dict[str, Any]:
    head, written, answer = records.raw(exchange(request, agent)).split("\n")
    assert head == f"{agent} turn 1 status 200"
    assert answer == '{"said": "so"}'
    told: dict[str, Any] = json.loads(written)
    return told


def conversation(turns: int) -> tuple[Message, ...]:
    said = [Message(role="user", text="Do it. " * 50)]
    for n in range(turns - 1):
        call = ToolCall(id=f"c{n}", name="read", arguments={"path": f"{n:04}.py"})
        result = ToolResult(call_id=call.id, content=f"{n:04} " * 100)
        said += [
            Message(role="assistant", text="I look.", tool_calls=(call,)),
            Message(role="user", tool_results=(result,)),
        ]
    return tuple(said)


@pytest.mark.parametrize("dialect", EVERY, ids=lambda d: d.name)
def test_each_turn_takes_as_much_room_as_the_one_before(dialect: Dialect) -> None:
    records, sizes = ExchangeRecords(Masker()), list[int]()
    for turn in range(1, 41):
        request = ChatRequest(
            model="m", system="Be brief. " * 50, messages=conversation(turn), tools=TOOLS
        )
        written = records.raw(exchange(to_json(dialect.write_request(request))))
        sizes.append(len(written))
    # The first one holds the prompt and the tools; later ones what is new, and hashes.
    assert max(sizes[2:]) - min(sizes[2:]) <= 8
    assert max(sizes[2:]) < 2500


def rebuilt(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every request out of the records before it, with its hashes checked."""
    made: list[dict[str, Any]] = []
    for record in told:
        whole: dict[str, Any] = {}
        for name, value in record.items():
            listed = isinstance(value, list)
            elements = msgspec.convert(value if listed else [value], list[Any])
            first: Any = elements[0] if elements else None
            if "as_before" not in str(first):
                whole[name] = value
                continue
            before = made[-1][name]
            kept = before[: first["as_before"]] if listed else [before]
            chain = ""
            for element in kept:
                chain = hashlib.sha256(chain.encode() + to_json(element)).hexdigest()
            assert chain == first["sha256"]
            whole[name] = [*kept, *elements[1:]] if listed else before
        made.append(whole)
    return made


def test_every_request_can_be_put_together_again() -> None:
    requests: list[dict[str, Any]] = [
        {"model": "m", "system": "S" * 300, "messages": [{"text": "a" * 300}]},
        {"model": "m", "system": "S" * 300, "messages": [{"text": "a" * 300}, {"text": "b"}]},
        # The last one was said otherwise: what was before it still counts.
        {"model": "m", "system": "S" * 300, "messages": [{"text": "a" * 300}, {"text": "c"}]},
        {"model": "m", "messages": [{"text": "a" * 300}], "more": [1, 2]},
        {"model": "n", "system": "S" * 300, "messages": [{"text": "new"}], "more": []},
    ]
    records = ExchangeRecords(Masker())
    told = [asked(records, to_json(request)) for request in requests]
    assert rebuilt(told) == requests
    assert told[1]["messages"][0]["as_before"] == 1
    assert told[2]["messages"][1:] == [{"text": "c"}]
    # What an agent has not said itself is not named.
    assert asked(records, to_json(requests[0]), "other") == requests[0]


def test_the_hashes_are_over_what_is_on_record() -> None:
    masker = Masker()
    said = {"text": f"the key is {SECRET} " + "x" * 300}
    records = ExchangeRecords(masker)
    asked(records, to_json({"messages": [said]}))
    named = asked(records, to_json({"messages": [said, {"text": "go on"}]}))["messages"][0]
    kept = masker.mask(to_json(said).decode()).text
    assert SECRET not in kept
    assert named["sha256"] == hashlib.sha256(kept.encode()).hexdigest()


@pytest.mark.parametrize("request_", [b"", b"[1]", b"\xff", b"{"])
def test_what_is_no_object_is_kept_as_it_came(request_: bytes) -> None:
    raw = ExchangeRecords(Masker()).raw(exchange(request_))
    assert raw.split("\n")[1] == request_.decode(errors="replace")
