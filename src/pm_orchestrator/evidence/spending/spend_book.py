"""What a project has spent on models, one file for each day: what was asked, and what it cost.

A question is written down before it is asked, with what it may cost at most. That stands until
its answer does, so that a process that was killed in between has spent too little nowhere.
"""

from collections.abc import Collection, Iterable, Iterator
from decimal import Decimal
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.company.spending import Caps, Spending
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import Record, to_json
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

ENDING = ".jsonl"


class SpendLine(Record, frozen=True, kw_only=True, tag_field="kind"):
    """What all lines have in common."""

    run_id: str
    at: str = ""


class LifeBegan(SpendLine, frozen=True, kw_only=True, tag="began"):
    """A run begins, or is taken up again."""

    task_id: str
    way: str
    model: str
    asked: Caps = Caps()
    """What was asked for this run alone."""


class CallHeld(SpendLine, frozen=True, kw_only=True, tag="held"):
    """A question is about to be asked; so much it may cost at most."""

    id: str
    agent: str
    tokens: int
    usd: Decimal | None


class CallFreed(SpendLine, frozen=True, kw_only=True, tag="freed"):
    """It was never answered, and costs nothing."""

    id: str


class CallSpent(SpendLine, frozen=True, kw_only=True, tag="spent"):
    """It was answered; without an id, somebody else counted it."""

    id: str = ""
    agent: str
    model: str
    spent: Spending
    seconds: float = 0.0
    """How long the run had worked by then, since it was last begun."""


AnyLine = LifeBegan | CallHeld | CallFreed | CallSpent


class RunSpending(msgspec.Struct, kw_only=True):
    """What one run has spent."""

    agents: dict[str, Spending] = msgspec.field(default_factory=dict[str, Spending])
    held: dict[str, CallHeld] = msgspec.field(default_factory=dict[str, CallHeld])
    """What was asked and has no answer on record."""
    task_id: str = ""
    lives: int = 0
    way: str = ""
    model: str = ""
    asked: Caps = Caps()
    seconds: list[float] = msgspec.field(default_factory=list[float])
    """It has worked, each time it was begun."""

    def total(self) -> Spending:
        """Everything, with what is on its way at its most."""
        held = (_at_most(line) for line in self.held.values())
        return sum([*self.agents.values(), *held], Spending())

    def take(self, line: AnyLine) -> None:
        match line:
            case LifeBegan():
                self.lives += 1
                self.task_id, self.way, self.model = line.task_id, line.way, line.model
                self.asked = line.asked.or_else(self.asked)
                self.seconds.append(0.0)
            case CallHeld():
                self.held[line.id] = line
            case CallFreed():
                self.held.pop(line.id, None)
            case CallSpent():
                self.held.pop(line.id, None)
                before = self.agents.get(line.agent, Spending())
                self.agents[line.agent] = before + line.spent
                if self.seconds:
                    self.seconds[-1] = max(self.seconds[-1], line.seconds)


class SpendBook:
    """The lines of one project, in `folder`."""

    def __init__(self, files: DurableFiles, folder: Path, clock: Clock) -> None:
        self._files = files
        self._folder = folder
        self._clock = clock

    def note(self, line: AnyLine) -> None:
        """Write it down; it survives the end of this process."""
        now = replace(line, at=iso(self._clock.now()))
        # Behind what a power cut may have torn.
        torn = b"\n" if isinstance(line, LifeBegan) else b""
        self._files.note(self.today(), torn + to_json(now) + b"\n")

    def today(self) -> Path:
        """The file of this day."""
        return self._folder / f"{self._clock.now().date().isoformat()}{ENDING}"

    def spent_today(self, run_id: str, without: Collection[str]) -> Spending:
        """By all runs together, but for questions of one run that are still on their way."""
        runs = self._read([self.today().name])
        for place in without:
            runs.get(run_id, RunSpending()).held.pop(place, None)
        return sum((run.total() for run in runs.values()), Spending())

    def run(self, run_id: str) -> RunSpending:
        """What one run has spent, on whichever days."""
        return self.runs().get(run_id, RunSpending())

    def runs(self) -> dict[str, RunSpending]:
        """What each run has spent, those that began first at the front."""
        return self._read(self._files.names(self._folder))

    def _read(self, names: Iterable[str]) -> dict[str, RunSpending]:
        runs: dict[str, RunSpending] = {}
        for name in names:
            if not name.endswith(ENDING):
                continue
            for line in self._lines(self._folder / name):
                runs.setdefault(line.run_id, RunSpending()).take(line)
        return runs

    def _lines(self, path: Path) -> Iterator[AnyLine]:
        try:
            data = self._files.read(path)
        except FileNotFoundError:
            return
        for line in data.splitlines():
            try:
                yield _DECODER.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                # Empty, or torn by a power cut: then it was not acted on.
                continue


def _at_most(line: CallHeld) -> Spending:
    used = TokenUsage(input_tokens=line.tokens, estimated=True)
    if line.usd is None:
        return Spending(turns=1, used=used, unpriced_tokens=line.tokens)
    return Spending(turns=1, used=used, usd=line.usd)


_DECODER: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)
