"""Completion as bash asks for it: with the printed script, in a real bash."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from pm_orchestrator.cli.id_completion import (
    complete_sessions,
    complete_sessions_and_runs,
    complete_tasks,
    complete_tasks_and_runs,
)
from pm_orchestrator.cli.program import COMMANDS, program as program_group
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

ASK = """
source "$SCRIPT" || exit 1
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
asked=$(complete -p "$1") || exit 1
[[ $asked =~ -F\\ ([a-z_]+) ]] && "${BASH_REMATCH[1]}" "$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Bash:
    """A bash that has the program under both names and has read the script."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        folder.mkdir()
        for name in ("pm-orchestrator", "pmo"):
            script = folder / name
            script.write_text(
                f'#!/bin/sh\nexec {sys.executable} -m pm_orchestrator "$@"\n', "utf-8"
            )
            script.chmod(0o755)
        self._environment = {**environment, "PATH": f"{folder}:{environment['PATH']}"}
        self._environment["SCRIPT"] = str(folder / "completion.bash")
        printed = Program(folder, self._environment)("completion", "bash")
        assert printed.code == 0, printed.err
        (folder / "completion.bash").write_text(printed.out, "utf-8")

    def __call__(self, *words: str, cwd: Path | None = None) -> list[str]:
        ran = subprocess.run(
            ["bash", "--norc", "--noprofile", "-c", ASK, "bash", *words],
            env=self._environment,
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=50,
            check=True,
        )
        assert ran.stderr == ""
        return ran.stdout.split()


@pytest.fixture
def bash(tmp_path: Path, environment: dict[str, str]) -> Bash:
    return Bash(tmp_path / "completing", environment)


@pytest.mark.parametrize("name", ["pm-orchestrator", "pmo"])
def test_commands_and_options(bash: Bash, name: str) -> None:
    assert set(bash(name, "")) >= set(COMMANDS)
    assert bash(name, "st") == ["start", "status"]
    assert set(bash(name, "run", "--w")) == {"--workers"}
    assert bash(name, "evidence", "v") == ["verify"]
    assert bash(name, "doctor", "--lang", "") == ["en", "ja"]


def test_ids_of_the_project(
    bash: Bash, program: Program, project: Path, claude: ClaudeScript
) -> None:
    at = ("--project", str(project))
    end = program("run", "--solo", "Create x.md", "--json", *at, env=claude.does("true")).json
    session, task, run = end["session_id"], end["task_id"], end["run_id"]
    assert bash("pmo", "undo", "t", cwd=project) == [task]
    assert bash("pmo", "approve", "", cwd=project) == [session]
    assert bash("pmo", "status", *at, "") == [session, run]
    assert bash("pmo", "watch", *at, "r") == [run]
    fish = asked(program, "fish", "pmo", "undo", *at, "t")
    assert fish[0] == f"plain,{task}\tCreate x.md", "what it was about stands beside it"
    (project / ".claude/logs/index.json").write_text('{"sessions": 3}', "utf-8")
    assert bash("pmo", "status", *at, "") == []


COMPLETED = {
    "accept": complete_tasks,
    "approve": complete_sessions,
    "continue": complete_sessions,
    "logs": complete_tasks,
    "reply": complete_tasks,
    "status": complete_sessions_and_runs,
    "undo": complete_tasks,
    "watch": complete_tasks_and_runs,
}


@pytest.mark.parametrize("name", COMPLETED)
def test_a_command_completes_its_first_argument(name: str, tmp_path: Path) -> None:
    logs = tmp_path / ".claude/logs"
    (logs / "sessions/session-1").mkdir(parents=True)
    (logs / "index.json").write_text('{"sessions": [{"session_id": "session-1"}]}', "utf-8")
    entry = '{"external_task_id": "task-9", "run_id": "run_001"}'
    (logs / "sessions/session-1/index.json").write_text(f'{{"entries": [{entry}]}}', "utf-8")
    context = click.Context(program_group)
    command = program_group.get_command(context, name)
    assert command is not None
    inner = click.Context(command, parent=context)
    inner.params["project"] = tmp_path
    first = next(p for p in command.params if isinstance(p, click.Argument))
    offered = [item.value for item in first.shell_complete(inner, "")]
    assert offered == [item.value for item in COMPLETED[name](inner, first, "")]
    assert offered


def test_completing_commands_imports_none_of_them(environment: dict[str, str]) -> None:
    """Tab has to be quick: click would otherwise import every command for its help."""
    code = (
        "import sys; from pm_orchestrator.cli.program import program, LazyGroup;"
        "import click; items = program.shell_complete(click.Context(program), '');"
        "print(len(items), [m for m in sys.modules if '.cli.commands.' in m])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.strip() == f"{len(COMMANDS)} []"


def test_another_shell_is_refused(program: Program) -> None:
    ran = program("completion", "csh")
    assert (ran.code, ran.err[:12]) == (1, "ERROR E210: ")


def asked(program: Program, shell: str, *words: str) -> list[str]:
    """What the script of a shell asks for, in the words that the shell would give."""
    typed = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    if shell == "fish":
        typed = {"COMP_WORDS": " ".join(words[:-1]), "COMP_CWORD": words[-1]}
    variable = {"_PM_ORCHESTRATOR_COMPLETE": f"{shell}_complete"}
    return program(env={**typed, **variable}).out.split("\n")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_taught_both_names(program: Program, shell: str) -> None:
    script = program("completion", shell).out
    assert f"_PM_ORCHESTRATOR_COMPLETE={shell}_complete pm-orchestrator" in script.replace(
        "COMP_WORDS=(commandline -cp) COMP_CWORD=(commandline -t) ", ""
    )
    assert script.rstrip().split("\n")[-1].split()[0] in {"compdef", "complete"}
    assert "pmo" in script.rstrip().split("\n")[-1]


def test_what_zsh_and_fish_get(program: Program) -> None:
    zsh = asked(program, "zsh", "pm-orchestrator", "sta")
    assert zsh[:3] == ["plain", "start", "Begin a session."]
    fish = asked(program, "fish", "pmo", "evidence", "v")
    assert fish[0].startswith("plain,verify\tCheck every record, raw log")
    # What stands behind the first comma is a part of the help, not a field.
    assert 'string split --max 1 ","' in program("completion", "fish").out
