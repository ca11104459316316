"""What the events of a task's log say, on its way to the disk and back."""

import json
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.domain.history.log_contents import (
    CONTENTS,
    ExecutorOutput,
    FileOperation,
    LogContent,
    MediationRequest,
    MediationResponse,
    TaskErred,
    TaskStarted,
    UserInput,
    contents,
    event_of,
)
from pm_orchestrator.domain.history.task_log import LogEvent, LogEventType, VisibilityLevel
from pm_orchestrator.domain.history.task_story import summary_of
from pm_orchestrator.domain.record import MalformedRecordError, from_json, to_file
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.testing.data.any_record import instances

AT = "2026-01-15T09:00:00.000Z"
ANY_CONTENT: st.SearchStrategy[Any] = st.one_of([instances(kind) for kind in get_args(LogContent)])
OUTPUT = ExecutorOutput(
    executor="x", exit_code=None, output_summary="", raw_output_ref="r", tokens_input=7
)


def event(kind: LogEventType, **content: object) -> LogEvent:
    full = VisibilityLevel.FULL
    return LogEvent(event_type=kind, timestamp=AT, visibility_level=full, content=content)


def test_every_type_of_the_specification_has_its_record() -> None:
    assert set(CONTENTS) == set(LogEventType)
    assert set(CONTENTS.values()) == set(get_args(LogContent))


@given(content=ANY_CONTENT)
def test_every_content_is_read_as_what_it_was(content: LogContent) -> None:
    written = event_of(content, AT)
    again = from_json(LogEvent, to_file(written))
    assert list(contents([again], type(content))) == [content]
    assert (again.event_type, again.timestamp) == (written.event_type, AT)


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (TaskStarted(action="create"), {"action": "create"}),
        (
            TaskErred(status=TaskStatus.INVALID, error_message="no"),
            {"status": "INVALID", "files_modified": [], "error_message": "no"},
        ),
        (FileOperation(operation="more", count=3), {"operation": "more", "count": 3}),
        (
            OUTPUT,
            {
                "executor": "x",
                "exit_code": None,
                "output_summary": "",
                "raw_output_ref": "r",
                "conversation": None,
                "permission_denials": [],
                "denied_calls": [],
                "failed_tool_calls": [],
                "tokens_input": 7,
            },
        ),
    ],
)
def test_what_there_is_nothing_to_say_of_is_not_written(
    content: LogContent, form: dict[str, object]
) -> None:
    assert json.loads(msgspec.json.encode(event_of(content, AT).content)) == form


def test_what_another_version_says_besides_is_nobodys_loss() -> None:
    said = event(LogEventType.USER_INPUT, text="fix it", mood="good")
    assert list(contents([said], UserInput)) == [UserInput(text="fix it")]
    # The log itself keeps it.
    assert said.content["mood"] == "good"


@pytest.mark.parametrize(
    "said",
    [
        event(LogEventType.USER_INPUT),
        event(LogEventType.USER_INPUT, text=7),
        event(LogEventType.TASK_ERROR, status="GREAT"),
        event(LogEventType.RUNNER_CLARIFICATION, options=[]),
    ],
)
def test_an_event_that_lacks_what_it_must_say_is_refused(said: LogEvent) -> None:
    with pytest.raises(MalformedRecordError, match="E302"):
        list(contents([said], CONTENTS[said.event_type]))


def test_of_others_nothing_is_read() -> None:
    broken, good = event(LogEventType.TASK_ERROR), event(LogEventType.USER_INPUT, text="fix it")
    assert [said.text for said in contents([broken, good], UserInput)] == ["fix it"]


def test_what_the_models_took_is_summed_up() -> None:
    asked = MediationRequest(provider="p", model="m", prompt_summary="", tokens_input=150)
    said = MediationResponse(
        provider="p", model="m", response_type="text", tokens_output=45, latency_ms=1200
    )
    started = TaskStarted(action="create")
    events = tuple(event_of(content, AT) for content in (started, asked, said, OUTPUT, OUTPUT))
    counted = summary_of(events)
    assert (counted.total_events, counted.summary_events, counted.full_events) == (5, 1, 4)
    assert (counted.total_tokens_input, counted.total_tokens_output) == (164, 45)
    assert counted.total_latency_ms == 1200
