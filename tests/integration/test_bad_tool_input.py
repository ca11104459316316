"""What a model may come up with, against a real sandbox: it gets a short answer, and goes on.

Nothing here may end the attempt, hang, or leave a sandbox in which nothing works any more.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.agents.tools.toolbox import LONGEST_RESULT, Toolbox
from pm_orchestrator.domain.company.model_conversation import ToolCall, ToolResult
from pm_orchestrator.ports.sandbox import Sandbox, SandboxSpec
from pm_orchestrator.testing.programs.traces import living, unique_sleep

pytestmark = [pytest.mark.black_box, pytest.mark.timeout(120)]

MIB = 1024**2


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    runtime = BwrapRuntime(
        LocalCommands(kill_grace_s=0.2), search_path="/usr/bin:/bin", kill_grace_s=0.2
    )
    opened = await runtime.open(SandboxSpec(name="bad", disk_bytes=64 * MIB))
    yield opened
    await opened.close()


@pytest.fixture
async def box(sandbox: Sandbox) -> AsyncIterator[Toolbox]:
    made = Toolbox(sandbox, "20260115-ab12-01", SystemClock())
    yield made
    await made.close()


async def use(box: Toolbox, name: str, **arguments: Any) -> ToolResult:
    result = await box.call(ToolCall(id="c1", name=name, arguments=arguments))
    assert result.content.strip(), "an empty answer says nothing"
    assert len(result.content) <= LONGEST_RESULT
    return result


async def still_works(box: Toolbox) -> None:
    assert (await use(box, "run_command", command="echo on")).content == "on"
    await use(box, "write_file", path="after.txt", content="after\n")
    assert (await use(box, "read_file", path="after.txt")).content.startswith("     1\tafter")
    assert "after.txt" in (await use(box, "list_directory")).content


def long(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.long)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("kill -9 -1; echo alive", "ended together with whoever looked after it"),
        long("kill -9 $PPID", "ended together"),
        long("kill -9 $$", "exit code -9"),
        long("kill -STOP $PPID; echo stopped", "stopped"),
        long("kill -STOP -1; echo stopped", "stopped"),
        long("kill -STOP $$", "stopped after 2 s"),
        long("kill -KILL 1; kill -STOP 1; echo tried", "tried"),
        long('read line; echo "got $line"; cat; exec </dev/tty', "got"),
        long("python3 -c 'input()'", "EOFError"),
        long("yes", "more than 256 MiB"),
        long("yes | tr -d '\\n'", "more than 256 MiB"),
        long("cat /dev/urandom", "more than 256 MiB"),
        long("b(){ b|b & }; b; echo done", "fork"),
        long("python3 -c 'x = bytearray(9 * 1024**3)'", "MemoryError"),
        long("head -c 200000000 /dev/zero > full; rm full; exit 3", "No space left"),
        long("chmod 0 . && echo closed", "closed"),
        long("rm -rf ./* ./.??* && echo empty", "empty"),
        long("ulimit -f 0; ulimit -n 3; exec sh -c 'echo x > y'", "exit code"),
        long("printf 'a\\r'; head -c 3000000 /dev/zero | tr '\\0' x", "left out"),
        long("exec 1>&- 2>&-; echo nobody hears", "exit code"),
        long("printf '\\033[2J\\007\\000\\377'", "\0"),
    ],
)
async def test_a_command_that_turns_on_what_is_around_it(
    box: Toolbox, command: str, said: str
) -> None:
    result = await use(
        box, "run_command", command=command, timeout_seconds=30 if "256" in said else 2
    )
    assert said in result.content
    await still_works(box)


@pytest.mark.long
async def test_what_detaches_itself_is_ended_with_its_command(box: Toolbox) -> None:
    mark = unique_sleep()
    line = f"setsid sh -c 'sleep {mark}' & (setsid nohup sleep {mark} >/dev/null 2>&1 &); echo ok"
    result = await use(box, "run_command", command=line)
    assert "what it left running was ended with it" in result.content
    assert living(mark) == []
    await still_works(box)


@pytest.mark.long
async def test_commands_that_ran_beside_a_massacre_are_told_as_ended(box: Toolbox) -> None:
    await use(box, "run_command", command="sleep 600", background=True)
    await use(box, "run_command", command="kill -9 -1")
    told = await use(box, "command_output", id="c1", wait_seconds=10)
    assert "was stopped" in told.content
    await still_works(box)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("run_command", {"command": "x" * 10 * MIB}, "write it in pieces"),
        ("run_command", {"command": "echo " + "あ" * 300_000}, "write it to a file"),
        long("run_command", {"command": "echo a\0b"}, "null byte"),
        long("run_command", {"command": ["ls"]}, "run_command takes command"),
        long("run_command", {"command": "ls", "timeout_seconds": -1}, "timeout_seconds"),
        long("run_command", {}, "run_command takes command"),
        long("no_such_tool" * 50, {}, "use read_file"),
        long("write_file", {"path": "a\0b", "content": "x"}, "null byte"),
        long("write_file", {"path": "d/" * 50_000 + "f", "content": "x"}, "is no path"),
        long("write_file", {"path": "n" * 300, "content": "x"}, "too long"),
        long("write_file", {"path": "f", "content": {"a": 1}}, "write_file takes path"),
        long("read_file", {"path": "p" * 900_000}, "is no path"),
        long("read_file", {"path": ""}, "not a file"),
        long("search_files", {"pattern": "x" * 900_000}, "too long"),
        long("search_files", {"pattern": "(" * 5_000}, "("),
        long("git_commit", {"message": "m" * 900_000}, ""),
        long("git_diff", {"since": "--output=/workspace/x"}, "is no commit"),
        long("command_output", {"id": "c" * 100_000}, "no output of a command"),
        long("edit_file", {"path": "f", "edits": [{"old": "", "new": "x" * 900_000}]}, ""),
    ],
)
async def test_arguments_out_of_all_measure(
    box: Toolbox, name: str, arguments: dict[str, Any], said: str
) -> None:
    await use(box, "write_file", path="f", content="x\n")
    await use(box, "run_command", command="git init -q .")
    result = await use(box, name, **arguments)
    assert said in result.content.lower() or said in result.content
    assert len(result.content) < 2_000
    await still_works(box)


@pytest.mark.long
@pytest.mark.parametrize(
    ("made", "path"),
    [
        ("mkfifo odd", "odd"),
        ("python3 -c \"import socket; socket.socket(1).bind('odd')\"", "odd"),
        ("truncate -s 4G odd", "odd"),
        ("head -c 3000000 /dev/urandom > odd", "odd"),
        ("printf 'a\\0b' > odd", "odd"),
        ("ln -s odd odd", "odd"),
        ("ln -s /dev/zero odd", "odd"),
        ("mkdir odd", "odd"),
        ("printf x > odd; chmod 0 odd", "odd"),
        ("printf x > \"$(printf 'o\\ndd')\"", "o\\x0add"),
        ("printf x > \"$(printf 'o\\351dd')\"", "o\\xe9dd"),
        ("head -c 3000000 /dev/zero | tr '\\0' x > odd", "odd"),
        ("mkdir odd; cd odd; for n in $(seq 3000); do : > n$n; done", "odd"),
    ],
)
async def test_every_tool_has_an_answer_for_odd_files(box: Toolbox, made: str, path: str) -> None:
    await use(box, "run_command", command=f"git init -q .; {made}")
    for name, arguments in (
        ("read_file", {}),
        ("list_directory", {}),
        ("search_files", {"pattern": "x"}),
        ("edit_file", {"edits": [{"old": "x", "new": "y"}]}),
        ("write_file", {"content": "z", "append": True}),
        ("git_diff", {}),
    ):
        await use(box, name, path=path, **arguments)
    await use(box, "search_files", pattern="x")
    await use(box, "git_status")
    await use(box, "git_commit", message="All of it")
    await use(box, "write_file", path=path, content="plain\n")
    await still_works(box)


async def test_a_huge_file_is_in_nobodys_way(box: Toolbox) -> None:
    made = "git init -q .; truncate -s 4G huge; echo needle > small.txt"
    await use(box, "run_command", command=made)
    found = await use(box, "search_files", pattern="needle")
    assert found.content == "small.txt:1:needle"
    committed = await use(box, "git_commit", message="All of it")
    assert committed.content.startswith("committed ")
    assert committed.content.endswith("too large for that: 'huge'")
