"""The line a person types, with history, completion and a toolbar below it."""

from collections.abc import Callable, Mapping
from typing import Protocol

from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, get_common_complete_suffix
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.shortcuts import PromptSession
from typing_extensions import override

from pm_orchestrator.cli.repl.interactive.look import STYLE
from pm_orchestrator.cli.repl.interactive.plain_line import LEAVE, InputLine

MENU_LINES = 6
ESCAPE_WAITS_S = 0.3
"""How long Esc may be the beginning of another key."""


class WhileWorking(Protocol):
    """What the keys do while a task runs beside the line."""

    @property
    def running(self) -> bool:
        """Whether one does."""
        ...

    def stop(self) -> None:
        """Stop it."""
        ...

    def queues(self, line: str) -> bool:
        """Whether the line has to wait for its end; then it is shown elsewhere."""
        ...

    def take_back(self) -> str | None:
        """The line that waits and was typed last, to be changed."""
        ...

    def offered(self) -> str | None:
        """The line that one key sends, once it has ended."""
        ...


class Prompt(InputLine):
    """The line on a terminal that draws."""

    def __init__(
        self,
        *,
        presses: Mapping[str, Callable[[], None]],
        toolbar: Callable[[], StyleAndTextTuples],
        working: WhileWorking | None = None,
        completer: Completer | None = None,
        history: History | None = None,
    ) -> None:
        self._kept = ""
        self._offered = ""
        self._session: PromptSession[str | None] = PromptSession(
            completer=completer,
            history=history,
            bottom_toolbar=toolbar,
            key_bindings=self._bindings(presses, working),
            placeholder=lambda: [("class:offered", self._offered)],
            style=STYLE,
            reserve_space_for_menu=MENU_LINES if completer is not None else 0,
        )
        self._session.app.timeoutlen = ESCAPE_WAITS_S
        self._session.app.ttimeoutlen = ESCAPE_WAITS_S

    @override
    async def read(self, message: StyleAndTextTuples) -> str | None:
        default, self._kept = self._kept, ""
        try:
            typed = await self._session.prompt_async(message, default=default, handle_sigint=False)
        except EOFError:
            return LEAVE
        finally:
            self._session.app.erase_when_done = False
        self._offered = ""
        return typed

    @property
    @override
    def text(self) -> str:
        return self._session.default_buffer.text

    @override
    def clear(self) -> None:
        self._session.default_buffer.reset()
        self.redraw()

    @override
    def close(self, *, keep: bool = True) -> None:
        app = self._session.app
        if app.is_running and not app.is_done:
            self._kept = self.text if keep else ""
            app.erase_when_done = True
            app.exit(result=None)

    @override
    def fill(self, text: str) -> None:
        if self._session.app.is_running and not self._session.app.is_done:
            self._session.default_buffer.document = Document(text)
            self.redraw()
        else:
            self._kept = text

    @override
    def offer(self, line: str) -> None:
        self._offered = line
        self.redraw()

    @override
    def redraw(self) -> None:
        self._session.app.invalidate()

    def _bindings(
        self, presses: Mapping[str, Callable[[], None]], working: WhileWorking | None
    ) -> KeyBindings:
        keys = KeyBindings()

        def complete(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.complete_state is not None:
                buffer.complete_next()
                return
            # At once: the library forgets a Tab that comes while it still looks for the menu.
            wanted = CompleteEvent(completion_requested=True)
            found = list(buffer.completer.get_completions(buffer.document, wanted))
            if len(found) == 1:
                buffer.apply_completion(found[0])
            elif found:
                buffer.insert_text(get_common_complete_suffix(buffer.document, found))
                buffer.start_completion(complete_event=wanted)

        def offered() -> bool:
            return bool(self._offered) and not self.text

        def take_offered(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text(self._offered)
            event.current_buffer.validate_and_handle()

        def new_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        for key, does in presses.items():
            keys.add(key, filter=has_focus("DEFAULT_BUFFER"))(_pressing(does))
        keys.add("tab", filter=has_focus("DEFAULT_BUFFER"))(complete)
        keys.add("enter", filter=has_focus("DEFAULT_BUFFER") & Condition(offered))(take_offered)
        # Alt-Enter, or Esc and then Enter.
        keys.add("escape", "enter")(new_line)
        if working is not None:
            _bind_while_working(keys, working)
        return keys


def _bind_while_working(keys: KeyBindings, working: WhileWorking) -> None:
    def empty() -> bool:
        return not get_app().current_buffer.text

    def stop(_: KeyPressEvent) -> None:
        working.stop()

    def queue(event: KeyPressEvent) -> None:
        event.app.erase_when_done = True
        event.current_buffer.validate_and_handle()

    def take_back(event: KeyPressEvent) -> None:
        line = working.take_back()
        if line is None:
            event.current_buffer.auto_up()
        else:
            event.current_buffer.document = Document(line)

    def take_offer(event: KeyPressEvent) -> None:
        line, buffer = working.offered(), event.current_buffer
        # What has been typed is not thrown away for it.
        if line is not None and not buffer.text:
            buffer.insert_text(line)
            buffer.validate_and_handle()

    here = has_focus("DEFAULT_BUFFER")
    runs, nothing_typed = Condition(lambda: working.running), Condition(empty)
    waits = Condition(lambda: working.queues(get_app().current_buffer.text.strip()))
    # At once where nothing is typed; else it may be the beginning of Alt-Enter.
    keys.add("escape", filter=here & runs, eager=nothing_typed)(stop)
    keys.add("enter", filter=here & waits)(queue)
    keys.add("up", filter=here & nothing_typed)(take_back)
    keys.add("escape", "a", filter=here)(take_offer)


def _pressing(does: Callable[[], None]) -> Callable[[KeyPressEvent], None]:
    def pressed(_: KeyPressEvent) -> None:
        does()

    return pressed
