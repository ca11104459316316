"""The task that runs beside the input line: one at a time, and its end is always shown."""

import asyncio
from collections.abc import Callable

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_commands import dispatch
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.faults import program_fault
from pm_orchestrator.runner.records.interruption import TaskInterruptedError

REDRAW_S = 0.25
RUN_TASKS = frozenset({"/continue", "/reply"})
LOOK_AROUND = frozenset(
    {"/help", "/status", "/tasks", "/logs", "/keys", "/runs", "/watch", "/exit"}
    | {"/provider", "/models", "/model"}
)
"""Commands that leave the session alone in which a task runs."""


def runs_a_task(line: str) -> bool:
    """Whether the line is an instruction, or a command that goes on with one."""
    return not line.startswith("/") or line.split()[0] in RUN_TASKS


def may_run_beside(line: str) -> bool:
    """Whether the line can be carried out while a task runs."""
    return line.split()[0] in LOOK_AROUND


class TaskBesideInput:
    """At most one task of the conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._task: asyncio.Task[None] | None = None
        self._ticks: asyncio.Task[None] | None = None
        self._stopping = False
        self.ended: Callable[[], None] | None = None

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    def begin(self, line: str) -> None:
        """Carry out the line beside everything else."""
        self._stopping = False
        self._task = asyncio.create_task(self._run(line))

    def tick(self, redraw: Callable[[], None]) -> None:
        """Have the clock on the screen go on while the task runs."""

        async def ticking() -> None:
            while self.running:
                redraw()
                await asyncio.sleep(REDRAW_S)

        self._ticks = asyncio.create_task(ticking())

    def cancel(self) -> None:
        """Stop it with all it has started; a second time changes nothing."""
        if self._task is not None and not self._stopping:
            self._stopping = True
            self._task.cancel()

    async def done(self) -> None:
        """When it has come to its end."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def stop(self) -> None:
        """End it and what belongs to it; its records are closed before this returns."""
        self.cancel()
        await self.done()
        if self._ticks is not None:
            self._ticks.cancel()
            await asyncio.wait({self._ticks})

    async def _run(self, line: str) -> None:
        screen = self._conversation.screen
        try:
            await dispatch(self._conversation, line)
        except TaskInterruptedError:
            # Its summary has been shown, and its records are closed.
            return
        except asyncio.CancelledError:
            screen.aside(say("interrupted", screen.lang))
        except PmError as error:
            self._conversation.fail(error)
        except Exception as bug:  # noqa: BLE001 - the conversation goes on
            self._conversation.fail(program_fault(bug))
        finally:
            # Only now is it done for those who ask.
            asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        if self.ended is not None and not self.running:
            self.ended()
