"""Commands of an agent: what is shown of them, and those that go on in the background."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from typing_extensions import override

from pm_orchestrator.agents.tools import commands
from pm_orchestrator.agents.tools.toolbox import Toolbox
from pm_orchestrator.domain.company.model_conversation import ToolCall, ToolResult
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import CommandResult, ProcessWatcher
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_sandbox import MemorySandbox, succeed

TICKET = "20260115-ab12-01"


def toolbox(sandbox: MemorySandbox) -> Toolbox:
    return Toolbox(sandbox, TICKET, FakeClock())


async def use(box: Toolbox, name: str, **arguments: Any) -> ToolResult:
    return await box.call(ToolCall(id="c1", name=name, arguments=arguments))


async def call(sandbox: MemorySandbox, name: str, **arguments: Any) -> ToolResult:
    return await use(toolbox(sandbox), name, **arguments)


async def test_a_long_output_keeps_both_ends_and_the_lines_that_matter() -> None:
    lines = [f"step {number} is fine and says so at some length" for number in range(7_000)]
    lines[3_000] = "AssertionError: 41 != 42"
    output = "first\n" + "\n".join(lines) + "\nthe end\n"
    box = toolbox(
        MemorySandbox(lambda _: CommandResult(exit_code=2, stdout=output.encode(), stderr=b""))
    )
    failed = await box.call(
        ToolCall(id="1", name="run_command", arguments={"command": "make test"})
    )
    assert len(output) > 300_000
    assert failed.content.startswith("exit code 2\nfirst\nstep 0 is")
    assert failed.content.endswith("the end")
    assert "  3002\tAssertionError: 41 != 42" in failed.content
    assert len(failed.content) < 20_000
    shown = failed.content.split("\n")
    note = next(line for line in shown if "characters left out here" in line)
    left_out = int(note.split()[0].lstrip("["))
    assert len(output) - left_out < 17_000
    # What was left out can be asked for.
    asked = {"id": "c1", "start_line": 3_000, "lines": 3}
    part = await box.call(ToolCall(id="2", name="command_output", arguments=asked))
    assert [line.split("\t")[0].strip() for line in part.content.split("\n")[:3]] == [
        "3000",
        "3001",
        "3002",
    ]
    assert part.content.endswith("[4000 more; go on with start_line=3003]")
    found = {"id": "c1", "containing": "!= 42"}
    part = await box.call(ToolCall(id="3", name="command_output", arguments=found))
    assert part.content == "  3002\tAssertionError: 41 != 42"


async def test_one_endless_word_is_cut_as_well() -> None:
    sandbox = MemorySandbox(lambda _: succeed(b"x" * 50_000 + b"the end"))
    result = await call(sandbox, "run_command", command="yes")
    assert result.content.startswith("xxx")
    assert result.content.endswith("the end")
    assert len(result.content) < 17_000


async def test_a_cut_never_leaves_half_of_a_word() -> None:
    words = " ".join(f"key{number:05}abc" for number in range(5_000))
    sandbox = MemorySandbox(lambda _: succeed(words.encode()))
    result = await call(sandbox, "run_command", command="show")
    whole = set(words.split())
    beginning, _, end = result.content.partition("\n[")
    assert set(beginning.split()) <= whole
    assert set(end.partition("]\n")[2].split()) <= whole


async def test_colours_and_what_was_overwritten_are_no_output() -> None:
    raw = b"\x1b[32mgreen\x1b[0m\r\n 10%\r 50%\r100% done\nlast\r\n"
    result = await call(MemorySandbox(lambda _: succeed(raw)), "run_command", command="x")
    assert result.content == "green\n100% done\nlast"


async def test_an_interactive_command_is_refused_and_noted() -> None:
    noted: list[str] = []

    async def note(line: str) -> None:
        noted.append(line)

    sandbox = MemorySandbox()
    box = Toolbox(sandbox, TICKET, FakeClock(), refused=note)
    given = {"command": "sudo vim a.py"}
    result = await box.call(ToolCall(id="1", name="run_command", arguments=given))
    assert result.is_error
    assert "edit_file" in result.content
    assert sandbox.commands == []
    assert noted[0].startswith("sudo vim a.py (not run")


class EndlessSandbox(MemorySandbox):
    """Its commands write what they are told to, and end when they are told to."""

    def __init__(self) -> None:
        super().__init__()
        self.watchers: list[ProcessWatcher] = []
        self.ending = asyncio.Event()
        self.failure: PmError | None = None
        self.cancelled = 0

    @override
    async def follow(
        self,
        argv: tuple[str, ...],
        watcher: ProcessWatcher,
        *,
        timeout_s: float,
        output_limit: int = 0,
        variables: Mapping[str, str] | None = None,
    ) -> CommandResult:
        self.commands.append(argv)
        self.watchers.append(watcher)
        try:
            # Asked again and again, as by every pair of hands.
            while not self.ending.is_set() and watcher.patience(lambda: False) > 0:  # noqa: ASYNC110
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.failure is not None:
            raise self.failure
        ended = watcher.patience(lambda: False) <= 0
        return CommandResult(exit_code=None if ended else 3, stdout=b"", stderr=b"")


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> EndlessSandbox:
    monkeypatch.setattr(commands, "FIRST_LOOK_S", 0.0)
    return EndlessSandbox()


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(0)


async def test_a_server_is_left_running_and_can_be_watched_and_stopped(
    endless: EndlessSandbox,
) -> None:
    """E-14 Server Command Background Execution: an id is given, and the command goes on."""
    box = toolbox(endless)
    started = await use(box, "run_command", command="npm run dev")
    assert not started.is_error
    assert started.content.startswith("c1 is running (0 s): npm run dev\n(no output)")
    await until(lambda: bool(endless.watchers))
    assert endless.commands == [("sh", "-c", "exec 2>&1; npm run dev\nwait")]
    endless.watchers[0].output("stdout", b"starting\n")
    endless.watchers[0].output("stderr", b"listening on 3000\n")
    seen = await use(box, "command_output", id="c1", containing="listening", wait_seconds=60)
    assert seen.content.endswith("     2\tlistening on 3000")
    other = await use(box, "run_command", command="tail -f log", background=True)
    assert other.content.startswith("c2 is running")
    stopped = await use(box, "stop_command", id="c1")
    assert stopped.content.startswith("c1 was stopped")
    assert "listening on 3000" in stopped.content
    await box.close()
    assert endless.cancelled == 1


async def test_whoever_waits_for_an_end_hears_of_it(endless: EndlessSandbox) -> None:
    box = toolbox(endless)
    await use(box, "run_command", command="make all", background=True)
    asked = {"id": "c1", "wait_seconds": 300}
    waiting = asyncio.create_task(use(box, "command_output", **asked))
    await until(lambda: bool(endless.watchers))
    endless.watchers[0].output("stdout", b"half\n")
    await asyncio.sleep(0)
    assert not waiting.done()
    endless.ending.set()
    assert (await waiting).content.startswith("c1 ended with exit code 3 (0 s): make all\nhalf")
    await box.close()


async def test_a_wait_has_an_end(endless: EndlessSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    box = toolbox(endless)
    await use(box, "run_command", command="make all", background=True)
    shown = await box._commands.status("c1", wait_s=0.01)
    assert shown.startswith("c1 is running")
    await box.close()
    assert (await use(box, "command_output", id="c1")).content.startswith("c1 was stopped")


async def test_what_ends_a_command_in_the_background_is_told(endless: EndlessSandbox) -> None:
    box = toolbox(endless)
    await use(box, "run_command", command="make all", background=True)
    endless.failure = PmError("sandbox_gone", reason="killed")
    endless.ending.set()
    told = await use(box, "command_output", id="c1", wait_seconds=60)
    assert told.content.startswith("c1 could not go on: ")
    await box.close()


async def test_only_so_many_run_at_once_and_outputs_are_forgotten(
    endless: EndlessSandbox,
) -> None:
    box = toolbox(endless)
    for _ in range(commands.MOST_RUNNING):
        assert not (await use(box, "run_command", command="npm start")).is_error
    full = await use(box, "run_command", command="npm start")
    assert full.is_error
    assert "stop_command one of them" in full.content
    endless.ending.set()
    for number in range(commands.MOST_RUNNING):
        await use(box, "command_output", id=f"c{number + 1}", wait_seconds=60)
    for _ in range(commands.KEPT_OUTPUTS):
        await use(box, "run_command", command="false")
    assert "there are c9" in (await use(box, "command_output", id="c1")).content
    assert (await use(box, "command_output", id="c9", start_line=7)).is_error
    await box.close()


async def test_a_flood_is_ended_and_both_its_ends_are_kept(
    endless: EndlessSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, size in (("KEPT_BEGINNING", 100), ("KEPT_END", 100), ("FLOOD", 10_000)):
        monkeypatch.setattr(commands, name, size)
    box = toolbox(endless)
    running = asyncio.create_task(use(box, "run_command", command="yes"))
    await until(lambda: bool(endless.watchers))
    endless.watchers[0].output("stdout", b"begins\n" + b"y\n" * 6_000)
    endless.watchers[0].output("stdout", b"ends\n")
    ended = await running
    assert ended.is_error
    assert ended.content.startswith("stopped: it wrote more than 0 MiB\nbegins\ny")
    assert "bytes were not kept]" in ended.content
    assert ended.content.endswith("ends")
    await box.close()


async def test_what_a_command_left_running_is_told() -> None:
    def programs(_: tuple[str, ...]) -> CommandResult:
        return CommandResult(exit_code=0, stdout=b"ok\n", stderr=b"", held=True)

    result = await call(MemorySandbox(programs), "run_command", command="./start & sleep 1")
    assert result.content.startswith("ok\n[what it left running was ended with it")


async def test_of_many_failures_the_first_and_the_last_are_shown() -> None:
    lines = [f"error {number} {'of some length ' * 8}" for number in range(1_000)]
    bad = CommandResult(exit_code=1, stdout="\n".join(lines).encode(), stderr=b"")
    result = await call(MemorySandbox(lambda _: bad), "run_command", command="make")
    shown = result.content.partition("[of these lines:]\n")[2].partition("\n[then:]")[0]
    numbers = [int(line.split("\t")[0]) for line in shown.split("\n")]
    assert len(numbers) == 24
    assert numbers[:8] == list(range(numbers[0], numbers[0] + 8))
    assert numbers[8:] == list(range(numbers[8], numbers[8] + 16))
    assert numbers[8] > numbers[7] + 500
