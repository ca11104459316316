"""Identifiers have one form each."""

from datetime import UTC, datetime

import pytest

from pm_orchestrator.domain import ids
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.text import Sentence

NOON = datetime(2026, 1, 15, 12, 0, 0, 123_456, tzinfo=UTC)


def test_forms() -> None:
    assert ids.session_id(NOON, "ab12") == "session-20260115-ab12"
    assert ids.numbered("thr", 1) == "thr_001"
    assert ids.numbered("run", 12) == "run_012"
    assert ids.numbered("task", 1234) == "task-1234"
    assert ids.ticket_id(NOON, "A1B2C3") == "20260115-a1b2"
    assert ids.sub_ticket_id("20260115-a1b2", 3) == "20260115-a1b2-03"
    assert ids.iso(NOON) == "2026-01-15T12:00:00.123Z"


def test_an_external_id_steps_aside_on_a_collision() -> None:
    first = ids.external_task_id(NOON, set())
    assert first == f"task-{int(NOON.timestamp() * 1000)}"
    taken = {first, f"task-{int(NOON.timestamp() * 1000) + 1}"}
    assert ids.external_task_id(NOON, taken) == f"task-{int(NOON.timestamp() * 1000) + 2}"


@pytest.mark.parametrize(
    "name", ["a", "test-session", "session-20260115-ab12", "A.b_c-9", "x" * 128]
)
def test_safe_names_pass_unchanged(name: str) -> None:
    assert ids.safe_name(name, "session") == name


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "a\\b", "-rf", ".hidden", "a b", "a\n", "名前", "x" * 129],
)
def test_unsafe_names_are_refused(name: str) -> None:
    with pytest.raises(PmError, match="E210"):
        ids.safe_name(name, "session")


def test_a_sentence_speaks_both_languages() -> None:
    sentence = Sentence("{count} files", "{count} 件")
    assert sentence.say("en", count=2) == "2 files"
    assert sentence.say("ja", count=2) == "2 件"
