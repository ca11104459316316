"""The line a person types, with history, completion and a toolbar below it."""

from collections.abc import Callable, Mapping

from prompt_toolkit.completion import CompleteEvent, Completer, get_common_complete_suffix
from prompt_toolkit.document import Document
from prompt_toolkit.filters import has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.shortcuts import PromptSession
from prompt_toolkit.validation import ValidationError, Validator
from typing_extensions import override

from pm_orchestrator.cli.repl.interactive.look import STYLE
from pm_orchestrator.cli.repl.interactive.plain_line import LEAVE, InputLine

MENU_LINES = 6


class Prompt(InputLine):
    """The line on a terminal that draws."""

    def __init__(
        self,
        *,
        presses: Mapping[str, Callable[[], None]],
        toolbar: Callable[[], StyleAndTextTuples],
        refuses: Callable[[str], str | None],
        offers: Callable[[], str | None] = lambda: None,
        completer: Completer | None = None,
        history: History | None = None,
    ) -> None:
        self._kept = ""
        self._session: PromptSession[str | None] = PromptSession(
            completer=completer,
            history=history,
            validator=_Refusals(refuses),
            validate_while_typing=False,
            bottom_toolbar=toolbar,
            key_bindings=_bindings(presses, offers),
            style=STYLE,
            reserve_space_for_menu=MENU_LINES if completer is not None else 0,
        )

    @override
    async def read(self, message: StyleAndTextTuples) -> str | None:
        default, self._kept = self._kept, ""
        try:
            typed = await self._session.prompt_async(message, default=default, handle_sigint=False)
        except EOFError:
            return LEAVE
        finally:
            self._session.app.erase_when_done = False
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
    def forgive(self) -> None:
        self._session.default_buffer.validation_error = None
        self.redraw()

    @override
    def redraw(self) -> None:
        self._session.app.invalidate()


class _Refusals(Validator):
    """Keeps a line that cannot be carried out now, and says why below it."""

    def __init__(self, refuses: Callable[[str], str | None]) -> None:
        self._refuses = refuses

    @override
    def validate(self, document: Document) -> None:
        reason = self._refuses(document.text.strip())
        if reason is not None:
            raise ValidationError(len(document.text), reason)


def _bindings(
    presses: Mapping[str, Callable[[], None]], offers: Callable[[], str | None]
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

    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    def take_offer(event: KeyPressEvent) -> None:
        line, buffer = offers(), event.current_buffer
        # What has been typed is not thrown away for it.
        if line is not None and not buffer.text:
            buffer.insert_text(line)
            buffer.validate_and_handle()

    for key, does in presses.items():
        keys.add(key, filter=has_focus("DEFAULT_BUFFER"))(_pressing(does))
    keys.add("tab", filter=has_focus("DEFAULT_BUFFER"))(complete)
    # Alt-Enter, or Esc and then Enter.
    keys.add("escape", "enter")(new_line)
    keys.add("escape", "a", filter=has_focus("DEFAULT_BUFFER"))(take_offer)
    return keys


def _pressing(does: Callable[[], None]) -> Callable[[KeyPressEvent], None]:
    def pressed(_: KeyPressEvent) -> None:
        does()

    return pressed
