"""R-1, R-23: marks that several processes of ours write, and nobody else."""

from pathlib import Path

import pytest

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import RandomIds, SystemClock
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.history.session import UnfinishedTask, UnfinishedTasks
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.evidence.chain.links import chain_path
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.guard.sealed_history import SealedHistory
from pm_orchestrator.evidence.guard.sealed_marks import (
    SealedSelection,
    SealedUnfinished,
    selection_in_words,
    selection_words,
)
from pm_orchestrator.evidence.guard.sealed_part import Difference, SealedPart
from pm_orchestrator.evidence.guard.spoken_since import SpokenSince
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.recorder import Operation

OWN, OTHER = "session-1", "session-2"


def task(session: str, name: str = "task-1") -> UnfinishedTask:
    return UnfinishedTask(
        session_id=session, task_id=name, thread_id="thr_001", run_id="run_001", prompt="Do it"
    )


class Bench:
    """A project's marks, and who else is at work in it."""

    def __init__(self, root: Path) -> None:
        self.claude = root / ".claude"
        (self.claude / "logs" / "sessions" / OTHER).mkdir(parents=True)
        self.unfinished = root / "unfinished.json"
        self.repl = self.claude / "repl.json"
        self.living: set[str] = set()
        self.recorder = EvidenceRecorder(
            LocalFiles(SystemClock()), SystemClock(), RandomIds(), Masker(), self.claude, None
        )

    def note(self, *tasks: UnfinishedTask) -> None:
        self.unfinished.write_bytes(to_file(UnfinishedTasks(tasks=tasks)))

    def select(self, model: str | None, current: str | None = "task-1") -> ReplState:
        state = ReplState(selected_model=model, current_task_id=current)
        self.repl.write_bytes(to_file(state))
        return state

    def since(self) -> SpokenSince:
        chain = chain_path(self.claude)
        size = chain.stat().st_size if chain.exists() else 0
        return SpokenSince(self.claude, size, OWN, lambda: self.living)

    async def speaks(self, session: str, kind: str = "step", raw: str = "x") -> None:
        await self.recorder.record(
            Operation(type=kind, raw=raw, session_id=session, task_id="task-2")
        )

    def sealed(self, part: SealedPart) -> "Sealed":
        return Sealed(part, self.since())


class Sealed:
    def __init__(self, part: SealedPart, since: SpokenSince) -> None:
        self._compare = part.seal(OWN, (OTHER, OWN))
        self._since = since

    def found(self) -> Difference:
        return self._compare(self._since)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_tasks_of_others_come_and_go_with_them(bench: Bench) -> None:
    bench.note(task(OWN))
    sealed = bench.sealed(SealedUnfinished(bench.unfinished))
    bench.note(task(OWN), task(OTHER))
    assert sealed.found().altered == (bench.unfinished,), "nobody is there"
    bench.living.add(OTHER)
    assert sealed.found() == Difference()
    bench.living.clear()
    await bench.speaks(OTHER)
    assert sealed.found() == Difference(), "it was there"


def test_our_own_task_stays_and_what_others_noted_is_kept(bench: Bench) -> None:
    bench.note(task(OWN))
    sealed = bench.sealed(SealedUnfinished(bench.unfinished))
    bench.living.add(OTHER)
    bench.note(task(OTHER))
    found = sealed.found()
    assert found.altered == (bench.unfinished,)
    both = to_file(UnfinishedTasks(tasks=(task(OWN), task(OTHER))))
    assert found.put_back == {bench.unfinished: both}


async def test_marks_that_were_not_there_yet_are_nobodys_fault(bench: Bench) -> None:
    sealed = bench.sealed(SealedUnfinished(bench.unfinished))
    bench.note(task(OTHER))
    assert sealed.found() == Difference()
    bench.unfinished.unlink()
    assert sealed.found() == Difference()


async def test_a_selection_needs_its_record(bench: Bench) -> None:
    old = bench.select(None)
    sealed = bench.sealed(SealedSelection(bench.repl))
    new = bench.select("better")
    assert sealed.found().altered == (bench.repl,)
    await bench.speaks("project", "select_model", selection_words(old, new))
    assert sealed.found() == Difference()
    bench.select("worse")
    assert sealed.found().altered == (bench.repl,), "another one was selected"
    bench.select("better", current=None)
    assert sealed.found().altered == (bench.repl,), "the running task is ours to say"
    bench.repl.write_text('{"selected_model": " "}', encoding="utf-8")
    assert sealed.found().altered == (bench.repl,)
    bench.repl.unlink()
    assert sealed.found().gone == (bench.repl,)


def test_a_selection_is_read_as_it_was_said() -> None:
    words = selection_words(ReplState(), ReplState(selected_model="a -> b"))
    assert selection_in_words(words)[0] is None
    assert selection_in_words("garbage") == ("garbage", None)


def test_how_another_session_stands_is_its_owners(bench: Bench) -> None:
    logs = bench.claude / "logs"
    state = logs / "sessions" / OTHER / "session_state.json"
    state.write_text("{}", encoding="utf-8")
    root = bench.claude.parent
    part = SealedHistory(logs, root / "runs", root / "backlog")
    sealed = bench.sealed(part)
    state.write_text('{"continuation_approved": true}', encoding="utf-8")
    assert sealed.found().put_back == {state: b"{}"}
    bench.living.add(OTHER)
    assert sealed.found() == Difference()
    # Sealed again, what was not touched is not read again, and holds.
    again = bench.sealed(part)
    assert again.found() == Difference()
    bench.living.clear()
    state.unlink()
    found = again.found()
    assert (found.altered, found.gone) == ((), (state,))
