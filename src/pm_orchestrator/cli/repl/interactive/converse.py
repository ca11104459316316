"""The conversation on a terminal: a line is read while the work of the one before goes on.

Commands are carried out one after the other, in the foreground. What runs a task runs
beside the input line, so that a person can look around meanwhile, and stop it.
"""

import asyncio
import signal
from collections.abc import Coroutine

from prompt_toolkit.shortcuts import clear
from typing_extensions import override

from pm_orchestrator.cli.repl.beginning.arrival_page import arrival_page
from pm_orchestrator.cli.repl.beginning.setting_up import INSTEAD, needs_project, set_up
from pm_orchestrator.cli.repl.completing.completer import ReplCompleter
from pm_orchestrator.cli.repl.completing.repository_files import RepositoryFiles
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.interactive.history import history_at
from pm_orchestrator.cli.repl.interactive.plain_line import LEAVE, InputLine
from pm_orchestrator.cli.repl.interactive.printing import printing_above
from pm_orchestrator.cli.repl.interactive.prompt import Prompt, WhileWorking
from pm_orchestrator.cli.repl.interactive.questions import QuestionDesk
from pm_orchestrator.cli.repl.interactive.queued_lines import QueuedLines
from pm_orchestrator.cli.repl.interactive.task_beside_input import (
    TaskBesideInput,
    may_run_beside,
    runs_a_task,
)
from pm_orchestrator.cli.repl.interactive.terminal_ui import TerminalUi
from pm_orchestrator.cli.repl.interactive.toolbar import Toolbar
from pm_orchestrator.cli.repl.lines.our_answers import SHELL, OurAnswer, meant_command, our_answer
from pm_orchestrator.cli.repl.lines.shell_command import run_shell_line
from pm_orchestrator.cli.repl.slash_commands import dispatch
from pm_orchestrator.cli.repl.ui import Choice
from pm_orchestrator.cli.terminal.text_width import wrapped
from pm_orchestrator.domain.cancelling import is_being_stopped
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.tasks.status import EXIT_INCOMPLETE

NARROW = 80
AGAIN_S = 2.0
"""Ctrl-C twice within this time leaves."""


async def converse(conversation: Conversation, ui: TerminalUi) -> int:
    """Until the person leaves; 0, or 2 when they broke off work on the way out."""
    async with printing_above(plain=ui.plain):
        return await Converse(conversation, ui).run()


class Converse(WhileWorking):
    """One conversation."""

    def __init__(self, conversation: Conversation, ui: TerminalUi) -> None:
        self._conversation = conversation
        self._ui = ui
        self._work = TaskBesideInput(conversation)
        self._front: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._interrupted_at: float | None = None
        self._stirred = asyncio.Event()
        """The work has ended or asks something."""
        self._leaving = False
        """The person waits for the work to end, and leaves then."""
        self._gone = False
        self._code = 0
        self._queued = QueuedLines()
        self._files = RepositoryFiles(conversation)
        self._toolbar = Toolbar(conversation, ui.live, self._queued)
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
            working=self,
            completer=ReplCompleter(conversation, self._files),
            history=history_at(history, conversation.screen.mask),
        )

    async def run(self) -> int:
        """Read and carry out line after line."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        self._ui.asked = self._make_room
        self._work.ended = self._work_ended
        await self._greet()
        try:
            while not self._gone:
                await self._next()
        finally:
            await self._work.stop()
            await self._files.stop()
            if self._looking is not None:
                self._looking.cancel()
                await asyncio.wait({self._looking})
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
        elif self._queued and not self._work.running:
            line = self._queued.next()
            self._conversation.screen.line(f"> {line}")
            await self._carry_out(line)
        else:
            self._toolbar.look()
            self._files.look()
            line = await self._prompt.read([("class:prompt", "> ")])
            if line is not None and line.strip():
                await self._carry_out(line.strip())

    async def _carry_out(self, line: str) -> None:
        self._toolbar.note = ""
        if self.queues(line):
            self._queued.add(line)
            return
        answer = our_answer(self._conversation, line)
        if answer is not None:
            self._answer(answer)
        elif line.startswith(SHELL):
            await self._in_front(run_shell_line(self._conversation, line), line)
        elif needs_project(line) and not self._conversation.is_project:
            await self._in_front(self._set_up(), line)
            if self._conversation.is_project and line != INSTEAD:
                await self._carry_out(line)
        elif runs_a_task(line):
            self._work.begin(line)
            # What fails at once says so before the next line is asked for.
            await asyncio.sleep(0)
            self._work.tick(self._prompt.redraw)
        else:
            await self._in_front(dispatch(self._conversation, line), line)
        if self._conversation.finished:
            await self._leave()

    async def _set_up(self) -> None:
        if await set_up(self._conversation):
            self._fold_as_set()

    def _answer(self, answer: OurAnswer) -> None:
        if answer.does == "clear" and not self._ui.plain:
            clear()
        elif answer.does == "leave":
            self._conversation.finished = True
        elif answer.text:
            self._conversation.screen.line(answer.text)
            self._prompt.offer(answer.offered)

    async def _in_front(self, work: Coroutine[None, None, None], line: str) -> None:
        self._front = asyncio.create_task(work)
        try:
            await self._front
        except PmError as error:
            self._conversation.fail(error)
            self._prompt.offer(meant_command(line) if error.slug == "unknown_command" else "")
        except asyncio.CancelledError:
            if is_being_stopped():
                raise
            self._conversation.screen.aside(say("interrupted", self._conversation.screen.lang))
        finally:
            self._front = None

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
        if self._queued:
            # They were meant to come after something that now does not happen.
            typed = [text for text in (self._queued.take_all(), self._prompt.text) if text]
            self._prompt.fill("\n".join(typed))
        self._remark("stopping")

    @property
    @override
    def running(self) -> bool:
        return self._work.running

    @override
    def stop(self) -> None:
        if self._work.running:
            self._stop_work()

    @override
    def queues(self, line: str) -> bool:
        return self._work.running and bool(line) and not may_run_beside(line)

    @override
    def take_back(self) -> str | None:
        return self._queued.take_back()

    @override
    def offered(self) -> str | None:
        """What one key does: settle the task that has just ended, as far as a person may."""
        task = self._conversation.acceptable
        return None if task is None or self._work.running else f"/accept {task}"

    def _work_ended(self) -> None:
        self._toolbar.note = self._what_now()
        self._toolbar.look()
        self._prompt.redraw()
        self._stirred.set()
        if self._leaving and not self._queued:
            self._gone = True
        if self._gone or self._queued:
            self._make_room()

    def _what_now(self) -> str:
        """What the person may want to do about the task that has ended."""
        lang, asked = self._conversation.screen.lang, self._conversation.asked
        notes = [tell("asks_you", lang, question=asked)] if asked is not None else []
        if self.offered() is not None:
            notes.append(tell("accept_key", lang))
        return "\n".join(notes)

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

    async def _greet(self) -> None:
        if self._conversation.is_project:
            self._fold_as_set()
        else:
            self._say("arrival_not_yet")
        self._say("arrival_how")
        self._looking = asyncio.create_task(self._look_around())
        if self._ui.plain:
            # Such a terminal shows one thing after the other.
            await asyncio.wait({self._looking})

    async def _look_around(self) -> None:
        """Say what was found, when it is; whoever knows it all can begin meanwhile."""
        from pm_orchestrator.bootstrap.arrival.first_look import first_look

        conversation, screen = self._conversation, self._conversation.screen
        look = await first_look(conversation.environment, conversation.project, screen.lang)
        width = screen.width() or NARROW
        screen.line("\n".join(arrival_page(look, conversation.project, screen.lang, width)))

    def _fold_as_set(self) -> None:
        self._ui.stream.folded = self._conversation.opened.settings.ui.stream == "folded"

    def _say(self, key: str) -> None:
        screen = self._conversation.screen
        for line in wrapped(tell(key, screen.lang), screen.width() or NARROW):
            screen.line(line)
