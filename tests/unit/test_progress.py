"""What is shown of a run while it goes on."""

import io
from typing import Any

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
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.ports.events import RunEvent

TICKET = "20260115-ab12-01"


def event(kind: str, subject: str = TICKET, **detail: Any) -> RunEvent:
    return RunEvent(
        sequence=1, timestamp="", run_id="run_001", kind=kind, subject=subject, detail=detail
    )


EVENTS = [
    *(event("phase", phase) for phase in list(Phase)[:2]),
    event("plan", "20260115-ab12", titles={TICKET: "Slug maker"}),
    event("phase", Phase.EXECUTION),
    event("worker", state="queued", attempt=1),
    event("worker", worker="worker-1", state="working", attempt=1, turn=2, text="write_file a.py"),
    event("worker", worker="worker-1", state="claims", text="All done"),
    event("gate", state="running"),
    event("examined", status="INCOMPLETE", claim="All done", reason="Nothing was delivered."),
    event("worker", state="failed", text="the sandbox ended"),
    event("examined", status="COMPLETE", claim="All done", reason="Verified."),
    event("merged", commit="abc", gates={"lint": "pass", "test": "pass"}),
    event("verdict", "run_001", status="COMPLETE", reason="Verified."),
]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_event_has_a_line_in_both_languages(lang: Lang) -> None:
    for shown in EVENTS:
        assert describe(shown, lang).strip()
    assert describe(event("unheard_of"), lang) == ""


def test_plain_lines_tell_the_story(capsys: pytest.CaptureFixture[str]) -> None:
    with PlainProgress(Screen("en", str)) as progress:
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
    progress = LiveProgress(Screen("ja", str))
    for shown in EVENTS:
        progress.show(shown)
    screen = io.StringIO()
    Console(file=screen, width=width, force_terminal=False).print(progress.board())
    lines = screen.getvalue().splitlines()
    assert sum(line.startswith("✓") for line in lines) == 3
    assert sum(line.startswith("▸ 実行") for line in lines) == 1
    assert any("Slug maker" in line for line in lines)


def test_a_refusal_stays_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveProgress(Screen("en", str)) as progress:
        for shown in EVENTS:
            progress.show(shown)
    assert "REFUSED" in capsys.readouterr().out


def test_the_display_fits_where_the_output_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen("en", str)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert isinstance(progress_on(screen, quiet=False), LiveProgress)
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert isinstance(progress_on(screen, quiet=False), PlainProgress)
    quiet = progress_on(screen, quiet=True)
    assert isinstance(quiet, NoProgress)
    with quiet as shown:
        shown.show(EVENTS[0])
