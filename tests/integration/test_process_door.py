"""The door for child processes, with real children: what comes out of them."""

import asyncio
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import psutil
import pytest
from typing_extensions import override

from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Command, CommandResult, ProcessWatcher, Say
from pm_orchestrator.testing.programs.traces import living, unique_sleep

PATH = "/usr/bin:/bin"


@pytest.fixture(params=["supervised", "trusted"])
def commands(request: pytest.FixtureRequest) -> LocalCommands:
    """Both doors keep the same contract."""
    supervising = LocalCommands(kill_grace_s=0.2)
    return supervising if request.param == "supervised" else supervising.trusted()


@pytest.fixture
def open_files() -> Iterator[None]:
    before = len(list(Path("/proc/self/fd").iterdir()))
    yield
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 2, "descriptors were leaked"


def shell(script: str, *, timeout_s: float = 20.0, output_limit: int = 100_000) -> Command:
    return Command(
        argv=("sh", "-c", script),
        cwd=Path("/"),
        env={"PATH": PATH},
        timeout_s=timeout_s,
        output_limit=output_limit,
    )


async def test_output_and_exit_code_arrive_separately(commands: LocalCommands) -> None:
    result = await commands.run(shell("echo out; echo err >&2; exit 7"))
    assert (result.exit_code, result.stdout, result.stderr) == (7, b"out\n", b"err\n")
    assert not (result.timed_out)
    assert not (result.truncated)
    assert not (result.held)


async def test_a_program_killed_by_a_signal_has_a_negative_code(commands: LocalCommands) -> None:
    assert (await commands.run(shell("kill -KILL $$"))).exit_code == -9


async def test_nothing_of_our_environment_is_inherited(
    commands: LocalCommands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PM_SECRET", "leaked")
    command = Command(argv=("env",), cwd=Path("/"), env={"PATH": PATH, "ONLY": "this"})
    lines = sorted((await commands.run(command)).stdout.decode().split())
    assert lines == ["ONLY=this", f"PATH={PATH}"]


async def test_no_descriptor_but_the_three_reaches_the_child(commands: LocalCommands) -> None:
    inherited = os.dup(2)
    os.set_inheritable(inherited, True)
    try:
        result = await commands.run(shell("ls /proc/$$/fd"))
    finally:
        os.close(inherited)
    assert result.stdout.split() == [b"0", b"1", b"2"]


class Spoken(ProcessWatcher):
    """Answers each line that ends with a question mark, and has a last word."""

    def __init__(self, *answers: bytes) -> None:
        self._answers = list(answers)
        self._say: Say = self._answers.append

    @property
    @override
    def speaks(self) -> bool:
        return True

    @override
    def may_speak(self, say: Say) -> None:
        self._say = say

    @override
    def output(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        for _ in range(data.count(b"?")):
            self._say(self._answers.pop(0))

    @override
    def patience(self, waits_for_input: Callable[[], bool]) -> float:
        return 10.0


async def test_a_child_is_answered_while_it_runs(commands: LocalCommands, open_files: None) -> None:
    watcher = Spoken(b"first\n", b"second\n")
    ended = await commands.follow(
        shell("echo one?; read a; echo two?; read b; echo $b $a"), watcher
    )
    assert (ended.exit_code, ended.stdout.split()[-2:]) == (0, [b"second", b"first"])


async def test_a_child_may_stop_reading_what_it_is_told(commands: LocalCommands) -> None:
    watcher = Spoken(b"x" * 3_000_000, b"more", b"")
    ended = await commands.follow(shell("echo a?; exec 0<&-; sleep 0.1; echo b? c?"), watcher)
    assert ended.exit_code == 0


async def test_the_last_word_ends_its_input(commands: LocalCommands) -> None:
    watcher = Spoken(b"x" * 3_000_000, b"", b"unheard")
    ended = await commands.follow(shell("echo a? b? c?; wc -c"), watcher)
    assert (ended.exit_code, ended.stdout.split()[-1]) == (0, b"3000000")


async def test_nothing_it_starts_can_answer_in_its_place(commands: LocalCommands) -> None:
    watcher = Spoken(b"ours\n")
    forges = "(echo forged > /proc/$$/fd/0) 2>/dev/null; echo a?; read line; echo $line"
    ended = await commands.follow(shell(forges), watcher)
    assert ended.stdout.split()[-1] == b"ours"


async def test_stdin_is_empty(commands: LocalCommands) -> None:
    assert (await commands.run(shell("wc -c"))).stdout.strip() == b"0"


@pytest.mark.parametrize("data", [b"two\nlines", b"\0\xff" * 200_000])
async def test_stdin_holds_what_is_given_and_then_ends(
    commands: LocalCommands, open_files: None, data: bytes
) -> None:
    command = Command(
        argv=("cat",), cwd=Path("/"), env={"PATH": PATH}, stdin=data, output_limit=len(data)
    )
    assert (await commands.run(command)).stdout == data


async def test_the_child_leads_its_own_session_in_the_wanted_directory(
    commands: LocalCommands, tmp_path: Path
) -> None:
    command = Command(
        argv=(sys.executable, "-c", "import os; print(os.getsid(0) == os.getpid(), os.getcwd())"),
        cwd=tmp_path,
        env={},
    )
    assert (await commands.run(command)).stdout.decode().split() == ["True", str(tmp_path)]


async def test_output_that_is_not_text_comes_through_unchanged(commands: LocalCommands) -> None:
    result = await commands.run(shell(r"printf '\377\376\000\200ok'"))
    assert result.stdout == b"\xff\xfe\x00\x80ok"


async def test_arguments_that_are_not_text_reach_the_child(commands: LocalCommands) -> None:
    odd = os.fsdecode(b"\xff\xfe")
    command = Command(argv=("printf", "%s", odd), cwd=Path("/"), env={"PATH": PATH})
    assert (await commands.run(command)).stdout == b"\xff\xfe"


async def test_a_flood_keeps_the_beginning_and_costs_no_memory(commands: LocalCommands) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = await commands.run(
        shell("echo begin; head -c 200000000 /dev/zero; echo end >&2", output_limit=1000)
    )
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert result.exit_code == 0
    assert result.truncated
    assert len(result.stdout) == 1000
    assert result.stdout.startswith(b"begin\n")
    assert result.stderr == b"end\n"
    assert grown_kib < 20_000


async def test_exactly_the_limit_is_not_truncated(commands: LocalCommands) -> None:
    result = await commands.run(shell("head -c 1000 /dev/zero", output_limit=1000))
    assert (len(result.stdout), result.truncated) == (1000, False)


@pytest.mark.parametrize(
    ("argv", "cwd", "reason"),
    [
        (("pm-no-such-program",), "/", "No such file"),
        (("/etc/passwd",), "/", "Permission denied"),
        (("/",), "/", "Permission denied"),
        (("true",), "/pm-no-such-directory", "working directory"),
        (("nul\0byte",), "/", "null byte"),
    ],
)
async def test_what_cannot_start_is_e901(
    commands: LocalCommands, argv: tuple[str, ...], cwd: str, reason: str
) -> None:
    command = Command(argv=argv, cwd=Path(cwd), env={"PATH": PATH})
    with pytest.raises(PmError, match="E901") as refused:
        await commands.run(command)
    assert reason in str(refused.value.params["reason"])
    with pytest.raises(PmError, match="E901"):
        await commands.open(command)


async def test_the_working_directory_is_never_searched(
    commands: LocalCommands, tmp_path: Path
) -> None:
    planted = tmp_path / "git"
    planted.write_text("#!/bin/sh\necho planted\n", "utf-8")
    planted.chmod(0o755)
    command = Command(argv=("git",), cwd=tmp_path, env={"PATH": ":/pm-no-such-directory"})
    with pytest.raises(PmError, match="E901"):
        await commands.run(command)


async def test_many_at_once_keep_apart(commands: LocalCommands, open_files: None) -> None:
    async def numbered(number: int) -> CommandResult:
        # Every other one is killed; its neighbours must not notice.
        script = "sleep 60" if number % 2 else f"setsid sleep 0.3; echo {number}"
        return await commands.run(shell(script, timeout_s=0.1 if number % 2 else 20))

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(numbered(number)) for number in range(24)]
    for number, task in enumerate(tasks):
        result = task.result()
        if number % 2:
            assert result.timed_out
        else:
            assert (result.exit_code, result.stdout) == (0, f"{number}\n".encode())


async def test_a_dead_zygote_is_replaced(commands: LocalCommands) -> None:
    before = psutil.Process().children()
    await commands.run(shell("true"))
    (zygote,) = set(psutil.Process().children()) - set(before)
    zygote.kill()
    # Dead, and left for its owner to bury.
    await asyncio.to_thread(os.waitid, os.P_PID, zygote.pid, os.WEXITED | os.WNOWAIT)
    assert (await commands.run(shell("echo again"))).stdout == b"again\n"


async def test_a_channel_carries_bytes_both_ways(commands: LocalCommands) -> None:
    channel = await commands.open(shell("echo ready >&2; exec cat"))
    data = os.urandom(3_000_000)
    channel.write(data)
    assert await channel.read_exactly(len(data)) == data
    await channel.drain()
    assert channel.stderr_tail() == "ready\n"
    assert await channel.close() == 0
    assert await channel.close() == 0


async def test_a_channel_ends_with_its_child(commands: LocalCommands) -> None:
    channel = await commands.open(shell("printf abc; exit 5"))
    with pytest.raises(asyncio.IncompleteReadError):
        await channel.read_exactly(4)
    assert await channel.close() == 5


async def test_closing_a_channel_kills_a_child_that_does_not_listen(
    commands: LocalCommands,
) -> None:
    mark = unique_sleep()
    channel = await commands.open(shell(f"trap '' TERM; setsid sleep {mark} & sleep {mark}"))
    begun = time.monotonic()
    assert await channel.close(grace_s=0.1) is None
    assert time.monotonic() - begun < 3
    assert living(mark) == []


async def test_the_tail_of_stderr_is_bounded(commands: LocalCommands) -> None:
    channel = await commands.open(shell("head -c 1000000 /dev/zero >&2; echo last >&2"))
    with pytest.raises(asyncio.IncompleteReadError):
        await channel.read_exactly(1)
    await channel.close()
    assert len(channel.stderr_tail()) <= 8192
    assert channel.stderr_tail().endswith("last\n")
