"""The one door for child processes of this machine.

Every command gets a supervisor process of its own (see `processes/`), which owns
the deadline and the kill; this side gives the order, reads the output in bounded
memory and waits for the last report. So a busy event loop cannot delay a
deadline, and the death of this process ends every command it has started. For
trusted programs the zygote does all of that itself, at a third of the price.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Self, TypeVar

from typing_extensions import override

from pm_orchestrator.adapters.processes.capture import Capture, Followed, Tail, feed
from pm_orchestrator.adapters.processes.child_ends import ChildEnds
from pm_orchestrator.adapters.processes.followed_command import watched
from pm_orchestrator.adapters.processes.supervised import (
    Ended,
    Lost,
    NeverStartedError,
    Supervised,
)
from pm_orchestrator.adapters.processes.zygote import SUPERVISED, TRUSTED, encode_order
from pm_orchestrator.adapters.processes.zygote_owner import ZygoteOwner
from pm_orchestrator.ports.process import (
    Channel,
    Command,
    CommandResult,
    CommandRunner,
    DirectoryView,
    Gathered,
    ProcessWatcher,
)

T = TypeVar("T")
Wait = Callable[[Supervised], Coroutine[Any, Any, Ended | Lost]]
DRAIN_S = 5.0
"""For output still in the pipe after everybody who could write to it is gone."""
SHORT_DRAIN_S = 0.3
"""The same for one that we have ended ourselves: then control comes first."""


class LocalCommands(CommandRunner):
    """Children on this machine, each with its whole tree under one supervisor.

    The exit code of a program that died of a signal by itself is the negative
    signal number.
    """

    def __init__(
        self,
        kill_grace_s: float = 3.0,
        zygotes: ZygoteOwner | None = None,
        kind: bytes = SUPERVISED,
    ) -> None:
        self._kill_grace_s = kill_grace_s
        self._zygotes = zygotes or ZygoteOwner()
        self._kind = kind

    def trusted(self) -> Self:
        """The light door: for programs that are ours to choose and do not fight their end.

        It promises the same of them, but nothing stands between them and the zygote: one that
        kills or stops its parent takes the other trusted programs with it.
        """
        return type(self)(self._kill_grace_s, self._zygotes, TRUSTED)

    @override
    async def run(self, command: Command) -> CommandResult:
        async def wait(supervised: Supervised) -> Ended | Lost:
            return await supervised.ended_within(command.timeout_s + self._kill_grace_s)

        def captures() -> tuple[Capture, Capture]:
            return Capture(command.output_limit), Capture(command.output_limit)

        return await self._again_if_never_started(command, captures, wait)

    @override
    async def follow(self, command: Command, watcher: ProcessWatcher) -> CommandResult:
        limit = command.output_limit
        patience_s = command.timeout_s + self._kill_grace_s

        def captures() -> tuple[Capture, Capture]:
            return (
                Followed(limit, lambda data: watcher.output("stdout", data)),
                Followed(limit, lambda data: watcher.output("stderr", data)),
            )

        async def wait(supervised: Supervised) -> Ended | Lost:
            return await watched(supervised, watcher, patience_s, self._kill_grace_s)

        return await self._again_if_never_started(
            command, captures, wait, watcher if watcher.speaks else None
        )

    async def _again_if_never_started(
        self,
        command: Command,
        captures: Callable[[], tuple[Capture, Capture]],
        wait: Wait,
        speaker: ProcessWatcher | None = None,
    ) -> CommandResult:
        try:
            return await self._to_the_end(command, captures(), wait, speaker)
        except NeverStartedError:
            # A dying zygote still takes requests; they are lost with it.
            self._zygotes.close()
            return await self._to_the_end(command, captures(), wait, speaker)

    async def _to_the_end(
        self,
        command: Command,
        captures: tuple[Capture, Capture],
        wait: Wait,
        speaker: ProcessWatcher | None,
    ) -> CommandResult:
        out, err = captures
        with ChildEnds() as ends:
            if speaker is None:
                ends.input(command.stdin)
            else:
                _, writer = await asyncio.open_unix_connection(sock=ends.spoken_input())
                ends.callback(writer.transport.abort)
                speaker.may_speak(lambda data: _say(writer, data))
            pipes = (ends.output_pipe(), ends.output_pipe())
            control = ends.hand_over(self._zygotes, self._kind)
            for pipe, capture in zip(pipes, captures, strict=True):
                ends.callback(feed(capture, pipe))
            supervised = Supervised(self._zygotes, control, command.argv[0])
            ends.callback(supervised.close)
            # The order starts the program: from here on no cancellation goes unseen.
            await self._give(supervised, command, command.timeout_s)
            end = await self._or_put_down(supervised, wait(supervised))
            by_itself = isinstance(end, Ended) and end.exit_code is not None
            await _drained(out, err, DRAIN_S if by_itself else SHORT_DRAIN_S)
        return _result(end, out, err)

    @override
    async def open(self, command: Command) -> Channel:
        from pm_orchestrator.adapters.processes.local_channel import LocalChannel

        tail = Tail()
        with ChildEnds() as ends:
            duplex = ends.duplex()
            pipe = ends.output_pipe()
            control = ends.hand_over(self._zygotes, self._kind)
            ends.callback(feed(tail, pipe))
            reader, writer = await asyncio.open_unix_connection(sock=duplex, limit=1 << 20)
            ends.callback(writer.transport.abort)
            supervised = Supervised(self._zygotes, control, command.argv[0])
            ends.callback(supervised.close)
            await self._give(supervised, command, None)
            pid = await self._or_put_down(supervised, supervised.started())
            return LocalChannel(pid, supervised, (reader, writer), tail, ends.pop_all())

    async def _give(
        self, supervised: Supervised, command: Command, timeout_s: float | None
    ) -> None:
        order = encode_order(
            list(command.argv),
            str(command.cwd),
            dict(command.env),
            timeout_s=timeout_s,
            kill_grace_s=self._kill_grace_s,
            views=[_view(view) for view in command.views],
            gathered=None if command.gathered is None else _gathered(command.gathered),
        )
        await supervised.give(order)

    async def _or_put_down(self, supervised: Supervised, wait: Coroutine[Any, Any, T]) -> T:
        """Await it; a cancellation leaves only after the whole tree is gone."""
        try:
            return await wait
        except asyncio.CancelledError:
            await supervised.put_down(self._kill_grace_s)
            raise


def _view(view: DirectoryView) -> tuple[str, list[str], str]:
    return str(view.at), [str(layer) for layer in view.layers], str(view.scratch)


def _gathered(given: Gathered) -> tuple[str, int, int | None, list[tuple[str, list[str], bool]]]:
    sources = [(str(at), list(unseen), writable) for at, unseen, writable in given.sources]
    return str(given.place), given.room, given.owner, sources


def _say(writer: asyncio.StreamWriter, data: bytes) -> None:
    if writer.transport.is_closing():
        # It reads no more; its end is seen elsewhere.
        return
    if data:
        writer.write(data)
    else:
        writer.write_eof()


async def _drained(out: Capture, err: Capture, seconds: float) -> None:
    """Read to the end; a descriptor handed to a process that is not ours may keep it open."""
    try:
        async with asyncio.timeout(seconds):
            await out.ended()
            await err.ended()
    except TimeoutError:
        return


def _result(end: Ended | Lost, out: Capture, err: Capture) -> CommandResult:
    truncated = out.truncated or err.truncated
    if isinstance(end, Lost):
        return CommandResult(
            exit_code=None, stdout=out.kept(), stderr=err.kept(), truncated=truncated
        )
    swept_at = end.swept_at
    return CommandResult(
        exit_code=end.exit_code,
        stdout=out.kept(),
        stderr=err.kept(),
        timed_out=end.timed_out,
        truncated=truncated,
        held=swept_at is not None and (out.open_since(swept_at) or err.open_since(swept_at)),
        duration_ms=end.duration_ms,
        ended_with=end.ended_with,
    )
