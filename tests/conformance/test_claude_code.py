"""Claude Code keeps the contract of executors, with a scripted `claude`."""

import json
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.executors.claude_code import ClaudeCodeFactory
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.setup.settings import ExecutorSettings
from pm_orchestrator.ports.executor import Executor, ExecutorConfig
from pm_orchestrator.testing.contracts.executor_contract import (
    CONTENT,
    MADE,
    EndlessContract,
    FailingContract,
    SpendingContract,
    TellingContract,
    UnreadyContract,
    WorkingContract,
)
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

WORK = f"mkdir -p made; printf '{CONTENT.rstrip()}\\n' > '{MADE}'"


def message(tokens: int) -> str:
    call = {"type": "tool_use", "id": "t", "name": "Write", "input": {"file_path": MADE}}
    said = {"id": "m", "usage": {"input_tokens": tokens}, "content": [call]}
    return f"echo '{json.dumps({'type': 'assistant', 'message': said})}'"


def claude(variables: dict[str, str]) -> Executor:
    config = ExecutorConfig(settings=ExecutorSettings(), variables=variables, clock=SystemClock())
    return ClaudeCodeFactory().create(config)


class TestClaudeCode(
    WorkingContract,
    TellingContract,
    FailingContract,
    EndlessContract,
    SpendingContract,
    UnreadyContract,
):
    @pytest.fixture
    def script(self, tmp_path: Path) -> ClaudeScript:
        return ClaudeScript(tmp_path / "bin")

    @pytest.fixture
    @override
    def variables(self, tmp_path: Path) -> dict[str, str]:
        return {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}

    @pytest.fixture
    @override
    def working(self, script: ClaudeScript) -> Executor:
        return claude(script.does(f"{message(5)}\n{WORK}"))

    @pytest.fixture
    @override
    def failing(self, script: ClaudeScript) -> Executor:
        return claude(script.does("echo broken >&2", ends_with="", exit_code=3))

    @pytest.fixture
    @override
    def endless(self, mark: str, script: ClaudeScript) -> Executor:
        return claude(script.does(f"{message(5)}\nsetsid sleep {mark} & sleep {mark}"))

    @pytest.fixture
    @override
    def spending(self, mark: str, script: ClaudeScript) -> Executor:
        return claude(script.does(f"{message(500)}\nsleep {mark}"))

    @pytest.fixture
    @override
    def unready(self, tmp_path: Path) -> Executor:
        return claude({"PATH": str(tmp_path)})
