"""What happens in a run, one record per kind: the lines of `events.jsonl` and `heard.jsonl`.

Everything that shows a run (a board, a line, `watch --json`) is made from these. Their JSON
is the form on disk: `kind`, what it is about (`subject`), and what there is to say of it.
"""

from typing import Any, ClassVar, Literal

import msgspec

from pm_orchestrator.domain.history.heard import Heard
from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.domain.record import Record, from_json
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.status import TaskStatus

EVENTS = "events.jsonl"
HEARD = "heard.jsonl"
"""What executors say comes while they work, when nobody may write what the Runner wrote before."""


class Event(Record, frozen=True, kw_only=True, tag_field="kind"):
    """What all have in common; whoever takes a published event fills it in."""

    file: ClassVar[str] = EVENTS
    """Where it is written down."""

    sequence: int = 0
    timestamp: str = ""
    run_id: str = ""


class NoDetail(Record, frozen=True, kw_only=True):
    """The subject says it all."""


class PhaseEvent(Event, frozen=True, kw_only=True, tag="phase"):
    """The run enters a phase."""

    subject: Phase
    detail: NoDetail = NoDetail()


class PlanDetail(Record, frozen=True, kw_only=True):
    """What a task was split into."""

    titles: dict[str, str]
    """By ticket."""


class PlanEvent(Event, frozen=True, kw_only=True, tag="plan"):
    """The task, by its ticket, has a plan."""

    subject: str
    detail: PlanDetail


class Queued(Record, frozen=True, kw_only=True, tag_field="state", tag="queued"):
    """It waits for a free worker."""

    attempt: int


class Working(Record, frozen=True, kw_only=True, tag_field="state", tag="working"):
    """Its executor says what it is at."""

    worker: str
    attempt: int
    turn: int
    text: str


class Claims(Record, frozen=True, kw_only=True, tag_field="state", tag="claims"):
    """Its executor says that it is done, or why it is not."""

    worker: str
    text: str


class BrokeDown(Record, frozen=True, kw_only=True, tag_field="state", tag="failed"):
    """What stopped its worker is no word of the executor."""

    text: str


class WorkerEvent(Event, frozen=True, kw_only=True, tag="worker"):
    """Something about the work on a sub-task, by its ticket."""

    subject: str
    detail: Queued | Working | Claims | BrokeDown


class GateDetail(Record, frozen=True, kw_only=True):
    """How far the gates are."""

    state: Literal["running"] = "running"


class GateEvent(Event, frozen=True, kw_only=True, tag="gate"):
    """The Runner runs gates on what a sub-task delivered."""

    subject: str
    detail: GateDetail = GateDetail()


class ExaminedDetail(Record, frozen=True, kw_only=True):
    """What was claimed, and what the Runner found."""

    attempt: int
    status: TaskStatus
    reason: str
    claim: str

    @property
    def accepted(self) -> bool:
        return self.status is TaskStatus.COMPLETE


class ExaminedEvent(Event, frozen=True, kw_only=True, tag="examined"):
    """The Runner has judged an attempt at a sub-task."""

    subject: str
    detail: ExaminedDetail


class MergedDetail(Record, frozen=True, kw_only=True):
    """What came of a merge."""

    commit: str
    gates: dict[str, GateVerdict]


class MergedEvent(Event, frozen=True, kw_only=True, tag="merged"):
    """Sub-tasks were brought together and judged again."""

    subject: str
    detail: MergedDetail


class VerdictDetail(Record, frozen=True, kw_only=True):
    """How a run ends, and why."""

    status: TaskStatus
    reason: str


class VerdictEvent(Event, frozen=True, kw_only=True, tag="verdict"):
    """The run, by its id, is judged."""

    subject: str
    detail: VerdictDetail


class ActivityDetail(Record, frozen=True, kw_only=True):
    """What an executor is at, by its own word."""

    what: str
    tokens: int
    cost_usd: float | None


class ActivityEvent(Event, frozen=True, kw_only=True, tag="activity"):
    """A glimpse of the work on a task, by its id."""

    file: ClassVar[str] = HEARD

    subject: str
    detail: ActivityDetail


class HeardEvent(Event, frozen=True, kw_only=True, tag="heard"):
    """A piece of what the executor of a task, by its id, says and does."""

    file: ClassVar[str] = HEARD

    subject: str
    detail: Heard


NoticeKey = Literal["not_saved", "files_over", "time_nearly_over", "tokens_nearly_over"]


class NoticeDetail(Record, frozen=True, kw_only=True):
    """A sentence to be: what a person should know now, and not only at the end."""

    key: NoticeKey
    params: dict[str, str]


class NoticeEvent(Event, frozen=True, kw_only=True, tag="notice"):
    """Something about a task, by its id, that somebody may want to act on."""

    file: ClassVar[str] = HEARD

    subject: str
    detail: NoticeDetail


class ParkedDetail(Record, frozen=True, kw_only=True):
    """For how long a question waits, and why."""

    seconds: float
    reason: str


class ParkedEvent(Event, frozen=True, kw_only=True, tag="parked"):
    """An agent, by its name, waits for a vendor that has too much to do."""

    subject: str
    detail: ParkedDetail


class SpentDetail(Record, frozen=True, kw_only=True):
    """What a run has spent so far, as people are told it."""

    tokens: str
    cost: str
    turns: int


class SpentEvent(Event, frozen=True, kw_only=True, tag="spent"):
    """An agent, by its name, was answered."""

    subject: str
    detail: SpentDetail


class UnreadDetail(Record, frozen=True, kw_only=True):
    """What stands in the file; nobody here knows how to read it."""

    kind: str
    detail: Any


class UnknownEvent(Event, frozen=True, kw_only=True, tag="unknown"):
    """An event of another version of this program."""

    subject: str
    detail: UnreadDetail


RunEvent = (
    PhaseEvent
    | PlanEvent
    | WorkerEvent
    | GateEvent
    | ExaminedEvent
    | MergedEvent
    | VerdictEvent
    | ActivityEvent
    | HeardEvent
    | NoticeEvent
    | ParkedEvent
    | SpentEvent
    | UnknownEvent
)

_DECODER: msgspec.json.Decoder[RunEvent] = msgspec.json.Decoder(RunEvent)


class _AnyLine(msgspec.Struct, frozen=True, kw_only=True):
    """What makes a line an event of whatever version."""

    sequence: int
    timestamp: str
    run_id: str
    kind: str
    subject: str = ""
    detail: Any = None


def read_event(line: bytes, source: str) -> RunEvent:
    """One line of `events.jsonl`; of a kind or a form that is not known, that it is unknown.

    Raises:
        MalformedRecordError: E302 for what is no event at all.
    """
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        other = from_json(_AnyLine, line, source)
    return UnknownEvent(
        sequence=other.sequence,
        timestamp=other.timestamp,
        run_id=other.run_id,
        subject=other.subject,
        detail=UnreadDetail(kind=other.kind, detail=other.detail),
    )
