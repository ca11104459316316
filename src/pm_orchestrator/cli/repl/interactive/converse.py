"""The conversation on a terminal: a line is read while the work of the one before goes on.

Commands are carried out one after the other, in the foreground. What runs a task runs
beside the input line, so that a person can look around meanwhile, and stop it.
"""

import asyncio
import signal

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.interactive.completer import ReplCompleter
from pm_orchestrator.cli.repl.interactive.history import history_at
from pm_orchestrator.cli.repl.interactive.plain_line import LEAVE, InputLine
from pm_orchestrator.cli.repl.interactive.printing import printing_above
from pm_orchestrator.cli.repl.interactive.prompt import Prompt
from pm_orchestrator.cli.repl.interactive.questions import QuestionDesk
from pm_orchestrator.cli.repl.interactive.task_beside_input import (
    TaskBesideInput,
    may_run_beside,
    runs_a_task,
)
from pm_orchestrator.cli.repl.interactive.terminal_ui import TerminalUi
from pm_orchestrator.cli.repl.interactive.toolbar import Toolbar
from pm_orchestrator.cli.repl.slash_commands import dispatch
from pm_orchestrator.cli.repl.ui import Choice
from pm_orchestrator.domain.cancelling import is_being_stopped
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.tasks.status import EXIT_INCOMPLETE

AGAIN_S = 2.0
"""Ctrl-C twice within this time leaves."""


async def converse(conversation: Conversation, ui: TerminalUi) -> int:
    """Until the person leaves; 0, or 2 when they broke off work on the way out."""
    async with printing_above(plain=ui.plain):
        return await Converse(conversation, ui).run()


class Converse:
    """One conversation."""

    def __init__(self, conversation: Conversation, ui: TerminalUi) -> None:
        self._conversation = conversation
        self._ui = ui
        self._work = TaskBesideInput(conversation)
        self._front: asyncio.Task[None] | None = None
        self._interrupted_at: float | None = None
        self._stirred = asyncio.Event()
        """The work has ended or asks something."""
        self._leaving = False
        """The person waits for the work to end, and leaves then."""
        self._gone = False
        self._code = 0
        self._toolbar = Toolbar(conversation, ui.live)
        self._prompt: InputLine = ui.line if ui.plain else self._drawn_line()
        self._questions = QuestionDesk(
            ui, conversation.screen, interrupted=self._interrupt, toolbar=self._toolbar.lines
        )

    def _drawn_line(self) -> Prompt:
        conversation = self._conversation
        history = conversation.environment.state_home / "repl_history"
        return Prompt(
            presses={"c-c": self._interrupt, "c-o": self._ui.stream.fold},
            toolbar=self._toolbar.lines,
            refuses=self._refusal,
            offers=self._offer,
            completer=ReplCompleter(conversation),
            history=history_at(history, conversation.screen.mask),
        )

    async def run(self) -> int:
        """Read and carry out line after line."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        self._ui.asked = self._make_room
        self._work.ended = self._work_ended
        if self._conversation.is_project:
            self._ui.stream.folded = self._conversation.opened.settings.ui.stream == "folded"
        self._greet()
        try:
            while not self._gone:
                await self._next()
        finally:
            await self._work.stop()
            await self._conversation.leave()
        self._say("goodbye")
        return self._code

    async def _next(self) -> None:
        question = self._ui.question
        if question is not None:
            command = await self._questions.put(question)
            if command is not None:
                await self._carry_out(command)
        elif self._ui.plain and self._work.running:
            await self._stirred.wait()
            self._stirred.clear()
        else:
            self._toolbar.look()
            line = await self._prompt.read([("class:prompt", "> ")])
            if line is not None and line.strip():
                await self._carry_out(line.strip())

    async def _carry_out(self, line: str) -> None:
        self._toolbar.note = ""
        if runs_a_task(line):
            self._work.begin(line)
            # What fails at once says so before the next line is asked for.
            await asyncio.sleep(0)
            self._work.tick(self._prompt.redraw)
            return
        self._front = asyncio.create_task(dispatch(self._conversation, line))
        try:
            await self._front
        except PmError as error:
            self._conversation.fail(error)
        except asyncio.CancelledError:
            if is_being_stopped():
                raise
            self._conversation.screen.aside(say("interrupted", self._conversation.screen.lang))
        finally:
            self._front = None
        if self._conversation.finished:
            await self._leave()

    async def _leave(self) -> None:
        """At once, or, while work goes on, as the person decides."""
        self._conversation.finished = False
        if self._ui.question is not None:
            self._questions.leave()
            await self._work.done()
        if not self._work.running:
            self._gone = True
            return
        lang = self._conversation.screen.lang
        decided = await self._ui.choose(
            tell("exit_running", lang),
            [Choice(value=v, label=tell(f"exit_{v}", lang)) for v in ("wait", "cancel", "stay")],
            current="wait",
            instead=LEAVE,
        )
        if decided == "cancel":
            self._gone = True
        elif decided == "wait":
            self._leaving = self._work.running
            self._gone = not self._work.running
            self._toolbar.note = tell("exit_waits", lang)

    def _interrupt(self) -> None:
        """Ctrl-C, as a key or as a signal: once for what goes on, twice to leave."""
        idle = self._front is None and not self._work.running
        if idle and self._prompt.text:
            self._prompt.clear()
            self._interrupted_at = None
            return
        now = asyncio.get_running_loop().time()
        again = self._interrupted_at is not None and now - self._interrupted_at < AGAIN_S
        self._interrupted_at = now
        if again:
            self._gone = True
            self._code = EXIT_INCOMPLETE if self._work.running else self._code
            self._make_room()
        if self._front is not None:
            self._front.cancel()
        elif self._ui.question is not None:
            at_work = self._ui.question.at_work
            self._questions.leave()
            if at_work:
                self._stop_work()
        elif self._work.running:
            self._stop_work()
        else:
            self._remark("again_leaves")

    def _stop_work(self) -> None:
        self._work.cancel()
        self._remark("stopping")

    def _refusal(self, line: str) -> str | None:
        if not self._work.running or not line or may_run_beside(line):
            return None
        return tell("work_first", self._conversation.screen.lang)

    def _offer(self) -> str | None:
        """What one key does: settle the task that has just ended, as far as a person may."""
        task = self._conversation.acceptable
        return None if task is None or self._work.running else f"/accept {task}"

    def _work_ended(self) -> None:
        offered = self._offer() is not None
        self._toolbar.note = tell("accept_key", self._conversation.screen.lang) if offered else ""
        self._toolbar.look()
        self._prompt.forgive()
        self._stirred.set()
        if self._leaving:
            self._gone = True
            self._make_room()

    def _make_room(self) -> None:
        self._stirred.set()
        self._prompt.close()
        self._questions.close()

    def _remark(self, key: str) -> None:
        lang = self._conversation.screen.lang
        if self._ui.plain:
            self._conversation.screen.aside(tell(key, lang))
            self._prompt.close()
        self._toolbar.note = note = tell(key, lang)
        self._prompt.redraw()
        # It speaks of a second Ctrl-C, which counts only for so long.
        asyncio.get_running_loop().call_later(AGAIN_S, self._take_back, note)

    def _take_back(self, note: str) -> None:
        if self._toolbar.note == note:
            self._toolbar.note = ""
            self._prompt.redraw()

    def _greet(self) -> None:
        self._say("greeting" if self._conversation.is_project else "greeting_init")

    def _say(self, key: str) -> None:
        screen = self._conversation.screen
        screen.line(tell(key, screen.lang))
