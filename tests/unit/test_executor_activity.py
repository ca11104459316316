"""What a person may see and hear of an executor while it works; it proves nothing."""

import json
from pathlib import Path
from typing import Any

from pm_orchestrator.adapters.executors.claude_story import ClaudeStory
from pm_orchestrator.adapters.executors.cli_watch import CliWatch
from pm_orchestrator.domain.company.supervision import WatchLimits
from pm_orchestrator.domain.history.heard import Heard, Said, ToolFailed, Used
from pm_orchestrator.domain.history.run_events import (
    HEARD,
    ActivityDetail,
    ActivityEvent,
    HeardEvent,
    RunEvent,
    read_event,
)
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.event_log import EventLog
from pm_orchestrator.evidence.records.hearing import EACH_COSTS, LONGEST_TEXT, ROOM, Hearing
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
    watch.finish(0)
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
    log = EventLog(tmp_path, "run-1", Masker(()), FakeClock())
    log.watch(seen.append)
    planted = planted_secrets()[0]
    at = ActivityDetail(what=f"Bash echo {planted.text}", tokens=5, cost_usd=None)
    await log.publish(ActivityEvent(subject="task-1", detail=at))
    (event,) = seen
    assert isinstance(event, ActivityEvent)
    assert (event.subject, event.run_id, event.detail.tokens) == ("task-1", "run-1", 5)
    assert planted.secret not in str(event.detail)
    assert not (tmp_path / "events.jsonl").exists()


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def failed(tool: str, content: object) -> dict[str, Any]:
    gone = {"type": "tool_result", "tool_use_id": f"call-{tool}", "is_error": True}
    return {"type": "user", "message": {"content": [{**gone, "content": content}]}}


def pieces(*events: dict[str, Any], every_s: float = 1.0) -> list[Heard]:
    return [piece for activity in told(*events, every_s=every_s) for piece in activity.heard]


RESULT = {"type": "result", "subtype": "success", "result": "All done."}
STORY = (
    message("m1", 1, {"type": "thinking", "thinking": "hm"}, text("I look first.")),
    message("m1", 1, call("Bash", command="make test")),
    failed("Bash", [{"type": "text", "text": "exit code 1\n2 failed"}]),
    message("m2", 1, text("Now I know."), call("Edit", file_path="/p/a.py")),
    message("m3", 1, text("All done.")),
)


def test_words_tools_and_failures_are_heard_and_the_last_word_is_the_claim() -> None:
    assert pieces(*STORY, RESULT) == [
        Said(text="I look first."),
        Used(tool="Bash", target="make test"),
        ToolFailed(tool="Bash", why="exit code 1 2 failed"),
        Said(text="Now I know."),
        Used(tool="Edit", target="/p/a.py"),
    ]


def test_a_last_text_that_is_not_the_result_is_heard_too() -> None:
    *_, last = pieces(*STORY, {**RESULT, "result": "Something else."})
    assert last == Said(text="All done.")
    # Cut off before any result: nothing is held back for ever.
    assert pieces(*STORY)[-1] == Said(text="All done.")


def test_a_burst_is_told_at_once_and_loses_nothing() -> None:
    calls = [message(f"m{n}", 1, call("Read", file_path=f"{n}.py")) for n in range(100)]
    heard = told(*calls, RESULT, every_s=0.01)
    assert len(heard) <= 12
    targets = [p.target for a in heard for p in a.heard if isinstance(p, Used)]
    assert targets == [f"{n}.py" for n in range(100)]


def test_what_odd_messages_say_is_bounded() -> None:
    odd = pieces(
        message("m1", 1, text("x y" * 33_333), text(""), {"type": "text", "text": 7}),
        message("m2", 1, {"type": "tool_use", "id": 3, "name": "T" * 999, "input": "?"}),
        failed("Never", {"not": "a list"}),
        failed("Never", "word " * 9_999),
    )
    assert [type(piece) for piece in odd] == [Said, Used, ToolFailed, ToolFailed]
    assert max(len(str(piece)) for piece in odd) < 21_000
    flood = [message("m", 1, *(call("Read", file_path="a") for _ in range(3_000)))]
    assert len(pieces(*flood)) <= 1_000


def hearing(folder: Path) -> Hearing:
    log = EventLog(folder, "run_001", Masker(()), FakeClock())
    return Hearing(log, Masker(()), Path("/p"), "task-1")


async def test_what_is_heard_is_masked_before_it_is_cut(tmp_path: Path) -> None:
    planted = planted_secrets()[0]
    for place in range(LONGEST_TEXT - 90, LONGEST_TEXT, 7):
        said = "x " * (place // 2) + planted.text
        await hearing(tmp_path).pass_on(Activity(heard=(Said(text=said),)))
    kept = (tmp_path / HEARD).read_text("utf-8")
    assert planted.secret[:12] not in kept
    assert max(map(len, kept.splitlines())) < LONGEST_TEXT + 300


async def test_targets_are_told_from_the_project_and_a_flood_ends(tmp_path: Path) -> None:
    ears = hearing(tmp_path)
    used = Used(tool="Edit", target="/p/src/a.py")
    for _ in range(ROOM // EACH_COSTS // 100 + 5):
        await ears.pass_on(Activity(heard=(used,) * 100))
    kept = (tmp_path / HEARD).read_bytes().splitlines()
    assert len(kept) == ROOM // EACH_COSTS
    event = read_event(kept[0], HEARD)
    assert isinstance(event, HeardEvent)
    assert event.detail == Used(tool="Edit", target="src/a.py")


async def test_a_full_disk_ends_the_hearing_and_not_the_work(tmp_path: Path) -> None:
    (tmp_path / HEARD).mkdir()  # what cannot be written to
    seen: list[RunEvent] = []
    log = EventLog(tmp_path, "run_001", Masker(()), FakeClock())
    log.watch(seen.append)
    ears = Hearing(log, Masker(()), Path("/p"), "task-1")
    await ears.pass_on(Activity(what="Read", heard=(Said(text="a"), Said(text="b"))))
    assert [type(event) for event in seen] == [ActivityEvent]
