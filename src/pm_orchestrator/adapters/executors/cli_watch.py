"""Following a coding CLI while it runs: its lines, its prompts, its silence, its budget."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import override

from pm_orchestrator.adapters.executors.cli_story import CliStory, CliTalk
from pm_orchestrator.adapters.executors.output_lines import SHOWN_LIMIT, EventLines, Transcript
from pm_orchestrator.domain.company.supervision import Blockage, ExecutorWatch, WatchLimits
from pm_orchestrator.domain.history.heard import Heard
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.executor import Activity, Person
from pm_orchestrator.ports.process import ProcessWatcher, Say

if TYPE_CHECKING:
    from pm_orchestrator.adapters.executors.cli_answers import CliAnswers

TOLD_EVERY_S = 0.1
FAREWELL_S = 5.0
"""How long the CLI may live on after its last word."""


class CliWatch(ProcessWatcher):
    """Reads the stream as it comes and decides how long it may go on."""

    def __init__(
        self,
        story: CliStory,
        limits: WatchLimits,
        clock: Clock,
        token_budget: int | None = None,
        told: Callable[[Activity], None] | None = None,
    ) -> None:
        self.story = story
        self._clock = clock
        self._told = told
        self._told_at = -TOLD_EVERY_S
        self._untold: list[Heard] = []
        self._token_budget = token_budget
        self._watch = ExecutorWatch(limits, clock.monotonic())
        self._lines = EventLines()
        self._transcript = Transcript()
        self._errors = Transcript()
        self._ended_at: float | None = None
        self._answers: CliAnswers | None = None
        self.blocked: Blockage | None = None
        self.overran = False
        self.overspent = False
        """It used more tokens than it may, by its own count, before it was done."""

    def ask(self, talk: CliTalk, person: Person, instruction: str) -> None:
        """Have a person answer what it asks; it is told by them what to do, too."""
        from pm_orchestrator.adapters.executors.cli_answers import CliAnswers

        self._answers = CliAnswers(talk, person, instruction, self._release)

    @property
    def denied_calls(self) -> tuple[str, ...]:
        """What it was denied without anybody's word, each call once."""
        declined = set[str]() if self._answers is None else self._answers.declined
        calls = dict.fromkeys(self.story.denied_calls)
        return tuple(call for call in calls if call not in declined)

    @property
    def waited_s(self) -> float:
        """How long it waited for a person."""
        return self._watch.held_s

    @property
    @override
    def speaks(self) -> bool:
        return self._answers is not None

    @override
    def may_speak(self, say: Say) -> None:
        if self._answers is not None:
            self._answers.begin(say)

    def hang_up(self) -> None:
        """It hears no more, and nobody is asked for it."""
        if self._answers is not None:
            self._answers.end()

    @property
    def unasked(self) -> Exception | None:
        """Why the person could not be asked, where that ended it."""
        return None if self._answers is None else self._answers.failure

    @override
    def output(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        if stream == "stderr":
            self._errors.add(data)
            shown = data[-SHOWN_LIMIT:].decode(errors="replace")
            self._watch.terminal(shown, self._clock.monotonic())
        else:
            self._transcript.add(data)
            self._take(self._lines.feed(data))

    @override
    def patience(self, waits_for_input: Callable[[], bool]) -> float:
        now = self._clock.monotonic()
        if self._untold:
            self._tell(now)
        if self._ended_at is not None:
            # It has said its last word: it cannot be stuck any more, only slow to go.
            return self._ended_at + FAREWELL_S - now
        if self.unasked is not None:
            return 0.0
        if self._token_budget is not None and self.story.tokens > self._token_budget:
            self.overspent = True
            return 0.0
        self.blocked = self._watch.verdict(now, waits_for_input)
        if self.blocked is not None:
            self.overran = self._watch.overran(now)
            return 0.0
        # What comes meanwhile may look like a prompt, so it is asked again soon anyway.
        return max(self._watch.patience(now), 0.01)

    def finish(self, exit_code: int | None) -> None:
        """Nothing more will come."""
        self._take(self._lines.finish())
        self._untold += self.story.heard(ended=True)
        if self._untold:
            self._tell(self._clock.monotonic(), at_once=True)
        if self.blocked is None and self.story.last_word is None:
            self.blocked = self._watch.ended(exit_code, self._clock.monotonic())

    def transcript(self) -> str:
        """Everything it put out, cut in the middle where it was too much."""
        return f"--- stdout\n{self._transcript.text()}\n--- stderr\n{self._errors.text()}"

    def last_lines(self) -> str:
        """The end of what it wrote to stderr, or else to stdout."""
        return (self._errors.text().strip() or self._transcript.text().strip())[-400:]

    def _take(self, parts: Iterator[Mapping[str, Any] | str]) -> None:
        now = self._clock.monotonic()
        for part in parts:
            if isinstance(part, str):
                self._watch.terminal(part, now)
                continue
            before = self.story.last_word
            step = self.story.take(part)
            self._watch.event(now, opened=step.opened, closed=step.closed)
            asks = self._answers is not None and self._answers.take(part)
            if asks:
                self._watch.hold(now)
            elif step.request is not None:
                self._watch.asked(step.request, now)
            if self._told is not None:
                self._untold += self.story.heard()
            last = self.story.last_word is not before
            # A person who is asked has heard what came before.
            self._tell(now, at_once=asks or (last and self._ended_at is None))
            if last:
                self._ended_at = now
                self.hang_up()

    def _release(self) -> None:
        self._watch.release(self._clock.monotonic())

    def _tell(self, now: float, *, at_once: bool = False) -> None:
        """Say what it is at; not more often than a person can read."""
        if self._told is not None and (at_once or now - self._told_at >= TOLD_EVERY_S):
            self._told_at = now
            self._told(self._activity())
            self._untold.clear()

    def _activity(self) -> Activity:
        last = self.story.last_word
        return Activity(
            what=self.story.activity,
            # Its last word sums up what the single messages may have left out.
            tokens=max(self.story.tokens, 0 if last is None else sum(last.usage.values())),
            cost_usd=None if last is None else last.cost_usd,
            heard=tuple(self._untold),
        )
