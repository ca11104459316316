"""Claude Code as an executor: the user's own `claude`, where its hands are."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from typing_extensions import override

from pm_orchestrator.adapters.executors.claude_story import ClaudeStory
from pm_orchestrator.adapters.executors.cli_story import CliDialect, CliStory, CliTalk
from pm_orchestrator.adapters.executors.coding_cli import CodingCli
from pm_orchestrator.domain.setup.settings import ExecutorSettings
from pm_orchestrator.ports.adapter import Needs
from pm_orchestrator.ports.executor import Executor, ExecutorConfig, ExecutorFactory, ExecutorTask

if TYPE_CHECKING:
    from pm_orchestrator.ports.gateway import Access

UNKNOWN_CONVERSATION = "No conversation found"
LOGIN = "claude auth login"
INSTALL = "install Claude Code (npm package @anthropic-ai/claude-code)"
OTHER_WAYS = frozenset(
    {
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_CUSTOM_HEADERS",
        "CLAUDE_CODE_CLIENT_CERT",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_FOUNDRY",
        "CLAUDE_CODE_USE_VERTEX",
    }
)
"""It then asks in a way that is the user's own, and is left alone."""
# Background tasks would keep the CLI alive long after its result.
VARIABLES = {"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1"}
CONFINED = {
    # The gateway is all there is to connect to.
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # Where the workspace is root's, so is the CLI, and would not go without its questions.
    "IS_SANDBOX": "1",
}
UNASKED = ("--permission-mode", "bypassPermissions")
"""The sandbox holds it in: nobody has to be asked."""
ALONE = ("--setting-sources", "", "--strict-mcp-config")
"""What it is told is all there is, as for every other worker."""
OF_THE_NETWORK = ("--disallowedTools", "WebFetch,WebSearch")
"""One cannot work in there, and the other lets its vendor search the network in its place."""


class ClaudeDialect(CliDialect):
    """How `claude -p` is called, and what its events mean."""

    def __init__(self, settings: ExecutorSettings, confined: "Access | None" = None) -> None:
        self._settings = settings
        self._confined = confined

    @property
    @override
    def name(self) -> str:
        return "claude-code"

    @property
    @override
    def program(self) -> str:
        return "claude"

    @property
    @override
    def cure(self) -> str:
        return INSTALL if self._confined else f"{INSTALL} and log in"

    @property
    @override
    def login(self) -> str:
        return LOGIN

    @property
    @override
    def variables(self) -> Mapping[str, str]:
        if self._confined is None:
            return VARIABLES
        access = {
            "ANTHROPIC_BASE_URL": self._confined.base_url,
            "ANTHROPIC_API_KEY": self._confined.token,
        }
        return {**VARIABLES, **CONFINED, **access}

    @override
    def argv(self, task: ExecutorTask) -> tuple[str, ...]:
        settings = self._settings
        said = (task.instruction,) if task.person is None else _flags()
        argv = ["claude", "-p", *said, "--output-format", "stream-json", "--verbose"]
        if self._confined is None:
            argv += ["--permission-mode", settings.permission_mode]
        else:
            argv += [*UNASKED, *ALONE, *OF_THE_NETWORK]
        if task.conversation is not None:
            argv += ["--resume", task.conversation]
        elif task.fresh_conversation is not None:
            argv += ["--session-id", task.fresh_conversation]
        if task.model is not None:
            argv += ["--model", task.model]
        if task.system:
            argv += ["--append-system-prompt", task.system]
        if task.turns is not None:
            argv += ["--max-turns", str(task.turns)]
        if task.usd_budget is not None:
            argv += ["--max-budget-usd", f"{task.usd_budget:g}"]
        if settings.allowed_tools and self._confined is None:
            argv += ["--allowedTools", ",".join(settings.allowed_tools)]
        return tuple(argv)

    @override
    def talk(self) -> CliTalk:
        from pm_orchestrator.adapters.executors.claude_control import ClaudeTalk

        return ClaudeTalk()

    @override
    def story(self) -> CliStory:
        return ClaudeStory()

    @override
    def lost_conversation(self, summary: str) -> bool:
        return UNKNOWN_CONVERSATION in summary


class ClaudeCodeFactory(ExecutorFactory):
    """Makes `claude-code` executors."""

    @property
    @override
    def needs(self) -> Needs:
        # What npm installed before it was one program is a script for node.
        return Needs(programs=("claude", "node"))

    @property
    @override
    def vendor(self) -> str | None:
        return "anthropic"

    @property
    @override
    def ways_past(self) -> Collection[str]:
        return OTHER_WAYS

    @override
    def create(self, config: ExecutorConfig) -> Executor:
        return CodingCli(config, ClaudeDialect(config.settings, config.confined))


def _flags() -> tuple[str, ...]:
    """How it is told to hear its instruction, and to ask, through its pipes."""
    from pm_orchestrator.adapters.executors.claude_control import FLAGS

    return FLAGS
