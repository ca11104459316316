"""Events of a run on their way to the disk and back, in this version and in others."""

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.cli.terminal.progress import describe
from pm_orchestrator.domain.history.run_events import (
    BrokeDown,
    Claims,
    GateDetail,
    GateEvent,
    NoDetail,
    PhaseEvent,
    Queued,
    RunEvent,
    UnknownEvent,
    WorkerEvent,
    Working,
    read_event,
)
from pm_orchestrator.domain.record import MalformedRecordError, Record, to_json
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.event_log import EventLog
from pm_orchestrator.testing.data.any_record import instances
from pm_orchestrator.testing.data.secrets import planted_secrets
from pm_orchestrator.testing.memory.fake_clock import FakeClock

KINDS: tuple[type[Record], ...] = get_args(RunEvent)
ANY_EVENT: st.SearchStrategy[Any] = st.one_of([instances(kind) for kind in KINDS])
STAMP: dict[str, Any] = {"sequence": 3, "timestamp": "2026-01-15T10:00:00Z", "run_id": "run_001"}


def line(kind: str, subject: str, **detail: object) -> dict[str, object]:
    """As versions without typed events wrote them."""
    return {**STAMP, "kind": kind, "subject": subject, "detail": detail}


OLDER = [
    (line("phase", "QA"), PhaseEvent(**STAMP, subject=Phase.QA, detail=NoDetail())),
    (
        line("gate", "t-01", state="running"),
        GateEvent(**STAMP, subject="t-01", detail=GateDetail()),
    ),
    *(
        (line("worker", "t-01", **said), WorkerEvent(**STAMP, subject="t-01", detail=detail))
        for said, detail in [
            ({"state": "queued", "attempt": 2}, Queued(attempt=2)),
            (
                {"worker": "w", "state": "working", "attempt": 1, "turn": 0, "text": "x"},
                Working(worker="w", attempt=1, turn=0, text="x"),
            ),
            ({"worker": "w", "state": "claims", "text": "x"}, Claims(worker="w", text="x")),
            ({"state": "failed", "text": "x"}, BrokeDown(text="x")),
        ]
    ),
]


@given(event=ANY_EVENT)
def test_every_event_is_read_as_what_it_was(event: RunEvent) -> None:
    assert read_event(to_json(event), "events.jsonl") == event


@pytest.mark.parametrize(("written", "event"), OLDER)
def test_the_form_on_disk_is_the_one_it_always_was(
    written: dict[str, object], event: RunEvent
) -> None:
    assert read_event(json.dumps(written).encode(), "events.jsonl") == event
    assert json.loads(to_json(event)) == written


@pytest.mark.parametrize(
    "written",
    [
        line("unheard_of", "t-01", text="x"),
        {**line("unheard_of", "t-01"), "colour": "red"},
        {**STAMP, "kind": "bare"},
        line("phase", "AFTERGLOW"),
        line("worker", "t-01", state="sleeping"),
        line("worker", "t-01", state="queued", attempt=1, mood="good"),
    ],
)
def test_an_event_of_another_version_is_shown_as_unknown(written: dict[str, object]) -> None:
    event = read_event(json.dumps(written).encode(), "events.jsonl")
    assert isinstance(event, UnknownEvent)
    assert (event.sequence, event.detail.kind) == (3, written["kind"])
    assert event.detail.detail == written.get("detail")
    assert f"{written['kind']}: an event of another version" in describe(event, "en")


@pytest.mark.parametrize("damaged", [b"", b"{", b"[]", b"\xff", b'{"kind":"phase"}'])
def test_what_is_no_event_is_an_error_of_ours(damaged: bytes) -> None:
    with pytest.raises(MalformedRecordError, match="E302"):
        read_event(damaged, "events.jsonl")


@given(events=st.lists(st.tuples(ANY_EVENT, st.booleans()), max_size=4))
async def test_what_is_stored_is_what_was_told(
    events: list[tuple[RunEvent, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    heard: list[RunEvent] = []
    log = EventLog(folder, "run_001", Masker(()), FakeClock())
    log.watch(heard.append)
    for event, kept in events:
        await log.publish(event, kept=kept)
    stored = [event for event, (_, kept) in zip(heard, events, strict=True) if kept]
    assert {path.name for path in folder.iterdir()} == {event.file for event in stored}
    for path in folder.iterdir():
        lines = path.read_bytes().splitlines()
        mine = [event for event in stored if event.file == path.name]
        assert [read_event(data, str(path)) for data in lines] == mine
    assert [event.sequence for event in stored] == list(range(1, len(stored) + 1))
    assert [type(event) for event in heard] == [type(event) for event, _ in events]


async def test_no_secret_is_written_or_told(tmp_path: Path) -> None:
    path, heard = tmp_path / "events.jsonl", list[RunEvent]()
    log = EventLog(tmp_path, "run_001", Masker(()), FakeClock())
    log.watch(heard.append)
    planted = planted_secrets()[0]
    await log.publish(WorkerEvent(subject="t-01", detail=BrokeDown(text=planted.text)))
    assert planted.secret not in path.read_text("utf-8") + str(msgspec.to_builtins(heard))
