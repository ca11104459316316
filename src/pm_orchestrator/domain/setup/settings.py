"""What a project's `.claude/settings.json` may say: one schema, explicit defaults.

The first four blocks are required; the others are optional and default as a
whole. Every number has its range here, so that a value outside is an error
where the file is read and not a surprise where it is used.
"""

from typing import Annotated, Literal

from msgspec import Meta, field

from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.task import TaskLimits

Seconds = Annotated[int, Meta(ge=1, le=86_400)]


class TaskLimitSettings(Record, frozen=True, kw_only=True):
    """How large one task may be."""

    files: Annotated[int, Meta(ge=1, le=20)] = 5
    tests: Annotated[int, Meta(ge=1, le=50)] = 10
    seconds: Annotated[int, Meta(ge=30, le=900)] = 300
    """Defaults as specified, for settings that say nothing; `init` writes the largest."""

    def limits(self) -> TaskLimits:
        return TaskLimits(max_files=self.files, max_tests=self.tests, max_seconds=self.seconds)


class ParallelLimits(Record, frozen=True, kw_only=True):
    """How many may think and how many may write at the same time."""

    subagents: Annotated[int, Meta(ge=1, le=9)] = 9
    """Exchanges of a company with its models."""
    executors: Annotated[int, Meta(ge=1, le=4)] = 4
    """Workers, however many are asked for."""


class Timeouts(Record, frozen=True, kw_only=True):
    """When waiting becomes a fault."""

    deadlock_timeout_seconds: Seconds = 60
    """How long a lock of the records is waited for."""
    operation_timeout_seconds: Seconds = 120


class EvidenceSettings(Record, frozen=True, kw_only=True):
    """How long evidence is kept whole."""

    retention_days: Annotated[int, Meta(ge=1, le=3650)] = 30
    """Then raw logs are pruned; their records stay."""
    compression_enabled: bool = True
    """Whether long raw logs are compressed when they are written."""


class FallbackSettings(Record, frozen=True, kw_only=True):
    """Who is asked when the first model fails."""

    adapter: str = "anthropic"
    model: Annotated[str, Meta(min_length=1)]


class CompanySettings(Record, frozen=True, kw_only=True):
    """The company of agents."""

    max_workers: Annotated[int, Meta(ge=1, le=4)] = 3
    max_attempts: Annotated[int, Meta(ge=1, le=5)] = 3
    """How often a refused sub-task is sent back to its worker, the first time included."""
    max_turns: Annotated[int, Meta(ge=1, le=100)] = 30
    adapter: str = "anthropic"
    """Which model API the agents use."""
    executor: str = "tool-loop"
    """What its workers are: conversations with that model over tools of ours, or a coding CLI in
    their sandboxes."""
    message_queue: str = "file"
    """What carries the agents' messages."""
    engine: str = "local"
    """What makes runs durable."""
    forge: str = "local"
    """Where finished runs are put before a person."""
    model: Annotated[str, Meta(min_length=1)] = "claude-sonnet-5-5"
    """What `ModelRegistry.current` says of the line by the dates of the shipped list."""
    integration_branch: str | None = None
    """The project's branch that finished runs are merged into; never main or master."""
    fallback: FallbackSettings | None = None
    """Absent means that a failure of the model is reported."""
    busy_minutes: Annotated[int, Meta(ge=0, le=1440)] = 15
    """How long a question waits for a vendor that has too much to do."""


class ModelSettings(Record, frozen=True, kw_only=True):
    """How models are asked, whoever their vendor is."""

    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    """Absent means the vendor's own; some models take no other."""
    max_tokens: Annotated[int, Meta(ge=256, le=1_000_000)] | None = None
    """Of one answer; absent means what the agent asks for."""
    ca_file: str | None = None
    """Certificates that servers are believed by, besides the system's own."""
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    """By adapter: what a company's gateway wants besides the key. `$NAME` stands for the value
    of a variable of the environment, so that no secret need be written here."""


class SandboxSettings(Record, frozen=True, kw_only=True):
    """Where workers' commands run."""

    runtime: str = "auto"
    """`auto` takes the strongest that is ready."""
    memory_mb: Annotated[int, Meta(ge=64, le=65_536)] = 4096
    """Of all programs in a sandbox together."""
    disk_mb: Annotated[int, Meta(ge=16, le=65_536)] = 512
    cpus: Annotated[int, Meta(ge=1, le=1024)] | None = None
    """How many processors one sandbox may keep busy; null for as many as there are."""
    setup: tuple[str, ...] | None = None
    """Shell commands that install what the project needs, run once for its lock files; null for
    those that the lock files ask for, an empty list for none."""
    setup_allowed: bool = False
    """Whether `sandbox build` may run them over the network without asking a person."""


class ExecutorSettings(Record, frozen=True, kw_only=True):
    """The coding CLI of solo mode."""

    name: str = "claude-code"
    permission_mode: Literal["acceptEdits", "plan", "default"] = "acceptEdits"
    allowed_tools: tuple[str, ...] = ()
    allowed_commands: tuple[str, ...] = ()
    """Command lines that a model may run unasked where no sandbox holds them."""
    second_voice: bool = True
    """With a key, ask the model about instructions that no rule understands; it can only
    make the Runner more careful."""
    preferences: dict[str, str] = field(default_factory=dict)
    """Words of a question, and the answer it gets without asking a person."""


class GateSettings(Record, frozen=True, kw_only=True):
    """Gate commands that take the place of detected ones; absent means detect."""

    lint: tuple[str, ...] | None = None
    test: tuple[str, ...] | None = None
    build: tuple[str, ...] | None = None
    """Run only where an instruction asks for the build."""
    timeout_seconds: Seconds = 600


class PriceSettings(Record, frozen=True, kw_only=True):
    """What a model costs, in US dollars for a million tokens."""

    input: Annotated[float, Meta(ge=0)]
    output: Annotated[float, Meta(ge=0)]


class BudgetSettings(Record, frozen=True, kw_only=True):
    """What one run may use up, and all runs in a day; absent means that it is not limited."""

    tokens: Annotated[int, Meta(ge=1)] | None = None
    """Held by a stand-in where the executor does not count tokens."""
    usd: Annotated[float, Meta(ge=0.01)] | None = None
    turns: Annotated[int, Meta(ge=1)] | None = None
    """Answers of models, of all agents together."""
    minutes: Annotated[int, Meta(ge=1, le=10_080)] | None = None
    """Of work; gates are not counted."""
    tokens_per_day: Annotated[int, Meta(ge=1)] | None = None
    usd_per_day: Annotated[float, Meta(ge=0.01)] | None = None
    """Of all runs of the project; days are those of UTC."""
    prices: dict[str, PriceSettings] = field(default_factory=dict)
    """Of models by name, for those whose price is not known or is another one."""

    @property
    def limits_days(self) -> bool:
        """Whether what others have spent counts."""
        return self.tokens_per_day is not None or self.usd_per_day is not None


class UiSettings(Record, frozen=True, kw_only=True):
    """How results are shown."""

    summary_format: Literal["block", "plain"] = "block"
    """How the end of a task is summed up: in a block, or in lines for a script."""
    stream: Literal["full", "folded"] = "full"
    """What an executor says and does streams by, or is folded to one line."""


class Settings(Record, frozen=True, kw_only=True):
    """Our part of `.claude/settings.json`."""

    task_limits: TaskLimitSettings
    parallel_limits: ParallelLimits
    timeouts: Timeouts
    evidence_settings: EvidenceSettings
    company: CompanySettings = field(default_factory=CompanySettings)
    model_calls: ModelSettings = field(default_factory=ModelSettings)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    executor: ExecutorSettings = field(default_factory=ExecutorSettings)
    gates: GateSettings = field(default_factory=GateSettings)
    budgets: BudgetSettings = field(default_factory=BudgetSettings)
    ui: UiSettings = field(default_factory=UiSettings)


def default_settings() -> Settings:
    """What `init` writes: room for real work."""
    return Settings(
        task_limits=TaskLimitSettings(files=20, tests=50, seconds=900),
        parallel_limits=ParallelLimits(),
        timeouts=Timeouts(),
        evidence_settings=EvidenceSettings(),
    )
