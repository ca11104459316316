"""What is shown of a run while it goes on."""

import io

import pytest
from rich.console import Console

from pm_orchestrator.cli.terminal.progress import (
    LiveProgress,
    NoProgress,
    PlainProgress,
    describe,
    progress_on,
)
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.history.run_events import (
    ActivityDetail,
    ActivityEvent,
    BrokeDown,
    Claims,
    ExaminedDetail,
    ExaminedEvent,
    GateEvent,
    MergedDetail,
    MergedEvent,
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
