"""The form on disk is a contract: these bytes must not change by accident."""

import pytest

from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.record import MalformedRecordError, from_json, to_file, to_json
from pm_orchestrator.domain.tasks.evidence_record import Artifact, ChainLink, Evidence
from pm_orchestrator.evidence.chain.links import evidence_hash, follow

EVIDENCE = Evidence(
    evidence_id="ev-01",
    timestamp="2026-01-15T09:00:00.000Z",
    operation_type="gate_run",
    artifacts=(Artifact(kind="commit", ref="abc123"),),
    hash="",
    raw_logs="raw/s/task-1_01.log",
    atomic_operation=True,
    raw_evidence_refs=("sha256:00",),
    integrity_validated=True,
    contains_sensitive_data=False,
)
GOLDEN_EVIDENCE = (
    b'{"evidence_id":"ev-01","timestamp":"2026-01-15T09:00:00.000Z","operation_type":"gate_run",'
    b'"artifacts":[{"kind":"commit","ref":"abc123","sha256":null}],"hash":"",'
    b'"raw_logs":"raw/s/task-1_01.log","atomic_operation":true,"raw_evidence_refs":["sha256:00"],'
    b'"integrity_validated":true,"contains_sensitive_data":false}'
)
GOLDEN_HASH = "454f15bcf633f9f082a86137a461a2fe9ca547e7ec91ee2f051e4dabcf51e298"
GOLDEN_LINK = "3262053734b4c27f1d1012ecf423686e577a758aac751dba17d851eb949a9b99"


def test_evidence_has_one_compact_form_and_one_hash() -> None:
    assert to_json(EVIDENCE) == GOLDEN_EVIDENCE
    assert evidence_hash(EVIDENCE) == GOLDEN_HASH
    assert follow(None, EVIDENCE).link == GOLDEN_LINK


def test_the_file_is_the_same_content_for_people() -> None:
    link = ChainLink(sequence=1, evidence_id="e", evidence_hash="h", previous="p", link="l")
    assert to_file(link) == (
        b'{\n  "sequence": 1,\n  "evidence_id": "e",\n  "evidence_hash": "h",\n'
        b'  "previous": "p",\n  "link": "l"\n}\n'
    )


def test_messages_say_from_and_to() -> None:
    message = AgentMessage(
        id="m1",
        run_id="r",
        type="task_assign",
        sender="manager",
        recipient="worker-1",
        payload={"b": 1, "a": 2},
        timestamp="t",
    )
    # Keys of free content are sorted, so that the same content has the same bytes.
    assert to_json(message) == (
        b'{"id":"m1","run_id":"r","type":"task_assign","from":"manager","to":"worker-1",'
        b'"payload":{"a":2,"b":1},"timestamp":"t"}'
    )


def test_a_malformed_record_names_its_source() -> None:
    with pytest.raises(MalformedRecordError, match=r"E302: evidence ev-9\.json") as caught:
        from_json(Evidence, b"{}", "ev-9.json")
    assert caught.value.code == "E302"
