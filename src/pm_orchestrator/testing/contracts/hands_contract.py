"""What every pair of hands must do, in the user's directory or in a sandbox.

A conformance test subclasses `HandsContract` and gives the `hands` fixture; the
contract of sandboxes builds on it. Leftovers are found from the host by a mark.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Literal

import pytest
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.hands import Hands
from pm_orchestrator.ports.process import ProcessWatcher
from pm_orchestrator.testing.programs.traces import living, unique_sleep, wait_until_living


class Listening(ProcessWatcher):
    """Hears everything, and is patient until it has heard `until` or its time is over."""

    def __init__(self, until: bytes | None = None, seconds: float = 30.0) -> None:
        self._until = until
        self._ends = time.monotonic() + seconds
        self.heard: dict[str, bytes] = {"stdout": b"", "stderr": b""}
        self.moments: list[float] = []

    @override
    def output(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        self.heard[stream] += data
        self.moments.append(time.monotonic())

    @override
    def patience(self, waits_for_input: Callable[[], bool]) -> float:
        if self._until is not None and self._until in self.heard["stdout"]:
            return 0.0
        return self._ends - time.monotonic()


class HandsContract:
    """Subclass it and override `hands`."""

    @pytest.fixture
    def hands(self) -> Hands:
        raise NotImplementedError

    async def test_programs_run_at_the_root(self, hands: Hands) -> None:
        assert (await hands.run(("pwd", "-P"))).stdout.decode().strip() == hands.root

    async def test_output_and_exit_code_arrive(self, hands: Hands) -> None:
        result = await hands.run(("sh", "-c", "echo out; echo err >&2; exit 7"))
        assert (result.exit_code, result.stdout, result.stderr) == (7, b"out\n", b"err\n")
        assert not (result.timed_out)
        assert not (result.truncated)
        assert not (result.held)

    async def test_bytes_survive_the_round_trip(self, hands: Hands) -> None:
        data = bytes(range(256)) * 3
        await hands.write_file("a b/ü/data.bin", data)
        assert await hands.read_file("a b/ü/data.bin") == data
        assert (await hands.run(("cat", "a b/ü/data.bin"))).stdout == data

    async def test_writing_replaces_as_a_whole_and_keeps_the_mode(self, hands: Hands) -> None:
        await hands.write_file("tool", b"#!/bin/sh\necho one\n# longer than its successor\n")
        await hands.run(("chmod", "755", "tool"))
        await hands.write_file("tool", b"#!/bin/sh\necho two\n")
        assert (await hands.run(("./tool",))).stdout == b"two\n"
        assert [entry.name for entry in await hands.list_directory(".")] == ["tool"]

    async def test_a_directory_is_listed(self, hands: Hands) -> None:
        await hands.write_file("d/file", b"12345")
        await hands.run(("sh", "-c", "cd d && mkdir sub && ln -s file link && mkfifo pipe"))
        found = [(e.name, e.kind) for e in await hands.list_directory("d")]
        kinds = [("file", "file"), ("link", "link"), ("pipe", "other"), ("sub", "directory")]
        assert found == kinds
        assert (await hands.list_directory("d"))[0].size == 5

    async def test_links_inside_the_workspace_work(self, hands: Hands) -> None:
        await hands.write_file("real/file", b"text")
        await hands.run(("sh", "-c", "mkdir deep; ln -s ../real/file deep/link; ln -s real also"))
        assert await hands.read_file("deep/link") == b"text"
        await hands.write_file("deep/link", b"new")
        assert await hands.read_file("also/file") == b"new"

    @pytest.mark.parametrize("path", ["missing", "folder", "pipe", "loop", "big", "nul\0"])
    async def test_what_cannot_be_read_is_refused(self, hands: Hands, path: str) -> None:
        script = "mkdir folder; mkfifo pipe; ln -s loop loop; head -c 101 /dev/zero > big"
        await hands.run(("sh", "-c", script))
        with pytest.raises(PmError, match="E703"):
            await hands.read_file(path, limit=100)

    async def test_a_missing_program_is_e901(self, hands: Hands) -> None:
        with pytest.raises(PmError, match="E901"):
            await hands.run(("pm-no-such-program",))

    async def test_a_timeout_takes_the_whole_tree(self, hands: Hands) -> None:
        mark = unique_sleep()
        script = f"trap '' TERM; env -i /usr/bin/setsid sleep {mark} & sleep {mark}"
        result = await hands.run(("sh", "-c", script), timeout_s=0.3)
        assert (result.exit_code, result.timed_out) == (None, True)
        assert living(mark) == []

    async def test_what_outlives_a_command_is_swept(self, hands: Hands) -> None:
        mark = unique_sleep()
        script = f"env -i /usr/bin/setsid sleep {mark} & echo done"
        result = await hands.run(("sh", "-c", script))
        assert (result.exit_code, result.stdout, result.held) == (0, b"done\n", True)
        assert living(mark) == []

    async def test_cancelling_a_command_takes_its_tree(self, hands: Hands) -> None:
        mark = unique_sleep()
        task = asyncio.create_task(hands.run(("sh", "-c", f"setsid sleep {mark} & wait")))
        await asyncio.to_thread(wait_until_living, mark)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert living(mark) == []
        assert (await hands.run(("echo", "fine"))).stdout == b"fine\n"

    async def test_a_flood_is_bounded_and_others_go_on(self, hands: Hands) -> None:
        flood = asyncio.create_task(
            hands.run(("head", "-c", "100000000", "/dev/zero"), output_limit=1000)
        )
        assert (await hands.run(("echo", "meanwhile"))).stdout == b"meanwhile\n"
        result = await flood
        assert (result.exit_code, len(result.stdout), result.truncated) == (0, 1000, True)

    async def test_many_requests_at_once(self, hands: Hands) -> None:
        async def one(number: int) -> bytes:
            await hands.write_file(f"n/{number}", str(number).encode())
            return (await hands.run(("cat", f"n/{number}"))).stdout

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(number)) for number in range(80)]
        assert [task.result() for task in tasks] == [str(n).encode() for n in range(80)]

    async def test_a_follower_hears_output_as_it_comes(self, hands: Hands) -> None:
        listening = Listening()
        script = "echo one; sleep 0.7; echo two; echo err >&2; exit 3"
        result = await hands.follow(("sh", "-c", script), listening, timeout_s=20)
        assert (result.exit_code, result.ended_with) == (3, None)
        assert listening.heard == {"stdout": b"one\ntwo\n", "stderr": b"err\n"}
        assert listening.moments[-1] - listening.moments[0] > 0.4

    async def test_a_follower_hears_all_of_a_flood_and_keeps_what_it_may(
        self, hands: Hands
    ) -> None:
        listening = Listening()
        flood = ("head", "-c", "3000000", "/dev/zero")
        result = await hands.follow(flood, listening, timeout_s=20, output_limit=10)
        assert len(listening.heard["stdout"]) == 3_000_000
        assert (result.stdout, result.truncated) == (bytes(10), True)

    async def test_variables_come_on_top(self, hands: Hands) -> None:
        listening = Listening()
        script = 'echo "$MARK"; test -n "$PATH"'
        given = {"MARK": "a b=c"}
        result = await hands.follow(("sh", "-c", script), listening, timeout_s=20, variables=given)
        assert (listening.heard["stdout"], result.exit_code) == (b"a b=c\n", 0)

    @pytest.mark.parametrize(("trap", "signal"), [("", "SIGTERM"), ("trap '' TERM;", "SIGKILL")])
    async def test_lost_patience_ends_the_whole_tree(
        self, hands: Hands, trap: str, signal: str
    ) -> None:
        mark = unique_sleep()
        script = f"{trap} setsid sleep {mark} & echo ready; sleep {mark}"
        begun = time.monotonic()
        watcher = Listening(until=b"ready")
        result = await hands.follow(("sh", "-c", script), watcher, timeout_s=60)
        assert time.monotonic() - begun < 10
        assert (result.exit_code, result.timed_out, result.ended_with) == (None, False, signal)
        assert living(mark) == []

    async def test_the_timeout_stands_behind_the_watcher(self, hands: Hands) -> None:
        mark = unique_sleep()
        result = await hands.follow(("sleep", mark), Listening(), timeout_s=0.3)
        assert (result.exit_code, result.timed_out) == (None, True)
        assert living(mark) == []

    async def test_cancelling_a_follower_takes_the_tree(self, hands: Hands) -> None:
        mark = unique_sleep()
        argv = ("sh", "-c", f"setsid sleep {mark} & wait")
        task = asyncio.create_task(hands.follow(argv, Listening(), timeout_s=60))
        await asyncio.to_thread(wait_until_living, mark)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert living(mark) == []
        assert (await hands.run(("echo", "fine"))).stdout == b"fine\n"

    async def test_following_a_missing_program_is_e901(self, hands: Hands) -> None:
        with pytest.raises(PmError, match="E901"):
            await hands.follow(("pm-no-such-program",), Listening(), timeout_s=5)

    async def test_an_argument_that_no_program_can_get_is_e901(self, hands: Hands) -> None:
        with pytest.raises(PmError, match="E901"):
            await hands.run(("echo", "a\0b"))

    async def test_names_that_are_no_utf8_go_in_and_out(self, hands: Hands) -> None:
        name = "caf\udce9.txt"
        await hands.run(("sh", "-c", "printf x > \"$(printf 'caf\\351.txt')\""))
        assert [entry.name for entry in await hands.list_directory(".")] == [name]
        assert await hands.read_file(name) == b"x"
        await hands.write_file(name, b"new")
        assert await hands.read_file(name) == b"new"
