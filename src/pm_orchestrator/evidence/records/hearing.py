"""Passing on what an executor says: masked as a whole before it is cut, and never a flood."""

from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.heard import Heard, Said, ToolFailed, Used
from pm_orchestrator.domain.history.run_events import ActivityDetail, ActivityEvent, HeardEvent
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.executor import Activity

LONGEST_TEXT = 4_000
LONGEST_LINE = 500
ROOM = 1_000_000
"""Characters of one run that are passed on; more nobody reads, and a disk is finite."""
EACH_COSTS = 100
"""At least: a piece of three letters is a line of a file and of a screen."""


class Hearing:
    """What is heard of one task's executor in the project directory `root`."""

    def __init__(self, events: EventSink, masker: Masker, root: Path, task_id: str) -> None:
        self._events = events
        self._masker = masker.for_log_events()
        self._root = f"{root}/"
        self._task_id = task_id
        self._room = ROOM
        self._used: tuple[int, float | None] = (0, None)
        """The tokens and the cost that were told last."""

    async def pass_on(self, activity: Activity) -> None:
        """Tell whoever watches; the pieces are kept as well, while there is room for them."""
        for piece in activity.heard:
            if self._room <= 0:
                break
            shown = self._shown(piece)
            await self._keep(HeardEvent(subject=self._task_id, detail=shown), _size(shown))
        glimpse = ActivityDetail(
            what=activity.what.replace(self._root, ""),
            tokens=activity.tokens,
            cost_usd=activity.cost_usd,
        )
        event = ActivityEvent(subject=self._task_id, detail=glimpse)
        used = (activity.tokens, activity.cost_usd)
        if used == self._used or self._room <= 0:
            await self._events.publish(event, kept=False)
        else:
            self._used = used
            await self._keep(event, EACH_COSTS)

    async def _keep(self, event: HeardEvent | ActivityEvent, size: int) -> None:
        self._room -= max(EACH_COSTS, size)
        try:
            await self._events.publish(event)
        except PmError:
            # The disk is full. What is only there to be seen may not end the work.
            self._room = 0

    def _shown(self, piece: Heard) -> Heard:
        match piece:
            case Said(text=text):
                return Said(text=self._clean(text, LONGEST_TEXT))
            case Used(tool=tool, target=target):
                target = target.replace(self._root, "")
                return Used(
                    tool=self._clean(tool, LONGEST_LINE), target=self._clean(target, LONGEST_LINE)
                )
            case ToolFailed(tool=tool, why=why):
                return ToolFailed(
                    tool=self._clean(tool, LONGEST_LINE), why=self._clean(why, LONGEST_LINE)
                )

    def _clean(self, text: str, most: int) -> str:
        masked = self._masker.mask(text).text
        cut = cut_between_words(masked, most)
        return cut if cut == masked else f"{cut} …"


def _size(piece: Heard) -> int:
    match piece:
        case Said(text=text):
            return len(text)
        case Used(tool=tool, target=more) | ToolFailed(tool=tool, why=more):
            return len(tool) + len(more)
