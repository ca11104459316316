"""Claude Code under supervision, played by real processes that misbehave."""

import asyncio
import os
import resource
import sys
import time
from pathlib import Path

import psutil
import pytest

from pm_orchestrator.adapters.executors.claude_code import ClaudeCodeFactory
from pm_orchestrator.adapters.executors.cli_watch import FAREWELL_S
from pm_orchestrator.adapters.sandboxes.host_hands import HostHands
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.history.task_log import BlockedReason, TerminatedBy
from pm_orchestrator.domain.setup.settings import ExecutorSettings
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.executor import ExecutorConfig, ExecutorResult, ExecutorTask
from pm_orchestrator.testing.memory.fake_clock import HASTE, HastyClock

RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"Done."}'
TOOL = '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash"}]}}'
GRACE_S = 0.5


async def run(
    tmp_path: Path,
    body: str,
    *,
    seconds: float = 20,
    silence: float = 20,
    budget: bool = False,
    clock: Clock | None = None,
) -> ExecutorResult:
    script = tmp_path / "claude"
    script.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    script.chmod(0o755)
    variables = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PY": sys.executable}
    config = ExecutorConfig(
        settings=ExecutorSettings(), variables=variables, clock=clock or SystemClock()
    )
    task = ExecutorTask(
        task_id="task-1",
        instruction="Do it",
        hands=HostHands(LocalCommands(kill_grace_s=GRACE_S), tmp_path, variables),
        timeout_s=seconds,
        silence_s=silence,
        timeout_is_budget=budget,
    )
    return await ClaudeCodeFactory().create(config).execute(task)


@pytest.mark.parametrize(
    ("body", "reason", "line"),
    [
        ("printf '? Select an option'; sleep 60", BlockedReason.INTERACTIVE_PROMPT, "? Select"),
        ("echo 'Continue? [Y/n]' >&2; sleep 60", BlockedReason.INTERACTIVE_PROMPT, "Continue?"),
        (
            '"$PY" -c \'import pty; pty.spawn(["cat"])\'; sleep 60',
            BlockedReason.STDIN_REQUIRED,
            None,
        ),
        ("read x || { echo 'stdin is not a tty' >&2; exit 3; }", BlockedReason.STDIN_REQUIRED, "s"),
        (
            'echo \'{"type":"control_request","request":{"subtype":"can_use_tool"}}\'; sleep 60',
            BlockedReason.INTERACTIVE_PROMPT,
            "control_request can_use_tool",
        ),
    ],
)
async def test_a_child_that_wants_an_answer_is_ended(
    tmp_path: Path, body: str, reason: BlockedReason, line: str | None
) -> None:
    """R-34 Executor stdin blocking: seen, ended, and recorded with what gave it away."""
    begun = time.monotonic()
    result = await run(tmp_path, body, seconds=200, silence=200, clock=HastyClock())
    assert time.monotonic() - begun < 5
    assert result.blocked is not None
    assert result.blocked.reason is reason
    assert result.blocked.terminated_by is TerminatedBy.REPL_FAIL_CLOSED
    assert (result.blocked.detected_pattern or "").startswith(line or "")
    assert result.claim.kind == "blocked"


@pytest.mark.parametrize(
    ("body", "signal"),
    [
        ("sleep 60", "SIGTERM"),
        ("trap '' TERM; while :; do sleep 0.05; done", "SIGKILL"),
        pytest.param(
            "setsid sh -c 'trap \"\" TERM; while :; do sleep 0.05; done' & wait",
            "SIGKILL",
            marks=pytest.mark.long,
        ),
        # It stops its own supervisor: the owner must get control back all the same.
        ("kill -STOP $PPID; sleep 60", "SIGTERM"),
    ],
)
async def test_control_comes_back_whatever_the_child_does(
    tmp_path: Path, body: str, signal: str | None
) -> None:
    """R-35 Terminal state: after the timer, the grace period and at most one second more."""
    mine = psutil.Process()
    before = {p.pid for p in mine.children(recursive=True)}
    begun = time.monotonic()
    result = await run(tmp_path, body, seconds=0.6)
    assert time.monotonic() - begun < 0.6 + GRACE_S + 1
    assert result.blocked is not None
    assert result.blocked.reason is BlockedReason.TIMEOUT
    assert result.blocked.terminated_by is TerminatedBy.TIMEOUT
    assert result.blocked.timeout_ms >= 600
    assert result.blocked.termination_signal == signal
    left = [p for p in mine.children(recursive=True) if p.pid not in before and "sleep" in p.name()]
    assert left == []


async def test_output_does_not_stop_the_timer(tmp_path: Path) -> None:
    """R-35 Terminal state: an endless talker is cut off too."""
    result = await run(tmp_path, "while :; do echo busy; sleep 0.05; done", seconds=1)
    assert result.blocked is not None
    assert result.blocked.reason is BlockedReason.TIMEOUT


async def test_silence_counts_only_without_an_open_tool_call(tmp_path: Path) -> None:
    """R-35 Progress: a tool may take its time; the agent itself may not be silent."""
    body = f"echo '{TOOL}'; sleep 1.5; echo '{RESULT}'"
    assert (await run(tmp_path, body, silence=0.6)).claim.kind == "finished"
    silent = await run(tmp_path, f"sleep 5; echo '{RESULT}'", silence=0.6)
    assert silent.blocked is not None
    assert silent.blocked.reason is BlockedReason.TIMEOUT


async def test_a_question_in_prose_ends_nothing(tmp_path: Path) -> None:
    said = '{"type":"assistant","message":{"content":[{"type":"text","text":"? Which [Y/n]"}]}}'
    body = f"echo '{said}'; sleep 0.5; echo '{RESULT}'"
    result = await run(tmp_path, body, seconds=200, silence=200, clock=HastyClock())
    assert (result.blocked, result.claim.kind) == (None, "finished")


async def test_a_budget_that_runs_out_is_no_block(tmp_path: Path) -> None:
    result = await run(tmp_path, "echo x > made; sleep 60", seconds=0.5, budget=True)
    assert (result.blocked, result.out_of_budget, result.claim.kind) == (None, True, "gave_up")


async def test_what_lives_on_after_the_last_word_is_ended(tmp_path: Path) -> None:
    begun = time.monotonic()
    result = await run(tmp_path, f"echo '{RESULT}'; sleep 60", seconds=300, clock=HastyClock())
    assert FAREWELL_S / HASTE < time.monotonic() - begun < FAREWELL_S / HASTE + GRACE_S + 2
    assert (result.blocked, result.claim.kind) == (None, "gave_up")


async def test_a_flood_costs_neither_memory_nor_the_end(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    flood = "yes 'noise \x1b[1m' | head -c 200000000; head -c 50000000 /dev/zero"
    result = await run(
        tmp_path, f"{flood}; printf '{{'; head -c 50000000 /dev/zero; echo; echo '{RESULT}'"
    )
    assert result.claim.kind == "finished"
    assert len(result.transcript) < 1_000_000
    assert "bytes left out" in result.transcript
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


def wait_for(marker: Path) -> None:
    while not marker.exists() or not marker.read_text("ascii").strip():
        time.sleep(0.02)


async def test_cancelling_takes_the_tree_along(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    work = asyncio.create_task(run(tmp_path, f"echo $$ > {marker}; sleep 60"))
    async with asyncio.timeout(10):
        await asyncio.to_thread(wait_for, marker)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not psutil.pid_exists(int(marker.read_text("ascii")))
