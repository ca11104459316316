"""The conversation on a terminal, as a person sees it: 80 columns, every view on record."""

import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pm_orchestrator.testing.data.secrets import planted_secrets
from pm_orchestrator.testing.programs.drawn_repl import (
    CTRL_C,
    CTRL_D,
    DOWN,
    ENTER,
    ESC,
    UP,
    WAITS,
    begin,
    clear,
    ready,
    repl,
    shows,
    wait_for_verdict,
)
from pm_orchestrator.testing.programs.drawn_terminal import COLUMNS, DrawnTerminal
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

SCREENS = Path(__file__).parent / "screens"


@pytest.fixture
def env(environment: dict[str, str], claude: ClaudeScript) -> dict[str, str]:
    return {**environment, **claude.does("echo hello > hello.md")}


@pytest.fixture
def working(environment: dict[str, str], claude: ClaudeScript) -> dict[str, str]:
    """An executor that works until it is let go."""
    return {**environment, **claude.does(WAITS)}


def test_from_an_empty_directory_to_a_verdict(tmp_path: Path, env: dict[str, str]) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    with DrawnTerminal(folder, env, "repl") as screen:
        ready(screen)
        assert "Claude Code 2.1.325, logged in" in screen.text
        assert "no git repository" in screen.text
        screen.type("create hello.md\r")
        screen.wait_for("Use arrow keys")
        assert not (folder / ".claude").exists()
        screen.type(ENTER)
        wait_for_verdict(screen)
        assert "[RESULT]  COMPLETE" in screen.text
        screen.type("/exit\r")
        assert screen.ended() == 0, screen.text
    assert "Goodbye." in screen.text
    # What is drawn in place never stays above the prompt.
    assert "4/7" not in screen.text


def test_commands_arguments_ids_and_files_are_completed(project: Path, env: dict[str, str]) -> None:
    (project / "src").mkdir()
    (project / "src" / "application.py").touch()
    with repl(project, env) as screen:
        screen.type("/st")
        screen.wait_for("/status")
        shows(screen, SCREENS / "completing_commands.txt")
        screen.type("\t\t\r")
        screen.wait_for("tasks: 0")
        screen.type("/provider an\t")
        screen.wait_for("> /provider anthropic")
        screen.type(CTRL_C)
        session = screen.text.split("session-")[1].split()[0]
        screen.type("/continue sess\t")
        screen.wait_for(f"> /continue session-{session}")
        screen.type(CTRL_C)
        screen.type("fix src/app\t")
        screen.wait_for("> fix src/application.py")
        screen.type(f"{CTRL_C}src/app\t")
        screen.wait_for("> src/application.py")
        screen.type(f"{CTRL_C}src/applを直す: not\t")
        screen.wait_for("notes.md")
        screen.type(CTRL_C + CTRL_D)
        assert screen.ended() == 0, screen.text


def test_a_choice_is_made_with_the_keys(project: Path, env: dict[str, str]) -> None:
    with repl(project, env) as screen:
        screen.type("/provider select\r")
        screen.wait_for("Use arrow keys")
        shows(screen, SCREENS / "choosing_a_provider.txt")
        screen.type(f"{DOWN}jk")
        screen.wait_for("  > openai")
        screen.type("q")
        screen.wait_for("Nothing was changed.")
        assert "Use arrow keys" not in screen.text
        screen.type(f"/provider select\r3{ENTER}")
        screen.wait_for("Provider: anthropic")
        screen.wait_for("· anthropic/UNSET")
        screen.type(f"/models select\r{UP}{ENTER}")
        screen.wait_for("Model: claude")
        screen.type("/provider select\r")
        screen.wait_for("Use arrow keys")
        screen.type(ESC)
        screen.wait_until(lambda: screen.text.count("Nothing was changed.") == 2)


def test_what_is_dangerous_wants_a_typed_yes(project: Path, env: dict[str, str]) -> None:
    with repl(project, env) as screen:
        screen.type("delete everything in the repository\r")
        screen.wait_for("[yes/no]")
        shows(screen, SCREENS / "a_dangerous_question.txt")
        screen.type("/tasks\r")  # a look around comes before the answer
        screen.wait_for("WAITING")
        screen.type(ENTER)
        screen.wait_for("waits; /reply")
        wait_for_verdict(screen)
        assert not (project / "hello.md").exists()
        screen.type("/reply yes\r")
        screen.wait_until((project / "hello.md").exists)
        screen.wait_for("[RESULT]  COMPLETE")
        clear(screen)
        screen.type("delete everything in the repository\r")
        screen.wait_for("[yes/no]")
        screen.type(CTRL_C)
        screen.wait_for("waits; /reply")
        screen.type(CTRL_C)
        assert screen.ended() == 0, screen.text


def test_an_offered_answer_is_picked_in_place(project: Path, env: dict[str, str]) -> None:
    with repl(project, env) as screen:
        screen.type("create notes.md\r")
        screen.wait_for("Use arrow keys")
        shows(screen, SCREENS / "a_question_with_answers.txt")
        screen.type(f"{DOWN}{DOWN}{ENTER}")
        screen.wait_for("declined")
        assert "another name? keep" in screen.text
        wait_for_verdict(screen)
        screen.type("create notes.md\r")
        screen.wait_for("Use arrow keys")
        screen.type("q")
        screen.wait_for("waits; /reply")


def test_logs_are_browsed_with_single_keys(project: Path, env: dict[str, str]) -> None:
    with repl(project, env) as screen:
        for name in ("hello.md", "other.md"):
            screen.type(f"create {name}\r")
            wait_for_verdict(screen)
            clear(screen)
        screen.type("/logs\r")
        screen.wait_for("[Enter] View")
        shows(screen, SCREENS / "logs_list.txt")
        screen.type("k")
        screen.wait_for("> 1 |")
        screen.type("2")
        screen.wait_for("> 2 |")
        screen.type(f"{UP}{DOWN}{ENTER}")
        screen.wait_for("[f] Full view")
        assert "Task Log: task-002" in screen.text
        screen.type("f")
        screen.wait_for("(FULL)")
        screen.type("b1f")
        screen.wait_for("task-001")
        screen.type("f")
        screen.wait_until(lambda: "(FULL)" not in screen.text)
        shows(screen, SCREENS / "logs_detail.txt")
        screen.type("t")
        screen.wait_for("[t] List view")
        shows(screen, SCREENS / "logs_tree.txt")
        screen.type("tq")
        screen.wait_until(lambda: "[q] Exit" not in screen.text)
        clear(screen)
        screen.type("/logs task-002\r")
        screen.wait_for("TASK INCOMPLETE")


def test_history_is_kept_without_secrets_and_belongs_to_the_user(
    project: Path, env: dict[str, str], home: Path
) -> None:
    secret = planted_secrets()[0].secret
    with repl(project, env) as screen:
        screen.type(f"/keys {secret}\r")
        screen.wait_for("E210")
        screen.type(CTRL_D)
        assert screen.ended() == 0
    kept = home / ".local" / "state" / "pm-orchestrator" / "repl_history"
    assert secret not in kept.read_text(encoding="utf-8")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with DrawnTerminal(project, env, "repl") as screen:
        ready(screen)
        screen.type(UP)
        screen.wait_for("> /keys [MASKED")
        screen.type(UP)
        screen.wait_for("> /start")


def test_several_lines_are_one_instruction(project: Path, env: dict[str, str]) -> None:
    with repl(project, env) as screen:
        screen.type("\x1b[200~create hello.md\nwith the word hello\x1b[201~")
        screen.wait_for("with the word hello")
        screen.type(f"{ESC}{ENTER}and nothing else")
        screen.wait_for("and nothing else")
        shows(screen, SCREENS / "several_lines.txt")
        assert not (project / "hello.md").exists()
        screen.type(ENTER)
        screen.wait_for("[RESULT]  COMPLETE")
        assert screen.text.count("TASK SUMMARY") == 1


def test_in_japanese(project: Path, working: dict[str, str]) -> None:
    with repl(project, {**working, "PM_LANG": "ja"}) as screen:
        begin(
            screen,
            project,
            "hello.mdを作成してください。とても長い依頼なので、入力は二行目に折り返されるはずです",
        )
        shows(screen, SCREENS / "in_japanese.txt")
        screen.type(CTRL_C)
        screen.wait_for("で続行")
        assert all(len(line.encode("euc_jp", "replace")) <= COLUMNS for line in screen.lines)


def test_no_colour_is_used_so_none_can_vanish(project: Path, env: dict[str, str]) -> None:
    with repl(project, env, term="xterm-256color") as screen:
        screen.type("/st")
        screen.wait_for("/status")
        screen.type(f"{CTRL_C}/provider select\r")
        screen.wait_for("Use arrow keys")
        styles = re.findall(rb"\x1b\[([0-9;]*)m", screen.raw)
        assert styles
        # 30 to 107 are the many ways to ask for a colour; below are weight and reversal.
        assert [style for style in styles if max(map(int, style.split(b";"))) >= 30] == []


def test_a_script_does_not_wait_for_what_draws(project: Path, env: dict[str, str]) -> None:
    look = (
        "import sys; from pm_orchestrator.cli.program import run; run(['repl']); "
        "print({'prompt_toolkit', 'rich'} & sys.modules.keys())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", look],
        input="/help\n/exit\n",
        cwd=project,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines()[-1] == "set()"


def test_a_plain_terminal_gets_plain_lines(project: Path, working: dict[str, str]) -> None:
    with repl(project, working, term="dumb") as screen:
        screen.type("/provider select\r")
        screen.wait_for("Number")
        screen.type("1\r")
        screen.wait_for("Provider: claude-code")
        screen.type("create hello.md\r")
        screen.wait_until((project.parent / "working").exists)
        screen.wait_for("4/7 Execution")
        screen.type(CTRL_C)
        screen.wait_for("/continue goes on")
        screen.type("delete everything in the repository\r")
        screen.wait_for("[yes/no]")
        screen.type("no\r")
        screen.wait_for("declined")
        assert screen.text.count("[yes/no]") == 1
        screen.type("/exit\r")
        assert screen.ended() == 0, screen.text
    assert b"\x1b" not in screen.raw
