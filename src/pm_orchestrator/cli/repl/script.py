"""Non-interactive mode: a script of lines, each finished before the next is read."""

import asyncio

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.input_lines import InputLines
from pm_orchestrator.cli.repl.slash_commands import dispatch
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.errors import PmError


async def run_script(conversation: Conversation, lines: InputLines, *, wait: bool) -> int:
    """Carry out every line; the result is the exit code.

    Without `wait` an instruction is only begun, and the lines after it are carried out
    meanwhile; instructions still follow one another, and all end before we do.
    """
    work = _Background()
    try:
        while not conversation.finished:
            try:
                line = await _next(conversation, lines)
                if line is None:
                    break
                if wait or line.startswith("/"):
                    await _carry_out(conversation, line)
                else:
                    work.add(conversation, line)
            except PmError as error:
                conversation.fail(error)
        await work.end()
    finally:
        await work.stop()
        await conversation.leave()
    return conversation.exit_code()


async def _next(conversation: Conversation, lines: InputLines) -> str | None:
    """The next line; says once that more is waited for."""
    reading = asyncio.ensure_future(lines.next())
    told = lines.waited
    try:
        while not reading.done():
            await asyncio.wait({reading}, timeout=None if told else 0.5)
            if lines.waited and not told:
                told = True
                lang = conversation.screen.lang
                conversation.screen.aside(tell("waits_for_input", lang))
        return reading.result()
    finally:
        reading.cancel()


async def _carry_out(conversation: Conversation, line: str) -> None:
    try:
        await dispatch(conversation, line)
    except PmError as error:
        conversation.fail(error)
    except Exception as bug:  # noqa: BLE001 - a fault of ours ends one line, not the script
        from pm_orchestrator.runner.faults import program_fault

        conversation.fail(program_fault(bug))


class _Background:
    """Instructions that run one after the other beside the script."""

    def __init__(self) -> None:
        self._last: asyncio.Task[None] | None = None

    def add(self, conversation: Conversation, line: str) -> None:
        before = self._last

        async def after_the_one_before() -> None:
            if before is not None:
                await asyncio.wait({before})
            await _carry_out(conversation, line)

        self._last = asyncio.create_task(after_the_one_before())

    async def end(self) -> None:
        if self._last is not None:
            await self._last

    async def stop(self) -> None:
        """Nothing of ours goes on after an interruption."""
        if self._last is not None and not self._last.done():
            self._last.cancel()
            await asyncio.wait({self._last})
