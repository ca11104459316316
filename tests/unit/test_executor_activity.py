"""What a person may see of an executor while it works; it proves nothing and is kept nowhere."""

import json
from pathlib import Path
from typing import Any

from pm_orchestrator.adapters.executors.claude_story import ClaudeStory
from pm_orchestrator.adapters.executors.cli_watch import CliWatch
from pm_orchestrator.domain.company.supervision import WatchLimits
from pm_orchestrator.domain.history.run_events import ActivityDetail, ActivityEvent, RunEvent
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.event_log import EventLog
from pm_orchestrator.ports.executor import Activity
from pm_orchestrator.testing.data.secrets import planted_secrets
from pm_orchestrator.testing.memory.fake_clock import FakeClock


def message(name: str, tokens: int, *content: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": tokens, "output_tokens": 1}
    return {
        "type": "assistant",
        "message": {"id": name, "usage": usage, "content": list(content)},
    }


def call(tool: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"call-{tool}", "name": tool, "input": given}


def told(*events: dict[str, Any], every_s: float = 1.0) -> list[Activity]:
    heard: list[Activity] = []
    limits = WatchLimits(seconds=60, silence_seconds=30)
    clock = FakeClock()
    watch = CliWatch(ClaudeStory(), limits, clock, told=heard.append)
    for event in events:
        watch.output("stdout", json.dumps(event).encode() + b"\n")
        clock.advance(every_s)
    return heard


def test_tools_tokens_and_cost_are_told_as_they_come() -> None:
    heard = told(
        {"type": "system", "subtype": "init", "session_id": "s-1"},
        message("m1", 100, call("Write", file_path="/p/a.py", content="x")),
        {"type": "user", "message": {"content": []}},
        message("m2", 200, call("Bash", command="make\ntest", description="run it")),
        message("m3", 300, {"type": "text", "text": "Done"}),
        {"type": "result", "result": "Done", "usage": {"input_tokens": 9}, "total_cost_usd": 0.25},
    )
    assert [(a.what, a.tokens, a.cost_usd) for a in heard] == [
        ("", 0, None),
        ("Write /p/a.py", 101, None),
        ("Write /p/a.py", 101, None),
        ("Bash make test", 302, None),
        ("Bash make test", 603, None),
        ("Bash make test", 603, 0.25),
    ]


def test_odd_events_are_no_news_and_no_fault() -> None:
    heard = told(
        message("m1", 1, call("Odd"), {"type": "tool_use", "id": "x", "name": "Y", "input": 7}),
        {"type": "result", "result": "Done", "total_cost_usd": "much"},
    )
    assert [a.what for a in heard] == ["Y", "Y"]
    assert heard[-1].cost_usd is None
    assert len(told(message("m", 1, call("Bash", command="x" * 9999)))[0].what) < 600


def test_nobody_is_told_more_than_they_can_read() -> None:
    flood = [message(f"m{n}", 1, call("Read", file_path=f"{n}.py")) for n in range(100)]
    heard = told(*flood, {"type": "result", "result": "Done"}, every_s=0.01)
    assert 9 <= len(heard) <= 12
    assert heard[-1].what == "Read 99.py"


async def test_a_glimpse_is_masked_and_leaves_no_trace(tmp_path: Path) -> None:
    seen: list[RunEvent] = []
    log = EventLog(tmp_path / "events.jsonl", "run-1", Masker(()), FakeClock())
    log.watch(seen.append)
    planted = planted_secrets()[0]
    at = ActivityDetail(what=f"Bash echo {planted.text}", tokens=5, cost_usd=None)
    await log.publish(ActivityEvent(subject="task-1", detail=at))
    (event,) = seen
    assert isinstance(event, ActivityEvent)
    assert (event.subject, event.run_id, event.detail.tokens) == ("task-1", "run-1", 5)
    assert planted.secret not in str(event.detail)
    assert not (tmp_path / "events.jsonl").exists()
