"""Picking one of several lines with the arrow keys, drawn below what was said before."""

from collections.abc import Callable, Sequence

from prompt_toolkit.application import Application, get_app
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import Dimension, FormattedTextControl, HSplit, Layout, Window

from pm_orchestrator.cli.repl.interactive.look import STYLE
from pm_orchestrator.cli.repl.ui import Choice
from pm_orchestrator.cli.terminal.text_table import display_width, padded
from pm_orchestrator.cli.terminal.text_width import wrapped

ESCAPE_WAITS_S = 0.1
"""How long Esc may be the beginning of an arrow key."""
KEYS = {"up": -1, "k": -1, "c-p": -1, "down": 1, "j": 1, "c-n": 1}


class Chooser:
    """One selection."""

    def __init__(
        self, title: str, choices: Sequence[Choice], *, current: str | None, footer: str
    ) -> None:
        self._title = title
        self._choices = choices
        self._footer = footer
        values = [choice.value for choice in choices]
        self._at = values.index(current) if current in values else 0
        self._width = max(display_width(value) for value in values)

    async def run(self) -> str | None:
        """The value that was picked; None when the person left."""
        columns = get_app().output.get_size().columns
        title = "\n".join(wrapped(self._title, columns))
        body = FormattedTextControl(self._lines, focusable=True, show_cursor=False)
        layout = HSplit(
            [
                Window(FormattedTextControl(title), dont_extend_height=True),
                Window(body, height=Dimension(max=len(self._choices))),
                Window(height=1),
                Window(FormattedTextControl(self._footer), height=1),
            ]
        )
        application: Application[str | None] = Application(
            layout=Layout(layout, focused_element=body),
            key_bindings=self._bindings(),
            style=STYLE,
            erase_when_done=True,
        )
        application.ttimeoutlen = ESCAPE_WAITS_S
        return await application.run_async(handle_sigint=False)

    def _lines(self) -> StyleAndTextTuples:
        shown: StyleAndTextTuples = []
        for number, choice in enumerate(self._choices):
            here = number == self._at
            if here:
                # The window follows the cursor, so a long list scrolls.
                shown.append(("[SetCursorPosition]", ""))
            line = f"  {'>' if here else ' '} {padded(choice.value, self._width)}  {choice.label}"
            shown.append(("class:selected" if here else "", line.rstrip()))
            if number < len(self._choices) - 1:
                shown.append(("", "\n"))
        return shown

    def _bindings(self) -> KeyBindings:
        keys = KeyBindings()

        def moving(step: int) -> Callable[[KeyPressEvent], None]:
            def move(_: KeyPressEvent) -> None:
                self._at = (self._at + step) % len(self._choices)

            return move

        for name, step in KEYS.items():
            keys.add(name)(moving(step))

        def jump(event: KeyPressEvent) -> None:
            self._at = min(int(event.data), len(self._choices)) - 1

        for digit in "123456789":
            keys.add(digit)(jump)

        def pick(event: KeyPressEvent) -> None:
            event.app.exit(result=self._choices[self._at].value)

        def leave(event: KeyPressEvent) -> None:
            event.app.exit(result=None)

        keys.add("enter")(pick)
        for name in ("q", "escape", "c-c", "c-d"):
            keys.add(name)(leave)
        return keys
