"""A call through the preloaded interpreter is a call of the program: nothing else shows."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from pm_orchestrator.testing.programs.called_program import clean_environment
from pm_orchestrator.testing.programs.preloaded_calls import (
    PRELOADED,
    call_preloaded,
    can_be_preloaded,
)

SCRIPT = "/help\n/nothing\n日本語\n"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return clean_environment(tmp_path, tmp_path)


def really(
    arguments: tuple[str, ...], stdin: str, cwd: Path, environment: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "pm_orchestrator", *arguments],
        input=stdin,
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "stdin", "more"),
    [
        (("--version",), "", {}),
        (("--help",), "", {}),
        (("no-such-command",), "", {}),
        (("runs",), "", {"PM_LANG": "ja"}),
        (("init", "--json"), "", {}),
        (("doctor", "--json"), "", {"PATH": "/usr/bin", "ANTHROPIC_API_KEY": "x"}),
        (("repl", "--non-interactive", "--project-mode", "cwd"), SCRIPT, {}),
        (("run", "Create \udcff.md"), "", {}),
    ],
)
def test_it_is_as_in_a_process_of_its_own(
    tmp_path: Path,
    environment: dict[str, str],
    arguments: tuple[str, ...],
    stdin: str,
    more: dict[str, str],
) -> None:
    given = {**environment, **more}
    seen: list[tuple[int, str, str]] = []
    for name in ("real", "preloaded"):
        place = tmp_path / name / "project"
        place.mkdir(parents=True)
        done = (
            really(arguments, stdin, place, given)
            if name == "real"
            else call_preloaded(arguments, stdin=stdin, cwd=place, environment=given, patience_s=30)
        )
        texts = [text.replace(str(tmp_path / name), "") for text in (done.stdout, done.stderr)]
        seen.append((done.returncode, texts[0], texts[1]))
    assert seen[0] == seen[1]


def test_one_that_takes_too_long_is_killed(tmp_path: Path, environment: dict[str, str]) -> None:
    def call(patience_s: float, *arguments: str) -> None:
        call_preloaded(
            arguments, stdin="", cwd=tmp_path, environment=environment, patience_s=patience_s
        )

    call(30, "--version")
    with pytest.raises(subprocess.TimeoutExpired):
        call(0.3, "demo")
    # The next one is none the worse for it, and of the first nothing is left.
    call(30, "--version")
    assert PRELOADED.pid is not None
    _, alive = psutil.wait_procs(psutil.Process(PRELOADED.pid).children(), timeout=10)
    assert alive == []


@pytest.mark.parametrize(
    ("more", "can"),
    [
        ({}, True),
        ({"LANG": "ja_JP.UTF-8"}, False),
        ({"LC_ALL": "C"}, False),
        ({"PYTHONUTF8": "0"}, False),
        ({"COVERAGE_PROCESS_START": "x"}, False),
    ],
)
def test_what_acts_on_an_interpreter_that_starts_is_left_to_one(
    environment: dict[str, str], more: dict[str, str], can: bool
) -> None:
    assert can_be_preloaded({**environment, **more}, "") is can


def test_what_no_pipe_holds_is_left_to_one_as_well(environment: dict[str, str]) -> None:
    assert can_be_preloaded(environment, "x" * 1000)
    assert not can_be_preloaded(environment, "x" * 100_000)


def test_one_that_was_taken_away_is_started_again(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    PRELOADED.control()
    assert PRELOADED.pid is not None
    os.kill(PRELOADED.pid, signal.SIGKILL)
    os.waitid(os.P_PID, PRELOADED.pid, os.WEXITED | os.WNOWAIT)
    done = call_preloaded(
        ("--version",), stdin="", cwd=tmp_path, environment=environment, patience_s=30
    )
    assert done.returncode == 0


@pytest.mark.long
def test_it_ends_with_those_who_call_it() -> None:
    code = (
        "from pm_orchestrator.testing.programs.preloaded_calls import PRELOADED as p\n"
        "p.control()\nprint(p.pid, flush=True)\nimport os\nos._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    pid = int(done.stdout)
    try:
        psutil.Process(pid).wait(timeout=20)
    except psutil.NoSuchProcess:
        pass
    assert not psutil.pid_exists(pid)
