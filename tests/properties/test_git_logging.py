"""Every git process leaves exactly one line, however it ends."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, strategies as st
from typing_extensions import override

from pm_orchestrator.adapters.git.command import Git, GitLogLine, isolated_environment
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import (
    Channel,
    Command,
    CommandResult,
    CommandRunner,
    ProcessWatcher,
)
from pm_orchestrator.testing.memory.fake_clock import FakeClock

Ending = CommandResult | PmError


class ScriptedEnd(CommandRunner):
    """Ends every command the way it is told, taking 7 ms."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.next: Ending | None = None
        self.seen: list[Command] = []

    @override
    async def run(self, command: Command) -> CommandResult:
        self.seen.append(command)
        self._clock.advance(0.007)
        assert self.next is not None
        if isinstance(self.next, PmError):
            raise self.next
        return self.next

    @override
    async def follow(self, command: Command, watcher: ProcessWatcher) -> CommandResult:
        raise NotImplementedError

    @override
    async def open(self, command: Command) -> Channel:
        raise NotImplementedError


# Anything an operating system takes as an argument: no NUL, and bytes that are no text.
arguments = st.lists(
    st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"])).map(
        lambda text: text.replace("é", "\udce9")
    ),
    min_size=1,
    max_size=4,
)
endings = st.one_of(
    st.builds(
        CommandResult,
        exit_code=st.one_of(st.none(), st.integers(-15, 255)),
        stdout=st.just(b""),
        stderr=st.binary(max_size=30),
        timed_out=st.booleans(),
        truncated=st.booleans(),
    ),
    st.just(PmError("program_not_started", program="git", reason="not there")),
)


@given(st.lists(st.tuples(arguments, endings), max_size=6))
async def test_one_line_per_operation(operations: list[tuple[list[str], Ending]]) -> None:
    """E-7 Git Operation Logging: each operation leaves one line with time, details and end."""
    clock = FakeClock()
    runner = ScriptedEnd(clock)
    log: list[str] = []

    async def sink(line: str) -> None:
        log.append(line)

    git = Git(runner, clock, sink, isolated_environment("/usr/bin"))
    for number, (words, ending) in enumerate(operations):
        runner.next = ending
        good = isinstance(ending, CommandResult) and (
            ending.exit_code == 0 and not ending.timed_out and not ending.truncated
        )
        if good:
            await git.run(Path("/somewhere"), *words)
        else:
            with pytest.raises(PmError):
                await git.run(Path("/somewhere"), *words)
        assert len(log) == number + 1
        line = msgspec.json.decode(log[-1], type=GitLogLine, strict=True)
        assert "\n" not in log[-1]
        assert line.argv == ("git", *(w.replace("\udce9", "\\xe9") for w in words))
        assert line.timestamp.endswith("Z")
        assert line.duration_ms in {6, 7}
        assert line.exit_code == (None if isinstance(ending, PmError) else ending.exit_code)
        assert (line.error == "") is good


async def test_a_line_is_left_when_the_work_is_cancelled() -> None:
    clock = FakeClock()
    log: list[str] = []

    class Cancelled(ScriptedEnd):
        @override
        async def run(self, command: Command) -> CommandResult:
            raise KeyboardInterrupt

    async def sink(line: str) -> None:
        log.append(line)

    git = Git(Cancelled(clock), clock, sink, isolated_environment("/usr/bin"))
    with pytest.raises(KeyboardInterrupt):
        await git.run(Path("/somewhere"), "fetch")
    assert msgspec.json.decode(log[0], type=GitLogLine).exit_code is None


async def test_nothing_of_the_caller_reaches_git() -> None:
    clock = FakeClock()
    runner = ScriptedEnd(clock)
    runner.next = CommandResult(exit_code=0, stdout=b"", stderr=b"")

    async def sink(line: str) -> None:
        del line

    await Git(runner, clock, sink, isolated_environment("/bin")).run(Path("/x"), "status")
    command = runner.seen[0]
    assert command.env["PATH"] == "/bin"
    assert command.env["GIT_CONFIG_GLOBAL"] == "/dev/null"
    assert command.env["GIT_ALLOW_PROTOCOL"] == "file"
    assert "core.hooksPath=/dev/null" in command.argv
    assert "core.fsmonitor=false" in command.argv
