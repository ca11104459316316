"""What is written can be read back exactly, or not at all: for every record there is."""

import json
from pathlib import Path
from typing import cast

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from msgspec import inspect as types

from pm_orchestrator.domain.company.model_conversation import ConversationHistory
from pm_orchestrator.domain.record import (
    MalformedRecordError,
    Record,
    from_json,
    to_file,
    to_json,
)
from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.testing.data.any_record import instances, records_of, sample, wrong_value

PACKAGES = [f"pm_orchestrator.{room}" for room in ("domain", "ports", "evidence")]
RECORDS = records_of(*PACKAGES)
EACH = settings().max_examples // 4
every_record = pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)


def test_the_records_are_found() -> None:
    assert Evidence in RECORDS
    assert len(RECORDS) >= 40


@every_record
def test_a_record_is_frozen_closed_and_spelled_out(kind: type[Record]) -> None:
    config = kind.__struct_config__
    assert config.frozen
    assert config.forbid_unknown_fields


@every_record
def test_every_record_survives_the_disk(kind: type[Record]) -> None:
    """R-21 Evidence Integrity Management: what is read back is exactly what was written."""

    # There are over a hundred kinds: thousands of cases of the one rule.
    @settings(max_examples=EACH)
    @given(instances(kind))
    def survives(record: Record) -> None:
        for form in (to_json, to_file):
            again = from_json(kind, form(record))
            assert again == record
            assert form(again) == form(record)
        assert json.loads(to_file(record)) == json.loads(to_json(record))
        assert to_file(record).endswith(b"\n")

    survives()


def _fields(kind: type[Record]) -> tuple[types.Field, ...]:
    return cast("types.StructType", types.type_info(kind)).fields


@every_record
def test_anything_else_is_refused(kind: type[Record]) -> None:
    """R-21 Evidence Integrity Management: an unknown, missing or mistyped field is refused."""
    whole = sample(kind)
    from_json(kind, msgspec.json.encode(whole))
    broken = [{**whole, "no_such_field": 1}]
    for field in _fields(kind):
        name = field.encode_name
        if field.required:
            broken.append({key: value for key, value in whole.items() if key != name})
        wrong = wrong_value(field.type)
        if wrong is not None:
            broken.append({**whole, name: wrong})
    for content in [*broken, [whole], "text", None]:
        with pytest.raises(MalformedRecordError):
            from_json(kind, msgspec.json.encode(content))


@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_an_error_of_ours(data: bytes) -> None:
    """R-21 Evidence Integrity Management: an unknown format is refused, never a crash."""
    with pytest.raises(MalformedRecordError):
        from_json(Evidence, data)


@given(record=instances(ConversationHistory))
def test_a_conversation_survives_the_disk(record: Record, tmp_path: Path) -> None:
    """E-19 Conversation History Persistence Round-Trip: the same messages and tool calls."""
    path = tmp_path / "conversation.json"
    path.write_bytes(to_file(record))
    again = from_json(ConversationHistory, path.read_bytes())
    assert isinstance(record, ConversationHistory)
    assert again.messages == record.messages
    assert again.tool_calls == record.tool_calls
    assert again == record
