"""`doctor` through the program: what it says, what it keeps to itself, what it clears up."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor

SECRET = "sk-ant-api03-" + "Zq8xW3" * 6


@pytest.fixture
def env(claude: ClaudeScript) -> dict[str, str]:
    return claude.does("echo '2.0.1 (Claude Code)'", ends_with="")


def test_a_healthy_project(program: Program, project: Path, env: dict[str, str]) -> None:
    ran = program("doctor", "--project", str(project), env=env)
    assert ran.code == 0, ran.out
    assert "✓ claude: 2.1.325 (Claude Code)" in ran.out
    assert "✓ sandbox bwrap: started one and ran a command in it" in ran.out
    assert "✓ settings: " in ran.out
    assert "✓ evidence: " in ran.out
    assert "redis" not in ran.out
    assert ran.out.endswith("Nothing essential is wrong.\n")
    assert ran.err == ""  # progress is for terminals


def test_looking_changes_nothing(program: Program, project: Path, env: dict[str, str]) -> None:
    def everything() -> set[tuple[str, int]]:
        found = (p for p in project.rglob("*") if ".git" not in p.parts)
        return {(str(p), p.stat().st_mtime_ns) for p in found}

    before = everything()
    assert program("doctor", "--project", str(project), env=env).code == 0
    assert everything() == before


def test_a_problem_has_its_cure_below_and_exit_code_1(
    program: Program, project: Path, env: dict[str, str]
) -> None:
    (project / ".claude/settings.json").write_text("{", "utf-8")
    ran = program("doctor", "--project", str(project), env=env)
    assert ran.code == 1
    lines = ran.out.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("✗ settings: E105"))
    assert lines[at + 1].startswith("    → ")
    japanese = program("doctor", "--project", str(project), "--lang", "ja", env=env)
    assert "問題: 1 件" in japanese.out


def test_without_a_sandbox(program: Program, project: Path, env: dict[str, str]) -> None:
    """A bwrap that cannot start one is found out, although it is there."""
    bwrap = Path(env["PATH"].split(os.pathsep)[0]) / "bwrap"
    bwrap.write_text("#!/bin/sh\necho 'no permission' >&2; exit 1\n", "utf-8")
    bwrap.chmod(0o755)
    ran = program("doctor", "--json", "--project", str(project), env=env)
    assert ran.code == 1
    (found,) = [f for f in ran.json["findings"] if f["check"] == "sandbox bwrap"]
    assert found["level"] == "problem"
    assert found["cure"]
    assert ran.json["well"] is False


def test_no_part_of_a_key_is_shown(program: Program, project: Path, env: dict[str, str]) -> None:
    with_key = {**env, "ANTHROPIC_API_KEY": SECRET}
    for options in ([], ["--json"], ["--report"]):
        ran = program("doctor", *options, "--project", str(project), env=with_key)
        assert "SET" in ran.out
        assert SECRET[:12] not in ran.out + ran.err
        assert SECRET[-8:] not in ran.out + ran.err


def test_the_report_for_others(
    program: Program, project: Path, home: Path, env: dict[str, str]
) -> None:
    ran = program("doctor", "--report", "--project", str(project), env=env)
    assert "settings:\n{" in ran.out
    assert "✓ git: " in ran.out
    assert str(home) not in ran.out
    assert "~/.local/state" in ran.out
    both = program("doctor", "--report", "--clean", "--project", str(project), env=env)
    assert (both.code, both.err[:12]) == (1, "ERROR E210: ")


def test_what_a_killed_runner_left_is_cleared_up(
    program: Program, project: Path, environment: dict[str, str], claude: ClaudeScript
) -> None:
    at = ("--project", str(project))
    env = {**environment, **claude.does('[ "$1" = --version ] || sleep 30')}
    runner = subprocess.Popen(
        [sys.executable, "-m", "pm_orchestrator", "run", "--solo", "Create README.md", *at],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    ledger = project / ".pm-orchestrator/runtime/state/unfinished.json"
    events = project / ".pm-orchestrator/runtime/runs/run_001/events.jsonl"
    deadline = time.monotonic() + 20
    while not (events.exists() and "EXECUTION" in events.read_text("utf-8")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    refused = program("doctor", "--clean", *at, env=env)
    assert (refused.code, refused.err[:12]) == (1, "ERROR E402: ")
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    draft = project / f".claude/.settings.json.{runner.pid}.1.tmp"
    draft.touch()
    session = program("status", "--json", *at, env=env).json["session"]["session_id"]
    copy = Path(env["TMPDIR"]) / "pm-base-x1" / project.name
    other = Path(env["TMPDIR"]) / "pm-base-x2" / project.name
    for place, root in ((copy, project), (other, "/somewhere/else")):
        state = place / f".claude/logs/sessions/{session}/session_state.json"
        state.parent.mkdir(parents=True)
        state.write_text(f'{{"target_project": "{root}"}}', "utf-8")

    view, used = (copy.parent.with_name(f"pm-view-{n}-x") for n in (runner.pid, os.getpid()))
    for place in (view, used):
        (place / "scratch/work/work").mkdir(parents=True, mode=0o700)
        (place / "scratch/work/work").chmod(0)

    found = program("doctor", *at, env=env)
    assert "is gone" in found.out
    cleaned = program("doctor", "--clean", "--json", *at, env=env)
    assert cleaned.code == 0, cleaned.err
    assert len(cleaned.json["closed_tasks"]) == 1
    owner = ledger.parent / f"owners/{session}.json"
    assert set(cleaned.json["removed"]) == {
        str(owner),
        str(draft),
        str(copy.parent),
        str(view),
    }
    assert not owner.exists()
    assert not draft.exists()
    assert not copy.exists()
    assert other.exists()  # another project's
    assert used.exists()  # its process lives
    (entry,) = program("logs", "--json", *at, env=env).json
    assert entry["status"] == "error"
    assert program("doctor", "--clean", *at, env=env).out == "There is nothing to clean up.\n"


async def asked_of_ollama(
    program: Program, project: Path, env: dict[str, str], answer: Failure | dict[str, Any]
) -> Ran:
    """The examination of a project whose company asks a model server of its own."""
    path = project / ".claude" / "settings.json"
    settings = json.loads(path.read_text("utf-8"))
    settings["company"] |= {"adapter": "ollama", "model": "tiny"}
    path.write_text(json.dumps(settings), "utf-8")
    async with ScriptedVendor(lambda _: answer) as server:
        server.listing = answer
        there = {**env, "OLLAMA_HOST": server.base_url}
        return await asyncio.to_thread(program, "doctor", "--project", str(project), env=there)


@pytest.mark.parametrize(
    ("answer", "line", "works"),
    [
        ({"models": [{"name": "tiny:latest"}]}, "✓ ollama models: 127.0.0.1 answers", True),
        ({"models": [{"name": "big:70b"}]}, "· ollama models: tiny is not among", True),
        (Failure(kind="reset"), "· ollama models: asked 127.0.0.1: the model did not", False),
        (Failure(kind="garbage"), "✗ ollama models: asked 127.0.0.1: the model's answer", False),
    ],
)
async def test_a_model_server_of_ones_own_is_asked(
    program: Program,
    project: Path,
    env: dict[str, str],
    answer: Failure | dict[str, Any],
    line: str,
    works: bool,
) -> None:
    """That it needs no key does not mean that it is there."""
    ran = await asked_of_ollama(program, project, env, answer)
    assert line in ran.out
    (ways,) = [each for each in ran.out.splitlines() if "executor: " in each]
    assert ("ollama API" in ways) == works
