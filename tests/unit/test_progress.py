"""What is shown of a run while it goes on."""

import io

import pytest
from rich.console import Console

from pm_orchestrator.cli.repl.interactive.heard_stream import HeardStream
from pm_orchestrator.cli.terminal.heard_lines import MOST_LINES, heard_lines
from pm_orchestrator.cli.terminal.live_line import LiveLine
from pm_orchestrator.cli.terminal.live_progress import LiveProgress
from pm_orchestrator.cli.terminal.paint import Paint, painter
from pm_orchestrator.cli.terminal.progress import (
    NoProgress,
    PlainProgress,
    describe,
)
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.cli.terminal.screen_attendant import progress_on
from pm_orchestrator.cli.terminal.text_table import display_width
from pm_orchestrator.domain.history.heard import Said, ToolFailed, Used
from pm_orchestrator.domain.history.run_events import (
    ActivityDetail,
    ActivityEvent,
    BrokeDown,
    Claims,
    ExaminedDetail,
    ExaminedEvent,
    GateEvent,
    HeardEvent,
    MergedDetail,
    MergedEvent,
    ParkedDetail,
    ParkedEvent,
    PhaseEvent,
    PlanDetail,
    PlanEvent,
    Queued,
    RunEvent,
    UnknownEvent,
    UnreadDetail,
    VerdictDetail,
    VerdictEvent,
    WorkerEvent,
    Working,
)
from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.evidence.masking.masker import Masker

TICKET = "20260115-ab12-01"


def worker(detail: Queued | Working | Claims | BrokeDown) -> WorkerEvent:
    return WorkerEvent(subject=TICKET, detail=detail)


def examined(status: TaskStatus, reason: str) -> ExaminedEvent:
    found = ExaminedDetail(attempt=1, status=status, claim="All done", reason=reason)
    return ExaminedEvent(subject=TICKET, detail=found)


EVENTS: list[RunEvent] = [
    *(PhaseEvent(subject=phase) for phase in list(Phase)[:2]),
    PlanEvent(subject="20260115-ab12", detail=PlanDetail(titles={TICKET: "Slug maker"})),
    PhaseEvent(subject=Phase.EXECUTION),
    worker(Queued(attempt=1)),
    worker(Working(worker="worker-1", attempt=1, turn=2, text="write_file a.py")),
    worker(Claims(worker="worker-1", text="All done")),
    ParkedEvent(subject="manager", detail=ParkedDetail(seconds=30, reason="HTTP 429")),
    GateEvent(subject=TICKET),
    examined(TaskStatus.INCOMPLETE, "Nothing was delivered."),
    worker(BrokeDown(text="the sandbox ended")),
    examined(TaskStatus.COMPLETE, "Verified."),
    MergedEvent(
        subject=TICKET,
        detail=MergedDetail(
            commit="abc", gates={"lint": GateVerdict.PASS, "test": GateVerdict.PASS}
        ),
    ),
    VerdictEvent(
        subject="run_001", detail=VerdictDetail(status=TaskStatus.COMPLETE, reason="Verified.")
    ),
]
GLIMPSE = ActivityEvent(subject=TICKET, detail=ActivityDetail(what="Edit", tokens=1, cost_usd=None))
UNKNOWN = UnknownEvent(subject="", detail=UnreadDetail(kind="unheard_of", detail=None))


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_event_has_a_line_in_both_languages(lang: Lang) -> None:
    for shown in EVENTS:
        assert describe(shown, lang).strip()
    assert describe(GLIMPSE, lang) == ""
    assert "unheard_of: " in describe(UNKNOWN, lang)


def test_plain_lines_tell_the_story(capsys: pytest.CaptureFixture[str]) -> None:
    with PlainProgress(Screen("en", Masker())) as progress:
        for shown in EVENTS:
            progress.show(shown)
    out = capsys.readouterr().out
    assert "1/7 Requirement analysis" in out
    assert "worker-1 attempt 1, turn 2: write_file a.py" in out
    assert 'claimed "All done" · REFUSED: Nothing was delivered.' in out
    assert out.index("REFUSED") < out.index("accepted") < out.index("gates again")
    assert "\x1b" not in out


@pytest.mark.parametrize("width", [40, 80])
def test_the_board_fits_the_terminal(width: int) -> None:
    progress = LiveProgress(Screen("ja", Masker()))
    for shown in EVENTS:
        progress.show(shown)
    screen = io.StringIO()
    Console(file=screen, width=width, force_terminal=False).print(progress.board())
    lines = screen.getvalue().splitlines()
    assert sum(line.startswith("✓") for line in lines) == 3
    assert sum(line.startswith("▸ 実行") for line in lines) == 1
    assert any("Slug maker" in line for line in lines)


def test_a_refusal_stays_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveProgress(Screen("en", Masker())) as progress:
        for shown in EVENTS:
            progress.show(shown)
    assert "REFUSED" in capsys.readouterr().out


def test_the_display_fits_where_the_output_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen("en", Masker())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert isinstance(progress_on(screen, quiet=False), LiveProgress)
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert isinstance(progress_on(screen, quiet=False), PlainProgress)
    quiet = progress_on(screen, quiet=True)
    assert isinstance(quiet, NoProgress)
    with quiet as shown:
        shown.show(EVENTS[0])


HEARD_PIECES: list[HeardEvent] = [
    HeardEvent(subject="task-1", detail=piece)
    for piece in (
        Said(text="I read the tests first, " * 6 + "\n\nthen 変更します。" + "漢字" * 40),
        Used(tool="Edit", target="src/a.py"),
        ToolFailed(tool="Bash", why="exit code 1\x1b[2J"),
    )
]


@pytest.mark.parametrize("width", [80, 120])
def test_what_is_heard_fits_the_terminal_and_does_not_steer_it(width: int) -> None:
    lines = [line for e in HEARD_PIECES for line in heard_lines(e.detail, width)]
    assert all(display_width(line) <= width and line.isprintable() for line in lines)
    assert lines[-2:] == ["  › Edit src/a.py", "  ! Bash: exit code 1 [2J"]
    assert len(heard_lines(Said(text="a\n" * 999), width)) == MOST_LINES + 1


@pytest.mark.parametrize("folded", [False, True])
def test_what_is_heard_streams_by_in_a_pipe_or_is_folded(
    folded: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with PlainProgress(Screen("en", Masker()), folded=folded) as progress:
        for event in HEARD_PIECES:
            progress.show(event)
    out = capsys.readouterr().out
    assert ("› Edit src/a.py" in out) is not folded
    assert ("\n              then 変更します。" in out) is not folded


@pytest.mark.parametrize("folded", [False, True])
def test_of_one_executor_the_line_tells_the_latest_and_goes_at_the_end(
    folded: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with LiveProgress(Screen("en", Masker()), folded=folded) as progress:
        for event in (PhaseEvent(subject=Phase.EXECUTION), *HEARD_PIECES[:2]):
            progress.show(event)
        assert "4/7 Execution · Edit src/a.py" in str(progress.board())
    assert ("› Edit src/a.py\n" in capsys.readouterr().out) is not folded


def test_the_stream_is_folded_and_unfolded(capsys: pytest.CaptureFixture[str]) -> None:
    stream = HeardStream(Screen("en", Masker()), LiveLine())
    with stream:
        stream.fold()
        stream.show(HEARD_PIECES[1])
        assert capsys.readouterr().out == ""
        stream.fold()
        assert capsys.readouterr().out == "  › Edit src/a.py\n"
        stream.show(HEARD_PIECES[2])
        assert "! Bash" in capsys.readouterr().out


def test_paint_is_for_terminals_that_show_it() -> None:
    wanted = [("a", Paint.GOOD), ("b", Paint.DIM), ("c", None), ("", Paint.BAD)]

    def shown(variables: dict[str, str]) -> list[str]:
        paint_text = painter(variables)
        return [paint_text(text, paint) for text, paint in wanted]

    assert shown({"TERM": "xterm"}) == ["\x1b[32ma\x1b[0m", "\x1b[2mb\x1b[0m", "c", ""]
    assert shown({"TERM": "xterm", "NO_COLOR": "1"}) == ["a", "\x1b[2mb\x1b[0m", "c", ""]
    assert shown({"TERM": "dumb"}) == shown({}) == ["a", "b", "c", ""]


@pytest.mark.parametrize("planned", [False, True])
def test_who_waits_for_a_provider_is_counted_down(
    planned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    parked = ParkedEvent(subject="manager", detail=ParkedDetail(seconds=30, reason="HTTP 429"))
    now = 1000.0
    with LiveProgress(Screen("en", Masker())) as progress:
        monkeypatch.setattr("time.monotonic", lambda: now)
        if planned:
            progress.show(EVENTS[2])
        progress.show(parked)

        def shown() -> str:
            console = Console(width=100)
            with console.capture() as captured:
                console.print(progress.board())
            return captured.get()

        assert "manager waits 30 s for the provider: HTTP 429" in shown()
        now = 1018.5
        assert "manager waits 12 s" in shown()
        now = 1031.0
        assert "waits" not in shown()
        monkeypatch.undo()
