"""Arriving at a terminal: what is found, one yes, and lines that start nobody."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.testing.data.secrets import planted_secrets
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.programs.drawn_repl import (
    CTRL_C,
    CTRL_D,
    CTRL_U,
    DOWN,
    ENTER,
    clear,
    ready,
    repl,
    shows,
    wait_for_verdict,
)
from pm_orchestrator.testing.programs.drawn_terminal import DrawnTerminal
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project

SCREENS = Path(__file__).parent / "screens"
THEIRS = '{\n  "permissions": {"allow": ["Bash(ls)"]}\n}\n'


@pytest.fixture
def env(environment: dict[str, str], claude: ClaudeScript) -> dict[str, str]:
    return {**environment, **claude.does("touch ../called; echo hello > hello.md")}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One that Claude Code is used in, with a test, and nothing of ours."""
    root = tmp_path / "shop"
    root.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    (root / ".claude").mkdir()
    (root / ".claude" / "settings.json").write_text(THEIRS, "utf-8")
    python_project(root)
    return root


def called(root: Path) -> bool:
    return (root.parent / "called").exists()


def test_one_yes_and_the_first_instruction_is_carried_out(
    repository: Path, env: dict[str, str]
) -> None:
    with DrawnTerminal(repository / "tests", env) as screen:
        ready(screen)
        found = "".join(screen.text.split())
        assert f"Project{repository}(git,branchmain)" in found
        assert "ExecutorClaudeCode2.1.325,loggedin" in found
        assert "Checkstest:maketest" in found
        screen.type("thanks a lot!\r")
        screen.wait_for("nobody was started")
        screen.type("create hello.md\r")
        screen.wait_for("our blocks at the end of")
        screen.type(DOWN + ENTER)
        screen.wait_for("Nothing was changed.")
        assert os.listdir(repository / ".claude") == ["settings.json"]  # noqa: PTH208 - short
        screen.type("create hello.md\r")
        screen.wait_for("Use arrow keys")
        screen.type(ENTER)
        wait_for_verdict(screen)
        assert "[RESULT]  COMPLETE" in screen.text, screen.text
        screen.type("quit\r")
        assert screen.ended() == 0
    settings = json.loads((repository / ".claude" / "settings.json").read_text("utf-8"))
    assert settings["permissions"] == {"allow": ["Bash(ls)"]}
    assert settings["task_limits"]
    assert (repository / ".claude" / "settings.json").read_text("utf-8").startswith(THEIRS[:20])


def test_init_adopts_after_a_yes_and_a_script_is_refused(
    repository: Path, env: dict[str, str], program: Program
) -> None:
    ran = program("repl", "--project", str(repository), stdin="/init\n", env=env)
    assert (ran.code, "E10" in ran.err) == (1, True), ran.err
    with DrawnTerminal(repository, env, "repl") as screen:
        ready(screen)
        screen.type("/init\r")
        screen.wait_for("Use arrow keys")
        screen.type(ENTER)
        screen.wait_for("Set up:")
        screen.type("/init\r")
        screen.wait_for("E210")
    assert not called(repository)


def test_from_below_the_whole_repository_is_offered(tmp_path: Path, env: dict[str, str]) -> None:
    below = tmp_path / "shop" / "lib"
    below.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=tmp_path / "shop", check=True)
    with DrawnTerminal(below, env) as screen:
        ready(screen)
        screen.type("create hello.md\r")
        screen.wait_for("only in")
        screen.type(ENTER)
        wait_for_verdict(screen)
    assert (tmp_path / "shop" / "hello.md").exists()
    assert not (below / ".claude").exists()


def test_the_home_directory_is_no_project(home: Path, env: dict[str, str]) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(THEIRS, "utf-8")
    with DrawnTerminal(home, env) as screen:
        ready(screen)
        screen.type("create hello.md\r")
        screen.wait_for("This is your home directory")
    assert (home / ".claude" / "settings.json").read_text("utf-8") == THEIRS


def test_who_is_not_there_or_not_logged_in_is_told(
    repository: Path, environment: dict[str, str], claude: ClaudeScript, tmp_path: Path
) -> None:
    there = claude.does("true")
    script = next(Path(folder, "claude") for folder in there["PATH"].split(":"))
    script.write_text(script.read_text("utf-8").replace("true}", "false}"), "utf-8")
    with DrawnTerminal(repository, {**environment, **there}) as screen:
        ready(screen)
        assert "not logged in: `claude auth login` does that" in screen.text
    only_git = tmp_path / "only-git"
    only_git.mkdir()
    for name in ("git", "sh", "python3", "make"):
        found = next(Path(f, name) for f in os.environ["PATH"].split(":") if Path(f, name).exists())
        (only_git / name).symlink_to(found.resolve())
    with DrawnTerminal(repository, {**environment, "PATH": str(only_git)}) as screen:
        ready(screen)
        assert "Executor  claude-code: " in screen.text


def test_odd_lines_are_answered_and_start_nobody(project: Path, env: dict[str, str]) -> None:
    with repl(project, env) as screen:
        for line in ("hello", "ありがとう", "thanks, that was great"):
            screen.type(f"{line}\r")
            said = "何も開始していません" if line == "ありがとう" else "nobody was started"
            screen.wait_for(said)
            clear(screen)
        screen.type("cat notes.md\r")
        screen.wait_for("> ! cat notes.md")
        shows(screen, SCREENS / "a_line_for_a_shell.txt")
        screen.type(ENTER)
        screen.wait_for("# Notes")
        screen.type("tasks\r")
        screen.wait_for("> /tasks")
        screen.type("exit\r")  # what is typed takes the place of what is offered
        screen.wait_for("ERROR: Did you mean /exit?")
        for typed, meant in (("/stauts", "/status"), ("/clear", "/new")):
            screen.type(f"{typed}\r")
            screen.wait_for(f"> {meant}")
        screen.type("cd ..\r")
        screen.wait_for("Work goes on in")
        screen.type("clear\r")
        screen.wait_until(lambda: screen.lines[0] == ">")
        screen.type("/status\r")
        screen.wait_for("tasks: 0")
        assert not called(project)
        # And what only looks like one of them is carried out.
        screen.type("thanks, now create hello.md\r")
        wait_for_verdict(screen)
        assert called(project)


def test_in_a_script_every_line_is_an_instruction(
    project: Path, program: Program, env: dict[str, str]
) -> None:
    ran = program("repl", "--project", str(project), stdin="/start\nls\n/exit\n", env=env)
    assert called(project), ran.out + ran.err


def test_what_a_shell_command_prints_is_masked(project: Path, env: dict[str, str]) -> None:
    secret = planted_secrets()[0].secret
    (project / "out.txt").write_text(f"key {secret}\n\x1b[31mred\n", "utf-8")
    with repl(project, env) as screen:
        screen.type("! cat out.txt; pwd; sleep 30\r")
        screen.wait_for("/project")
        assert secret not in screen.text
        assert "[MASKED" in screen.text
        assert "\nred\n" in screen.text
        screen.type(CTRL_C)
        screen.wait_for("interrupted")
        screen.type("!\r")
        screen.wait_for("E210")
    assert secret.encode() not in screen.raw


def test_files_of_the_repository_are_completed(project: Path, env: dict[str, str]) -> None:
    (project / "src").mkdir()
    for name in ("src/cart.py", "src/card game.py", "build.log", "カート設計.md"):
        (project / name).touch()
    (project / ".gitignore").write_text("*.log\n", "utf-8")
    with repl(project, env) as screen:
        screen.type("explain @ca")
        screen.wait_for("src/cart.py")
        assert "card game.py" in screen.text
        screen.type("rt\t")
        screen.wait_for("> explain @src/cart.py")
        screen.type(f"{CTRL_U}explain @game\t")
        screen.wait_for('> explain "src/card game.py"')
        screen.type(f"{CTRL_U}@カート\t")
        screen.wait_for("> @カート設計.md")
        screen.type(f"{CTRL_U}explain @build")
        screen.wait_for("> explain @build")
        assert "build.log" not in screen.text
        screen.type(f"{CTRL_U}mail me@not")
        screen.wait_for("> mail me@not")
        assert "notes.md" not in screen.text


@pytest.mark.long
def test_without_an_id_the_last_task_is_meant_in_a_new_conversation_too(
    project: Path, env: dict[str, str]
) -> None:
    with repl(project, env) as screen:
        screen.type("create hello.md\r")
        wait_for_verdict(screen)
        screen.type("create other.md\r")
        screen.wait_for("[RESULT]  INCOMPLETE")
        screen.type("delete everything in the repository\r")
        screen.wait_for("[yes/no]")
        screen.type(ENTER)
        screen.wait_for("waits; /reply")
        screen.type(CTRL_D)
        assert screen.ended() == 0
    with DrawnTerminal(project, env) as screen:
        ready(screen)
        screen.type("/undo task-")
        screen.wait_for("delete everything in")  # beside its id, as the others
        assert "create other.md" in screen.text
        assert "create hello.md" in screen.text
        screen.type(f"{CTRL_U}/reply no\r")
        wait_for_verdict(screen)
        assert "declined" in screen.text
        clear(screen)
        screen.type("/logs\r")
        screen.wait_for("> 3 |")
        screen.type("q")
        screen.type("/tasks\r")
        screen.wait_for("Summary")


def test_a_yes_answers_what_the_executor_asked_last(
    project: Path, environment: dict[str, str], claude: ClaudeScript
) -> None:
    body = 'read -r said; echo "$said" >> ../asked; echo more >> hello.md'
    env = {**environment, **claude.does(body, says="Done. Shall I write other.md too?")}
    with repl(project, env) as screen:
        screen.type("yes\r")
        screen.wait_for("nobody was started")
        screen.type("create hello.md\r")
        wait_for_verdict(screen)
        screen.wait_for("Your next line answers: Shall I write other.md too?")
        clear(screen)
        screen.type("yes, please\r")
        wait_for_verdict(screen)
    asked = (project.parent / "asked").read_text("utf-8")
    assert r"yes, please (to your question: \"Shall I write other.md too?\")" in asked


def test_on_a_plain_terminal(repository: Path, env: dict[str, str]) -> None:
    with DrawnTerminal(repository, env, "repl", term="dumb") as screen:
        ready(screen)
        screen.type("ls\r")
        screen.wait_for("with ! it runs here")
        screen.type("create hello.md\r")
        screen.wait_for("Number")
        screen.type("1\r")
        screen.wait_for("[RESULT]  COMPLETE")
        screen.type("/exit\r")
        assert screen.ended() == 0, screen.text
