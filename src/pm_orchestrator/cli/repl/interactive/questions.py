"""A question of a task in the place of the prompt: typed, or picked where it offers answers."""

from collections.abc import Callable

from prompt_toolkit.application import get_app
from prompt_toolkit.formatted_text import StyleAndTextTuples

from pm_orchestrator.cli.repl.interactive.plain_line import LEAVE, InputLine
from pm_orchestrator.cli.repl.interactive.prompt import Prompt
from pm_orchestrator.cli.repl.interactive.task_beside_input import may_run_beside
from pm_orchestrator.cli.repl.interactive.terminal_ui import OpenQuestion, TerminalUi
from pm_orchestrator.cli.repl.slash_commands import COMMANDS
from pm_orchestrator.cli.repl.ui import Choice
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.cli.terminal.text_width import wrapped

REPLY = "/reply"


class QuestionDesk:
    """Puts questions, one at a time."""

    def __init__(
        self,
        ui: TerminalUi,
        screen: Screen,
        *,
        interrupted: Callable[[], None],
        toolbar: Callable[[], StyleAndTextTuples],
    ) -> None:
        self._ui = ui
        self._screen = screen
        self._interrupted = interrupted
        self._prompt: InputLine = ui.line
        if not ui.plain:
            self._prompt = Prompt(presses={"c-c": interrupted}, toolbar=toolbar)

    async def put(self, question: OpenQuestion) -> str | None:
        """Have it answered, or left; a command typed instead is given back, to be carried out."""
        if question.selectable and not self._ui.plain:
            picked = await self._pick(question)
            self._settle(question, picked or "")
            if picked is None and question.at_work:
                # The work waits for this answer, so it is what is left.
                self._interrupted()
            return None
        offered = f" [{'/'.join(question.options)}]" if question.options else ""
        columns = get_app().output.get_size().columns
        text = "\n".join(wrapped(f"{question.text}{offered}", columns))
        typed = await self._prompt.read([("class:question", f"{text}\n"), ("class:prompt", "? ")])
        if typed is None:
            return None
        text = typed.strip()
        name, _, rest = text.partition(" ")
        if name == REPLY:
            text = rest.strip()
        elif name in COMMANDS and (name == LEAVE or may_run_beside(text)):
            return text
        self._settle(question, text)
        return None

    def leave(self) -> None:
        """The person does not answer now."""
        if self._ui.question is not None:
            self._settle(self._ui.question, "")
        self.close()

    def close(self) -> None:
        """Nothing is asked any more."""
        self._prompt.close(keep=False)

    async def _pick(self, question: OpenQuestion) -> str | None:
        choices = [Choice(value=option, label="") for option in question.options]
        picked = await self._ui.choose(question.text, choices, current=None, instead=REPLY)
        if picked is not None:
            # The list is gone from the screen; what was decided stays.
            self._screen.line(f"{question.text} {picked}")
        return picked

    def _settle(self, question: OpenQuestion, text: str) -> None:
        # It is put no more, even before the task has taken the answer.
        self._ui.question = None
        if not question.answer.done():
            question.answer.set_result(text)
