"""What a person sees while a run goes on: here in plain lines, for a pipe."""

import time
from contextlib import AbstractContextManager, nullcontext
from math import ceil
from typing import Protocol

from typing_extensions import override

from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.history.run_events import (
    ActivityEvent,
    BrokeDown,
    Claims,
    ExaminedEvent,
    GateEvent,
    HeardEvent,
    MergedEvent,
    NoticeEvent,
    ParkedEvent,
    PhaseEvent,
    PlanEvent,
    Queued,
    RunEvent,
    SpentEvent,
    UnknownEvent,
    VerdictEvent,
    WorkerEvent,
    Working,
)
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.text import Lang

SubTaskEvent = WorkerEvent | GateEvent | ExaminedEvent | MergedEvent


class Progress(Protocol):
    """Shows events; used as a context manager around a run."""

    def __enter__(self) -> "Progress": ...

    def __exit__(self, *_: object) -> None: ...

    def show(self, event: RunEvent) -> None: ...

    def paused(self) -> AbstractContextManager[object]:
        """While a person is asked, what moves stands still."""
        return nullcontext()


class PlainProgress(Progress):
    """One line per event, with the time since the start; `folded` leaves out what is heard."""

    def __init__(self, screen: Screen, *, folded: bool = False) -> None:
        self._screen = screen
        self._folded = folded
        self._start = time.monotonic()

    @override
    def __enter__(self) -> "PlainProgress":
        return self

    @override
    def __exit__(self, *_: object) -> None:
        """Nothing is left open."""

    @override
    def show(self, event: RunEvent) -> None:
        if self._folded and isinstance(event, HeardEvent):
            return
        text = describe(event, self._screen.lang)
        if text:
            stamp = f"[{time.monotonic() - self._start:5.1f} s] "
            self._screen.line(stamp + text.replace("\n", "\n" + " " * len(stamp)))


class NoProgress(Progress):
    """For output that programs read."""

    @override
    def __enter__(self) -> "NoProgress":
        return self

    @override
    def __exit__(self, *_: object) -> None:
        """Nothing is left open."""

    @override
    def show(self, event: RunEvent) -> None:
        """Nothing is shown."""


def _heard(event: ActivityEvent | HeardEvent | SpentEvent) -> str:
    if not isinstance(event, HeardEvent):
        # These come after every answer of a model, and are summed up at the end.
        return ""
    from pm_orchestrator.cli.terminal.heard_lines import heard_lines

    return "\n".join(f"  {line}" for line in heard_lines(event.detail))


def describe(event: RunEvent, lang: Lang) -> str:
    """One line about an event, or nothing when it is not worth one."""
    match event:
        case PhaseEvent(subject=phase):
            return f"{list(Phase).index(phase) + 1}/7 {say(phase, lang)}"
        case PlanEvent(detail=plan):
            listed = "; ".join(f"{ticket[-2:]} {title}" for ticket, title in plan.titles.items())
            return f"    {say('plan', lang, count=len(plan.titles))}: {listed}"
        case VerdictEvent(detail=verdict):
            return f"    {verdict.status}: {verdict.reason}"
        case UnknownEvent() | NoticeEvent() | ParkedEvent():
            return f"    {_told(event, lang)}"
        case ActivityEvent() | HeardEvent() | SpentEvent():
            return _heard(event)
        case _:
            return f"    {event.subject} {sub_task_line(event, lang)}"


def parked_line(event: ParkedEvent, seconds: float, lang: Lang) -> str:
    """Who waits for a provider, and for how many seconds still."""
    reason = event.detail.reason
    return say("parked", lang, agent=event.subject, seconds=ceil(seconds), reason=reason)


def _told(event: UnknownEvent | NoticeEvent | ParkedEvent, lang: Lang) -> str:
    if isinstance(event, ParkedEvent):
        return parked_line(event, event.detail.seconds, lang)
    if isinstance(event, NoticeEvent):
        return f"! {say(f'notice_{event.detail.key}', lang, **event.detail.params)}"
    said = say("unknown_event", lang, kind=event.detail.kind)
    return f"{event.subject} {said}" if event.subject else said


def sub_task_line(event: SubTaskEvent, lang: Lang) -> str:
    """What has become of a sub-task."""
    match event:
        case WorkerEvent(detail=state):
            return _worker_line(state, lang)
        case GateEvent():
            return say("gates_running", lang)
        case ExaminedEvent(detail=found):
            key = "claim_accepted" if found.accepted else "claim_refused"
            return say(key, lang, claim=found.claim, reason=found.reason)
        case MergedEvent(detail=merged):
            gates = ", ".join(f"{k} {v}" for k, v in merged.gates.items()) or "-"
            return say("merged", lang, gates=gates)


def _worker_line(state: Queued | Working | Claims | BrokeDown, lang: Lang) -> str:
    match state:
        case Queued():
            return say("worker_queued", lang)
        case Working(worker=worker, attempt=attempt, turn=turn, text=text):
            working = say("worker_working", lang, attempt=attempt, turn=turn, text=text)
            return f"{worker} {working}"
        case Claims(worker=worker, text=text):
            return f"{worker} {say('worker_claims', lang, text=text)}"
        case BrokeDown(text=text):
            return say("worker_failed", lang, text=text)
