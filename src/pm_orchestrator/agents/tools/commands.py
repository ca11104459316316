"""Commands of an agent: run to their end, or left running while it goes on.

A command's two streams are one here, in the order in which it wrote. What is too long to be
shown keeps its beginning and its end; the rest can be asked for by the command's id.
"""

import asyncio
import re
from collections.abc import Callable
from typing import Literal

from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.hands import Hands
from pm_orchestrator.ports.process import CommandResult, ProcessWatcher

SHOWN_BEGINNING, SHOWN_END = 6_000, 10_000
"""Characters of an output that are shown at once."""
KEPT_BEGINNING, KEPT_END = 1024**2, 3 * 1024**2
"""Bytes of an output that can be asked for."""
FLOOD = 256 * 1024**2
"""Bytes after which a command is ended: nobody reads so much."""
KEPT_OUTPUTS = 8
MOST_RUNNING = 8
LONGEST_RUN_S = 86_400.0
FIRST_LOOK_S = 1.0
"""How long one that is left running is watched for an early end."""
PATIENCE_S = 3_600.0
SANDBOX_BEFORE = ". The sandbox was made anew, and what ran in the one before has ended"
FIRST_FAILURES, LAST_FAILURES = 8, 16
"""Lines that speak of a failure: where it began, and how it ended."""
LONGEST_LINE = 400
LONGEST_SECRET = 2_000
"""Characters; a word that is longer is cut like any other text."""

_MOVES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n|$)")
_FAILURE = re.compile(
    r"(?i)\b(?:(?:error|fail|failure|exception)s?|failed|panic|fatal|traceback|expected|assert\w*)\b"
    r"|not ok\b|[✗✖✘×]"
)


class CommandFailedError(ValueError):
    """A command of the agent ended badly: news for the model, not a fault of ours."""


class CommandOutput(ProcessWatcher):
    """What a command has written so far."""

    def __init__(self) -> None:
        self._beginning = bytearray()
        self._end = bytearray()
        self._heard = 0
        self.stopped = False
        self.more = asyncio.Event()
        """Set whenever something is written."""

    @property
    def flooded(self) -> bool:
        return self._heard > FLOOD

    @override
    def output(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        self._heard += len(data)
        room = KEPT_BEGINNING - len(self._beginning)
        self._beginning += data[:room]
        self._end += data[room:]
        if len(self._end) > 2 * KEPT_END:
            del self._end[:-KEPT_END]
        self.more.set()

    @override
    def patience(self, waits_for_input: Callable[[], bool]) -> float:
        return 0.0 if self.stopped or self.flooded else PATIENCE_S

    def text(self) -> str:
        """As a terminal would show it in the end, without colours."""
        lost = self._heard - len(self._beginning) - len(self._end)
        gap = f"\n[{lost} bytes were not kept]\n".encode() if lost else b""
        raw = (bytes(self._beginning) + gap + bytes(self._end)).decode(errors="replace")
        plain = _MOVES.sub("", raw) if "\x1b" in raw else raw
        plain = _OVERWRITTEN.sub("", plain) if "\r" in plain else plain
        return plain.replace("\r\n", "\n")


class RunningCommand:
    """A command that goes on while its agent does something else."""

    def __init__(self, command: str, began: float, work: asyncio.Task[CommandResult]) -> None:
        self.command = command
        self.began = began
        self.work = work

    def end(self) -> str | None:
        """How it ended, or None while it runs."""
        if not self.work.done():
            return None
        if self.work.cancelled():
            return "was stopped"
        error = self.work.exception()
        if error is not None:
            return f"could not go on: {error.what() if isinstance(error, PmError) else error!r}"
        code = self.work.result().exit_code
        return "was stopped" if code is None else f"ended with exit code {code}"


class Commands:
    """All commands of one attempt, by id."""

    def __init__(self, hands: Hands, clock: Clock) -> None:
        self._hands = hands
        self._clock = clock
        self._count = 0
        self._elsewhere = 0
        self._outputs: dict[str, CommandOutput] = {}
        self._running: dict[str, RunningCommand] = {}

    async def run(self, command: str, timeout_s: float) -> str:
        """Run to the end, and show what it wrote.

        Raises:
            CommandFailedError: it ended badly, or was ended.
        """
        name, output = self._next()
        result = await self._follow(command, output, timeout_s)
        bad = _bad_end(result, output, timeout_s)
        shown = shown_output(output.text(), name, failed=bad is not None)
        if result.held:
            shown += "\n[what it left running was ended with it; use background for that]"
        if bad is not None:
            raise CommandFailedError(f"{bad}\n{shown}")
        return shown or "(no output)"

    async def start(self, command: str) -> str:
        """Leave it running, and say by which id it is known.

        Raises:
            CommandFailedError: too many are running.
        """
        busy = [name for name, run in self._running.items() if run.end() is None]
        if len(busy) >= MOST_RUNNING:
            raise CommandFailedError(
                f"{len(busy)} commands are running ({', '.join(busy)}); stop_command one of them"
            )
        name, output = self._next()
        # What the command itself puts behind would end with its shell.
        work = asyncio.create_task(
            self._follow(f"{command}\nwait", output, LONGEST_RUN_S), name=f"command {name}"
        )
        self._running[name] = RunningCommand(command, self._clock.monotonic(), work)
        await asyncio.wait({work}, timeout=FIRST_LOOK_S)
        return (
            f"{await self.status(name)}\n"
            f"[it runs in the background: command_output shows what it writes, stop_command ends "
            f"it, by id {name}; it ends with this attempt]"
        )

    async def status(
        self, name: str, containing: str = "", wait_s: float = 0.0, first: int = 0, count: int = 0
    ) -> str:
        """How far a command is, and what it wrote.

        Raises:
            CommandFailedError: there is none of this id, or it has no such line.
        """
        output = self._outputs.get(name)
        if output is None:
            known = ", ".join(self._outputs) or "none"
            raise CommandFailedError(
                f"no output of a command {name[:40]!r} is kept; there are {known}"
                + (SANDBOX_BEFORE if self._elsewhere else "")
            )
        run = self._running.get(name)
        if run is not None and wait_s:
            await _wait_for(run, output, containing, wait_s)
        text = output.text()
        if first or containing:
            shown = _chosen_lines(text, containing, max(first, 1), count)
        else:
            shown = shown_output(text, name) or "(no output)"
        return shown if run is None else f"{self._how(name, run)}\n{shown}"

    async def stop(self, name: str) -> str:
        """End one that runs, with all that it started.

        Raises:
            CommandFailedError: there is none of this id.
        """
        run = self._running.get(name)
        if run is None:
            running = ", ".join(n for n, r in self._running.items() if r.end() is None) or "none"
            raise CommandFailedError(
                f"no command {name[:40]!r} was left running; running: {running}"
                + (SANDBOX_BEFORE if self._elsewhere else "")
            )
        self._outputs[name].stopped = True
        await asyncio.wait({run.work})
        return await self.status(name)

    @property
    def busy(self) -> bool:
        """Whether one of them runs in the background."""
        return any(run.end() is None for run in self._running.values())

    def skip(self) -> None:
        """A command ran in a sandbox before this one: its id is not given again."""
        self._count += 1
        self._elsewhere = self._count

    async def close(self) -> None:
        """End all that still run."""
        left = {run.work for run in self._running.values() if not run.work.done()}
        for work in left:
            work.cancel()
        if left:
            await asyncio.wait(left)
        for run in self._running.values():
            # Asked for, so that nobody is told of an error that was never looked at.
            run.end()

    def _next(self) -> tuple[str, CommandOutput]:
        self._count += 1
        name = f"c{self._count}"
        done = [n for n in self._outputs if n not in self._running or self._running[n].end()]
        for old in done[: len(done) - KEPT_OUTPUTS + 1]:
            del self._outputs[old]
            self._running.pop(old, None)
        self._outputs[name] = CommandOutput()
        return name, self._outputs[name]

    async def _follow(self, command: str, output: CommandOutput, timeout_s: float) -> CommandResult:
        argv = ("sh", "-c", f"exec 2>&1; {command}")
        return await self._hands.follow(argv, output, timeout_s=timeout_s)

    def _how(self, name: str, run: RunningCommand) -> str:
        seconds = int(self._clock.monotonic() - run.began)
        return f"{name} {run.end() or 'is running'} ({seconds} s): {_line(run.command)}"


async def _wait_for(
    run: RunningCommand, output: CommandOutput, containing: str, seconds: float
) -> None:
    """Until it has ended, or wrote what is waited for, or the time is over."""
    try:
        async with asyncio.timeout(seconds):
            while not run.work.done() and not (containing and containing in output.text()):
                output.more.clear()
                more = asyncio.create_task(output.more.wait())
                try:
                    await asyncio.wait({run.work, more}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    more.cancel()
    except TimeoutError:
        return


def _bad_end(result: CommandResult, output: CommandOutput, timeout_s: float) -> str | None:
    if output.flooded:
        return f"stopped: it wrote more than {FLOOD // 1024**2} MiB"
    if result.timed_out:
        return (
            f"stopped after {timeout_s:g} s; give it timeout_seconds if it needs more, "
            "or background if it does not end by itself"
        )
    return None if result.exit_code == 0 else f"exit code {result.exit_code}"


def shown_output(text: str, name: str, *, failed: bool = False) -> str:
    """An output that fits, or its beginning and its end with what was left out between them."""
    if len(text) <= SHOWN_BEGINNING + SHOWN_END:
        return text.rstrip("\n")
    beginning = _whole_lines(text[: SHOWN_BEGINNING + 1])
    end = _whole_lines(text[-SHOWN_END - 1 :][::-1])[::-1]
    middle = text[len(beginning) : len(text) - len(end)]
    first = beginning.count("\n") + 1
    last = first + middle.rstrip("\n").count("\n")
    note = (
        f"[{len(middle)} of {len(text)} characters left out here, about lines {first} to {last}; "
        f"command_output with id {name} shows them]"
    )
    told = _of_failure(middle, first) if failed else []
    if told:
        note += "\n[of these lines:]\n" + "\n".join(told) + "\n[then:]"
    return f"{beginning.rstrip(chr(10))}\n{note}\n{end.strip(chr(10))}"


def _whole_lines(text: str) -> str:
    """What comes before the last newline; half of a line may be half of a secret."""
    end = text.rfind("\n")
    if end > len(text) // 2:
        return text[: end + 1]
    cut = cut_between_words(text, len(text) - 1)
    return cut if len(text) - len(cut) < LONGEST_SECRET else text[:-1]


def _of_failure(middle: str, first: int) -> list[str]:
    """The lines that speak of a failure, as the beginning and the end may say nothing of it."""
    found = [
        f"{number:>6}\t{_line(line)}"
        for number, line in enumerate(middle.split("\n"), start=first)
        if _FAILURE.search(line)
    ]
    return found[:FIRST_FAILURES] + found[FIRST_FAILURES:][-LAST_FAILURES:]


def _chosen_lines(text: str, containing: str, first: int, count: int) -> str:
    lines = text.rstrip("\n").split("\n")
    if first > len(lines):
        raise CommandFailedError(f"it has {len(lines)} lines; there is no line {first}")
    chosen = [
        f"{number:>6}\t{_line(line)}"
        for number, line in enumerate(lines, start=1)
        if number >= first and containing in line
    ]
    shown: list[str] = []
    room = SHOWN_BEGINNING + SHOWN_END
    for line in chosen[:count]:
        shown.append(line)
        room -= len(line)
        if room <= 0:
            break
    left = len(chosen) - len(shown)
    if left:
        after = shown[-1].split("\t")[0].strip()
        shown.append(f"[{left} more; go on with start_line={int(after) + 1}]")
    return "\n".join(shown) or f"(no line contains it; there are {len(lines)})"


def _line(text: str) -> str:
    flat = " ".join(text.split("\n"))
    return flat if len(flat) <= LONGEST_LINE else cut_between_words(flat, LONGEST_LINE) + "…"
