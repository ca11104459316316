"""The lines below the input: what runs, what to know now, and where we are."""

from prompt_toolkit.application import get_app
from prompt_toolkit.formatted_text import StyleAndTextTuples

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.interactive.queued_lines import QueuedLines
from pm_orchestrator.cli.terminal.live_line import LiveLine
from pm_orchestrator.cli.terminal.text_width import SEPARATOR, cut_to_width
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.providers import KEY_VARIABLES


class Toolbar:
    """Made anew at every drawing, from what was looked up between two lines."""

    def __init__(self, conversation: Conversation, live: LiveLine, queued: QueuedLines) -> None:
        self._conversation = conversation
        self._queued = queued
        self._live = live
        self._place = ""
        self.note = ""
        """Something the person should know now."""

    def look(self) -> None:
        """Look up where we are; not while drawing, since it reads a file."""
        conversation = self._conversation
        parts = [conversation.project.name]
        if conversation.is_project:
            # Before the first task there is none, and nobody needs to know.
            parts += [name for name in (conversation.session_id, self._selection()) if name]
        self._place = SEPARATOR.join(parts)

    def lines(self) -> StyleAndTextTuples:
        """What is drawn."""
        columns = get_app().output.get_size().columns
        shown: StyleAndTextTuples = []
        if self._live.running:
            lang = self._conversation.screen.lang
            shown.append(("class:note", self._live.line(lang, columns) + "\n"))
        for line in self._queued.shown(self._conversation.screen.lang):
            shown.append(("class:note", cut_to_width(line, columns) + "\n"))
        for line in self.note.splitlines():
            shown.append(("class:note", cut_to_width(line, columns) + "\n"))
        place = self._place
        if self._live.running:
            place = f"{tell('fold_key', self._conversation.screen.lang)}{SEPARATOR}{place}"
        return [*shown, ("", cut_to_width(place, columns))]

    def _selection(self) -> str:
        from pm_orchestrator.runner.project.selecting import selected

        try:
            state = selected(self._conversation.opened)
        except PmError as error:
            return error.code
        # Claude Code chooses a model by itself; whoever else is asked has to be told.
        model = state.selected_model or ("UNSET" if state.provider in KEY_VARIABLES else "")
        return f"{state.provider}/{model}".rstrip("/")
