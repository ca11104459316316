"""Looking through the logs of a session: the list, one task, the tree, with single keys."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from prompt_toolkit.application import Application, get_app
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window

from pm_orchestrator.cli.pages.logs.browsable_logs import LogPages
from pm_orchestrator.cli.repl.interactive.chooser import ESCAPE_WAITS_S
from pm_orchestrator.cli.repl.interactive.look import STYLE
from pm_orchestrator.cli.terminal.text_width import cut_to_width, wrapped
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.text import Lang

View = Literal["list", "detail", "tree"]
KEYS = {
    "up": "up",
    "k": "up",
    "down": "down",
    "j": "down",
    "pageup": "page_up",
    "pagedown": "page_down",
    "space": "page_down",
    "enter": "enter",
    "t": "tree",
    "f": "full",
    "b": "back",
    **{digit: digit for digit in "123456789"},
}
STEPS = {"up": -1, "down": 1}


class Room(NamedTuple):
    """How much of a page can be seen."""

    lines: int
    columns: int


class LogBrowser:
    """Where the reader is. `press` knows nothing of terminals."""

    def __init__(self, pages: LogPages, lang: Lang) -> None:
        self._pages = pages
        self._lang: Lang = lang
        self._full = False
        self._scrolled = 0
        self.view: View = "list"
        self.selected = max(0, len(pages.ids) - 1)
        """The last task first: it is what most people look for."""

    def press(self, key: str, room: Room) -> None:
        """One key, with so much room for the page."""
        match key:
            case "tree":
                self._go("list" if self.view == "tree" else "tree")
            case "back":
                self._go("list")
            case "full":
                self._open(full=self.view != "detail" or not self._full)
            case "enter":
                self._open(full=self._full and self.view == "detail")
            case "page_up" | "page_down":
                self._scroll(room.lines if key == "page_down" else -room.lines, room)
            case "up" | "down":
                self._step(STEPS[key], room)
            case _:
                self._select(int(key) - 1)

    def page(self, room: Room) -> str:
        """What is shown of the page in so much room."""
        lines = self._lines(room.columns)
        if self.view == "list":
            # The list moves with its mark.
            marked = next((n for n, line in enumerate(lines) if line.startswith(">")), 0)
            self._scrolled = max(0, marked - room.lines + 1)
        return "\n".join(lines[self._scrolled : self._scrolled + room.lines])

    @property
    def footer(self) -> str:
        """The keys that do something here."""
        return tell(f"browse_{self.view}", self._lang)

    async def run(self) -> None:
        """On the whole screen, until the reader leaves."""
        keys = KeyBindings()
        for name, meaning in KEYS.items():
            keys.add(name)(self._pressing(meaning))
        for name in ("q", "escape", "c-c", "c-d"):
            keys.add(name)(_leave)
        page = FormattedTextControl(lambda: self.page(_room()), show_cursor=False)
        footer = FormattedTextControl(lambda: [("class:key", self.footer)])
        application: Application[None] = Application(
            layout=Layout(HSplit([Window(page), Window(height=1), Window(footer, height=1)])),
            key_bindings=keys,
            style=STYLE,
            full_screen=True,
        )
        application.ttimeoutlen = ESCAPE_WAITS_S
        await application.run_async(handle_sigint=False)

    def _pressing(self, meaning: str) -> Callable[[KeyPressEvent], None]:
        def pressed(_: KeyPressEvent) -> None:
            self.press(meaning, _room())

        return pressed

    def _go(self, view: View) -> None:
        self.view = view
        self._scrolled = 0

    def _open(self, *, full: bool) -> None:
        if self._pages.ids and self.view != "tree":
            self._full = full
            self._go("detail")

    def _step(self, step: int, room: Room) -> None:
        if self.view == "list":
            self._select(self.selected + step)
        else:
            self._scroll(step, room)

    def _select(self, number: int) -> None:
        if self.view == "list" and 0 <= number < len(self._pages.ids):
            self.selected = number

    def _scroll(self, lines: int, room: Room) -> None:
        if self.view == "list":
            self._select(min(max(0, self.selected + lines), len(self._pages.ids) - 1))
            return
        most = max(0, len(self._lines(room.columns)) - room.lines)
        self._scrolled = min(max(0, self._scrolled + lines), most)

    def _lines(self, columns: int) -> list[str]:
        page = self._page()
        if self.view == "list":
            return [cut_to_width(line, columns) for line in page.split("\n")]
        return [part for line in page.split("\n") for part in wrapped(line, columns)]

    def _page(self) -> str:
        if self.view == "list":
            return self._pages.list_page(self.selected)
        if self.view == "detail":
            return self._pages.detail_page(self._pages.ids[self.selected], self._full)
        return self._pages.tree_page()


def _leave(event: KeyPressEvent) -> None:
    event.app.exit()


def _room() -> Room:
    """The terminal without the footer and the gap above it."""
    size = get_app().output.get_size()
    return Room(lines=max(1, size.rows - 2), columns=size.columns)
