"""A task that runs beside the input line: watched, stopped, waited for; nothing stays behind."""

import signal
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.drawn_repl import (
    CTRL_C,
    CTRL_D,
    CTRL_U,
    DOWN,
    ENTER,
    ESC,
    UP,
    WAITS,
    begin,
    let_go,
    repl,
    shows,
    wait_for_verdict,
)
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

SCREENS = Path(__file__).parent / "screens"


@pytest.fixture
def env(environment: dict[str, str], claude: ClaudeScript) -> dict[str, str]:
    return {**environment, **claude.does("echo hello > hello.md")}


@pytest.fixture
def working(environment: dict[str, str], claude: ClaudeScript) -> dict[str, str]:
    """An executor that works until it is let go."""
    return {**environment, **claude.does(WAITS)}


def test_a_task_is_watched_while_it_runs(project: Path, working: dict[str, str]) -> None:
    with repl(project, working) as screen:
        begin(screen, project)
        shows(screen, SCREENS / "a_task_runs.txt")
        screen.type("and more\rthen the rest\r")
        screen.wait_for("next: then the rest")
        shows(screen, SCREENS / "one_thing_at_a_time.txt")
        screen.type(CTRL_C)  # what was to come after it comes back to be thought over
        screen.wait_for("[RESULT]  INCOMPLETE")
        screen.wait_for("> and more\nthen the rest")
        assert "next:" not in screen.text
        assert "1,234" not in screen.text


def test_lines_wait_for_the_task_and_follow_it(project: Path, working: dict[str, str]) -> None:
    with repl(project, working) as screen:
        begin(screen, project)
        screen.type("! echo one > one.txt\rdropped\r! ls\r")
        screen.wait_for("next: ! ls")
        screen.type(UP)
        screen.wait_for("> ! ls")
        screen.type(f"{CTRL_U}{UP}")
        screen.wait_for("> dropped")
        screen.type(f"{CTRL_U}! cat one.txt; exit 3\r")
        screen.wait_for("next: ! cat one.txt")
        assert not (project / "one.txt").exists()
        let_go(project)
        screen.wait_for("(exit code 3)")
        assert screen.text.index("[RESULT]  COMPLETE") < screen.text.index("> ! cat one.txt")
        assert "dropped" not in screen.text
    assert (project / "one.txt").read_text("utf-8") == "one\n"


def test_escape_stops_the_task_and_keeps_what_it_made(
    project: Path, environment: dict[str, str], claude: ClaudeScript
) -> None:
    env = {**environment, **claude.does(f"echo half > half.md; {WAITS}")}
    with repl(project, env) as screen:
        pid = begin(screen, project, "create half.md and hello.md")
        screen.type(ESC)
        screen.wait_for("/continue goes on")
        wait_for_verdict(screen)
        assert not Path(f"/proc/{pid}").exists()
        assert (project / "half.md").exists()
        screen.type("/tasks\r")
        screen.wait_for("CANCELLED")
        screen.type("/undo\r")  # the last one is meant
        screen.wait_for("The files are as they were before")
        assert not (project / "half.md").exists()


def test_ctrl_c_stops_the_task_with_all_it_started(project: Path, working: dict[str, str]) -> None:
    with repl(project, working) as screen:
        pid = begin(screen, project)
        screen.type(CTRL_C)
        screen.wait_for("/continue goes on")
        wait_for_verdict(screen)
        assert not Path(f"/proc/{pid}").exists()
        shows(screen, SCREENS / "a_task_was_stopped.txt")
        screen.type("/tasks\r")
        screen.wait_for("CANCELLED")
    (log,) = (project / ".claude" / "logs" / "sessions").glob("*/tasks/task-*.json")
    assert '"terminated_by": "USER"' in log.read_text(encoding="utf-8")


def test_ctrl_c_twice_leaves_and_leaves_nothing_behind(
    project: Path, working: dict[str, str]
) -> None:
    with repl(project, working) as screen:
        pid = begin(screen, project)
        screen.type(CTRL_C + CTRL_C)
        assert screen.ended() == 2, screen.text
        assert "[RESULT]  INCOMPLETE" in screen.text
        assert not Path(f"/proc/{pid}").exists()


@pytest.mark.long
def test_ctrl_c_clears_the_line_and_twice_on_an_empty_one_leaves(
    project: Path, env: dict[str, str]
) -> None:
    with repl(project, env) as screen:
        # However early or late it comes, there is nothing to complain of.
        screen.type(f"create hello.md\r{CTRL_C}")
        ends = ("interrupted", "INCOMPLETE", "[RESULT]  COMPLETE")
        screen.wait_until(lambda: any(end in screen.text for end in ends))
        assert "ERROR" not in screen.text
        screen.type("nonsense")
        screen.wait_for("> nonsense")
        screen.type(CTRL_C)
        screen.wait_until(lambda: "nonsense" not in screen.text)
        screen.type(CTRL_C)
        screen.wait_for("Ctrl-C again leaves")
        screen.wait_until(lambda: "Ctrl-C again leaves" not in screen.text)  # too late for that
        screen.type(CTRL_C)
        screen.wait_for("Ctrl-C again leaves")
        screen.type(CTRL_C)
        assert screen.ended() == 0, screen.text


@pytest.mark.parametrize("window", ["stays", "closed"])
def test_nothing_goes_on_without_the_conversation(
    project: Path, working: dict[str, str], window: str
) -> None:
    with repl(project, working) as screen:
        pid = begin(screen, project)
        if window == "stays":
            screen.interrupt(signal.SIGTERM)
            assert screen.ended() == 2
        else:
            screen.hang_up()
            assert screen.ended() != 0
        assert not Path(f"/proc/{pid}").exists()
    (log,) = (project / ".claude" / "logs" / "sessions").glob("*/tasks/task-*.json")
    assert '"terminated_by": "USER"' in log.read_text(encoding="utf-8")


@pytest.mark.long
def test_leaving_while_a_task_runs(project: Path, working: dict[str, str]) -> None:
    with repl(project, working) as screen:
        pid = begin(screen, project)
        screen.type(CTRL_D)
        screen.wait_for("still running")
        shows(screen, SCREENS / "leaving_while_a_task_runs.txt")
        screen.type(f"3{ENTER}")
        screen.wait_for("1,234")
        screen.type(f"/exit\r{ENTER}")
        screen.wait_for("Leaving when the task has ended")
        assert Path(f"/proc/{pid}").exists()
        let_go(project)
        assert screen.ended() == 0, screen.text
        assert "[RESULT]  COMPLETE" in screen.text


def test_leaving_can_stop_the_task(project: Path, working: dict[str, str]) -> None:
    with repl(project, working) as screen:
        pid = begin(screen, project)
        screen.type("/exit\r")
        screen.wait_for("still running")
        screen.type(f"{DOWN}{ENTER}")
        assert screen.ended() == 0, screen.text
        assert "[RESULT]  INCOMPLETE" in screen.text
        assert not Path(f"/proc/{pid}").exists()
