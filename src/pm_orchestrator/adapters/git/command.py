"""Git on the host, with everything switched off that a repository can switch on.

A repository's own configuration can name programs: hooks, filters, monitors,
transports, drivers. Ours never run any of them: the environment is built from
nothing, no configuration outside the repository is read, and what the
repository itself may say is overruled on the command line. Every call leaves
one line in the run's `git.log`.
"""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from pm_orchestrator.adapters.git.trees import printable_path
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import Record, to_json
from pm_orchestrator.domain.setup.providers import VENDOR_KEYS
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.process import Command, CommandResult, CommandRunner

Sink = Callable[[str], Awaitable[None]]
"""Takes one line for `git.log`, masks it and keeps it."""

# A project that belongs to somebody else is fine: nothing it configures is run.
ANY_OWNER = {"safe.directory": "*"}
TIMEOUT_S = 300.0
OUTPUT_LIMIT = 64 * 1024**2
ERROR_TAIL = 2_000

OVERRULED: dict[str, str] = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.attributesFile": "/dev/null",
    "core.alternateRefsCommand": ":",  # run by a shell; this is the one that does nothing
    "core.pager": "cat",
    "protocol.version": "2",
    "protocol.ext.allow": "never",
    "transfer.fsckObjects": "true",
    "fetch.fsckObjects": "true",
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    "submodule.recurse": "false",
    "log.showSignature": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
# A call from inside somebody's git hook would otherwise work on that repository.
REPOSITORY_VARIABLES = frozenset(
    {
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_EXTERNAL_DIFF",
    }
)


class GitLogLine(Record, frozen=True, kw_only=True):
    """One line of `git.log`; the overruling settings, always the same, are left out."""

    timestamp: str
    repository: str
    argv: tuple[str, ...]
    exit_code: int | None
    """None when git was killed, or never started."""
    duration_ms: int
    error: str = ""


def isolated_environment(path: str) -> dict[str, str]:
    """An environment that brings no configuration, no identity and no credentials."""
    return {
        "PATH": path,
        "HOME": "/nonexistent",
        "XDG_CONFIG_HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_AUTHOR_NAME": "pm-orchestrator",
        "GIT_AUTHOR_EMAIL": "pm-orchestrator@localhost",
        "GIT_COMMITTER_NAME": "pm-orchestrator",
        "GIT_COMMITTER_EMAIL": "pm-orchestrator@localhost",
    }


def user_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The user's own environment, for talking to their remotes, without their repository.

    Their credentials for git stay; the keys of model vendors are none of git's business, and
    git hands its environment on to helpers and transports.
    """
    left_out = REPOSITORY_VARIABLES | VENDOR_KEYS
    kept = {k: v for k, v in environment.items() if k not in left_out}
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


class Git:
    """Runs git in a directory, logs it, and turns failure into E801."""

    def __init__(
        self, commands: CommandRunner, clock: Clock, sink: Sink, environment: Mapping[str, str]
    ) -> None:
        self._commands = commands
        self._clock = clock
        self._sink = sink
        self._environment = dict(environment)

    def seconds(self) -> int:
        """The time for what is written without git, in its own measure."""
        return int(self._clock.now().timestamp())

    async def run(
        self,
        where: Path,
        *arguments: str,
        accept: tuple[int, ...] = (0,),
        settings: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> CommandResult:
        """Run `git ARGUMENTS` in `where`.

        Raises:
            PmError: E801 for an exit code that is not in `accept`, a timeout, or more
                output than can be kept; E901 when git cannot be started.
        """
        command = Command(
            argv=("git", "--no-pager", *_settings({**OVERRULED, **(settings or {})}), *arguments),
            cwd=where,
            env={**self._environment, **(environment or {})},
            timeout_s=TIMEOUT_S,
            output_limit=OUTPUT_LIMIT,
            stdin=stdin,
        )
        started, timestamp = self._clock.monotonic(), iso(self._clock.now())
        exit_code, problem = None, "it did not end by itself"
        try:
            result = await self._commands.run(command)
            exit_code, problem = result.exit_code, _problem(result, accept)
        except PmError as error:
            problem = str(error)
            raise
        finally:
            line = GitLogLine(
                timestamp=timestamp,
                repository=printable_path(str(where)),
                argv=("git", *map(printable_path, arguments)),
                exit_code=exit_code,
                duration_ms=int((self._clock.monotonic() - started) * 1000),
                error=problem or "",
            )
            await self._sink(to_json(line).decode())
        if problem is not None:
            raise PmError("git_failed", operation=arguments[0], reason=problem)
        return result


def _settings(settings: Mapping[str, str]) -> list[str]:
    return [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]


def _problem(result: CommandResult, accept: tuple[int, ...]) -> str | None:
    if result.timed_out or result.exit_code is None:
        return f"it was stopped after {TIMEOUT_S:.0f} s"
    if result.exit_code not in accept:
        tail = result.stderr[-ERROR_TAIL:].decode("utf-8", "replace").strip()
        return tail or f"exit code {result.exit_code}"
    if result.truncated:
        return f"it printed more than {OUTPUT_LIMIT} bytes"
    return None
