"""What a terminal is given to draw: one line on the task, the log browser, texts that fit."""

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.cli.pages.logs.browsable_logs import LogPages
from pm_orchestrator.cli.repl.interactive.history import KEPT, history_at
from pm_orchestrator.cli.repl.interactive.log_browser import LogBrowser, Room
from pm_orchestrator.cli.terminal.live_line import LiveLine, elapsed
from pm_orchestrator.cli.terminal.text_table import display_width
from pm_orchestrator.cli.terminal.text_width import cut_to_width, wrapped
from pm_orchestrator.domain.history.run_events import ActivityDetail, ActivityEvent, PhaseEvent
from pm_orchestrator.domain.tasks.phase import Phase

ROOM = Room(lines=5, columns=40)
TEXTS = st.text("ab 漢字かな…\t\x1b", max_size=60)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_line_tells_phase_time_tokens_cost_and_what_it_is_at() -> None:
    clock = Clock()
    with LiveLine(clock) as live:
        live.show(PhaseEvent(subject=Phase.EXECUTION))
        at = ActivityDetail(what="Edit a.py", tokens=12345, cost_usd=0.456)
        live.show(ActivityEvent(subject="task", detail=at))
        clock.now += 65
        line = live.line("en", 80)
        assert line[2:] == "1:05 · 4/7 Execution · 12,345 tokens · $0.46 · Edit a.py"
        assert display_width(live.line("ja", 30)) <= 30
        live.show(PhaseEvent(subject=Phase.QA))
        assert "Edit" not in live.line("en", 80)
    assert not live.running
    with live:
        # The next task begins from nothing.
        assert "12,345" not in live.line("en", 80)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.9, "0 s"), (59.9, "59 s"), (60, "1:00"), (3725, "1:02:05")]
)
def test_time_as_a_clock_shows_it(seconds: float, shown: str) -> None:
    assert elapsed(seconds) == shown


@given(text=TEXTS, width=st.integers(3, 20))
def test_nothing_is_wider_than_the_terminal_or_steers_it(text: str, width: int) -> None:
    for line in (cut_to_width(text, width), *wrapped(text, width)):
        assert display_width(line) <= width
        assert line.isprintable()


@given(text=TEXTS, width=st.integers(3, 20))
def test_wrapping_loses_nothing_but_spaces(text: str, width: int) -> None:
    def plain(line: str) -> str:
        return "".join(c for c in line if c.isprintable() and c != " ")

    assert plain("".join(wrapped(text, width))) == plain(text)


def browser(tasks: int = 12) -> LogBrowser:
    ids = tuple(f"task-{n:03}" for n in range(1, tasks + 1))

    def list_page(selected: int) -> str:
        return "\n".join(f"{'>' if n == selected else ' '} {name}" for n, name in enumerate(ids))

    pages = LogPages(
        ids=ids,
        list_page=list_page,
        detail_page=lambda task, full: "\n".join(f"{task} {full} {n}" for n in range(20)),
        tree_page=lambda: "the tree",
    )
    found = LogBrowser(pages, "en")
    assert found.selected == max(0, tasks - 1), "the last task is what most look for"
    found.selected = 0
    return found


def pressed(keys: str, on: LogBrowser) -> str:
    for key in keys.split():
        on.press(key, ROOM)
    return on.page(ROOM)


@pytest.mark.parametrize(
    ("keys", "first"),
    [
        ("", "> task-001"),
        ("down down up", "  task-001"),
        ("up", "> task-001"),
        ("9", "  task-005"),
        ("page_down page_down page_down", "  task-008"),
        ("enter", "task-001 False 0"),
        ("3 enter", "task-003 False 0"),
        ("enter full", "task-001 True 0"),
        ("enter full full", "task-001 False 0"),
        ("2 full", "task-002 True 0"),
        ("full back enter", "task-001 False 0"),
        ("enter down down up", "task-001 False 1"),
        ("enter page_down page_down page_down page_down", "task-001 False 15"),
        ("enter page_down page_up page_up", "task-001 False 0"),
        ("enter 5", "task-001 False 0"),
        ("tree", "the tree"),
        ("tree enter", "the tree"),
        ("tree tree", "> task-001"),
        ("enter tree back", "> task-001"),
    ],
)
def test_every_key_of_the_log_browser(keys: str, first: str) -> None:
    assert pressed(keys, browser()).split("\n")[0] == first


def test_the_list_follows_its_mark_and_an_empty_one_has_nothing_to_open() -> None:
    assert "> task-009" in pressed("9", browser())
    assert browser(0).page(ROOM) == ""
    assert pressed("enter full 1", browser(0)) == ""


def test_history_masks_bounds_itself_and_outlives_damage(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history"
    history = history_at(path, lambda text: text.replace("hunter2", "[MASKED]"))
    history.append_string("login hunter2\nsecond line")
    assert list(history_at(path, str).load_history_strings()) == ["login [MASKED]\nsecond line"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    entries = [json.dumps(f"line {n}") for n in range(2 * KEPT)]
    path.write_text("\n".join([*entries, '"cut off', "17", ""]), encoding="utf-8")
    kept = list(history_at(path, str).load_history_strings())
    assert len(kept) == KEPT
    assert kept[0] == f"line {2 * KEPT - 1}"


def test_a_place_that_is_gone_costs_only_the_file(tmp_path: Path) -> None:
    history = history_at(tmp_path / "state" / "history", str)
    (tmp_path / "state" / "history").unlink()
    (tmp_path / "state").rmdir()
    history.append_string("/help")
    assert history.get_strings() == ["/help"]


def test_without_a_place_for_it_history_lives_as_long_as_the_conversation(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    history = history_at(tmp_path / "file" / "history", str)
    history.append_string("/help")
    assert history.get_strings() == ["/help"]
