"""Any coding CLI needs its own arguments and events only, and works in a sandbox as well.

The CLI here is a shell script that says `{"type": ...}` lines of its own.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.executors.cli_story import (
    CliDialect,
    CliStory,
    LastWord,
    StoryStep,
)
from pm_orchestrator.adapters.executors.coding_cli import CodingCli
from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.history.heard import Heard
from pm_orchestrator.domain.setup.settings import ExecutorSettings
from pm_orchestrator.ports.executor import Executor, ExecutorConfig, ExecutorTask
from pm_orchestrator.ports.sandbox import SandboxSpec
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

AT = """echo '{"type":"at","what":"Write a file","tokens":500}'"""
END = """echo '{"type":"end","said":"Done."}'"""


class PlainStory(CliStory):
    """Two kinds of events: where it is at, and that it is done."""

    def __init__(self) -> None:
        self._at = ""
        self._tokens = 0
        self._last: LastWord | None = None

    @property
    @override
    def conversation(self) -> str | None:
        return None

    @property
    @override
    def question(self) -> str | None:
        return None

    @property
    @override
    def failed_tools(self) -> Sequence[str]:
        return ()

    @property
    @override
    def denied_tools(self) -> Sequence[str]:
        return ()

    @property
    @override
    def written_files(self) -> Iterable[str]:
        return (f"/workspace/{MADE}",) if self._last else ()

    @property
    @override
    def activity(self) -> str:
        return self._at

    @override
    def heard(self, *, ended: bool = False) -> tuple[Heard, ...]:
        return ()

    @property
    @override
    def tokens(self) -> int:
        return self._tokens

    @property
    @override
    def last_word(self) -> LastWord | None:
        return self._last

    @override
    def take(self, event: Mapping[str, Any]) -> StoryStep:
        if event["type"] == "end":
            self._last = LastWord(good=True, summary=event["said"])
            return StoryStep()
        self._at, self._tokens = event["what"], event["tokens"]
        return StoryStep(opened=("work",))


class PlainDialect(CliDialect):
    """Runs a script."""

    def __init__(self, script: str, program: str = "sh") -> None:
        self._script = script
        self._program = program

    @property
    @override
    def name(self) -> str:
        return "plain-cli"

    @property
    @override
    def program(self) -> str:
        return self._program

    @property
    @override
    def cure(self) -> str:
        return "install the plain CLI"

    @property
    @override
    def variables(self) -> Mapping[str, str]:
        return {"MADE": MADE}

    @override
    def argv(self, task: ExecutorTask) -> tuple[str, ...]:
        return (self._program, "-c", self._script)

    @override
    def story(self) -> CliStory:
        return PlainStory()

    @override
    def lost_conversation(self, summary: str) -> bool:
        return False


def cli(script: str, program: str = "sh") -> Executor:
    config = ExecutorConfig(
        settings=ExecutorSettings(), variables={"PATH": "/usr/bin:/bin"}, clock=SystemClock()
    )
    return CodingCli(config, PlainDialect(script, program))


class TestCliInSandbox(
    WorkingContract,
    TellingContract,
    FailingContract,
    EndlessContract,
    SpendingContract,
    UnreadyContract,
):
    @pytest.fixture
    @override
    async def task(self, tmp_path: Path, variables: dict[str, str]) -> AsyncIterator[ExecutorTask]:
        runtime = BwrapRuntime(
            LocalCommands(kill_grace_s=0.2), search_path="/usr/bin:/bin", kill_grace_s=0.2
        )
        sandbox = await runtime.open(SandboxSpec(name="cli"))
        yield ExecutorTask(task_id="t", instruction="Make it", hands=sandbox, timeout_s=30)
        await sandbox.close()

    @pytest.fixture
    @override
    def working(self) -> Executor:
        made = f"""mkdir made; printf '{CONTENT.strip()}\\n' > "$MADE" """
        return cli(f"{AT}; {made}; {END}")

    async def test_what_it_says_it_wrote_is_claimed(
        self, working: Executor, task: ExecutorTask
    ) -> None:
        assert (await working.execute(task)).claim.claimed_files == (MADE,)

    @pytest.fixture
    @override
    def failing(self) -> Executor:
        return cli("echo broken >&2; exit 3")

    @pytest.fixture
    @override
    def endless(self, mark: str) -> Executor:
        return cli(f"{AT}; setsid sleep {mark} & sleep {mark}")

    @pytest.fixture
    @override
    def spending(self, mark: str) -> Executor:
        return cli(f"{AT}; sleep {mark}")

    @pytest.fixture
    @override
    def unready(self) -> Executor:
        return cli("true", "pm-no-such-cli")
