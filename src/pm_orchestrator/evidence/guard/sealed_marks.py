"""What is selected and which tasks run: two small files that every process of ours may write.

An executor that alters them would choose who does the next task, or what is closed after a
crash. Another process of ours leaves a record of what it selected, and lives, or has spoken,
where it notes or forgets a task.
"""

from pathlib import Path

from typing_extensions import override

from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.history.session import UnfinishedTask, UnfinishedTasks
from pm_orchestrator.domain.record import MalformedRecordError, from_json, to_file
from pm_orchestrator.evidence.guard.sealed_part import Compare, Difference, SealedPart
from pm_orchestrator.evidence.guard.spoken_since import SpokenSince
from pm_orchestrator.evidence.look.plain_open import try_read

SELECTING = frozenset({"select_provider", "select_model"})
UNSET = "UNSET"
Selected = tuple[str | None, str | None]


class SealedSelection(SealedPart):
    """`repl.json`: its running task is ours alone, its selection any person's."""

    def __init__(self, repl: Path) -> None:
        self._repl = repl

    @override
    def seal(self, session_id: str, sessions: tuple[str, ...]) -> Compare:
        before = try_read(self._repl)
        return lambda since: self._compare(before, since)

    def _compare(self, before: bytes | None, since: SpokenSince) -> Difference:
        now = try_read(self._repl)
        if now == before:
            return Difference()
        if before is None:
            return Difference(altered=(self._repl,))
        back = {self._repl: before}
        if now is None:
            return Difference(put_back=back, gone=(self._repl,))
        try:
            was = from_json(ReplState, before, self._repl.name)
            state = from_json(ReplState, now, self._repl.name)
        except MalformedRecordError:
            return Difference(altered=(self._repl,), put_back=back)
        tasks = (state.current_task_id, state.last_task_id)
        same = state.problem() is None and tasks == (was.current_task_id, was.last_task_id)
        selected = (state.selected_provider, state.selected_model)
        known = (was.selected_provider, was.selected_model)
        if same and (selected == known or selected in self._selections(since)):
            return Difference()
        return Difference(altered=(self._repl,), put_back=back)

    def _selections(self, since: SpokenSince) -> list[Selected]:
        """What people have selected on the record."""
        claude = self._repl.parent
        records = (r for r in since.records() if r.operation_type in SELECTING)
        texts = [try_read(claude / record.raw_logs) for record in records]
        return [selection_in_words(t.decode("utf-8", "replace")) for t in texts if t is not None]


def selection_words(old: ReplState, new: ReplState) -> str:
    """A change of the selection, as its record says it."""
    pairs = (
        ("selected_provider", old.selected_provider, new.selected_provider),
        ("selected_model", old.selected_model, new.selected_model),
    )
    return "\n".join(f"{name}: {was or UNSET} -> {now or UNSET}" for name, was, now in pairs)


def selection_in_words(text: str) -> Selected:
    """The provider and the model that such a record ends with."""
    said = [line.rpartition(" -> ")[2] for line in text.splitlines()]
    provider, model = (*said, UNSET, UNSET)[:2]
    return (None if provider == UNSET else provider, None if model == UNSET else model)


class SealedUnfinished(SealedPart):
    """`unfinished.json`: our own task stays, others may come and go with their owners."""

    def __init__(self, unfinished: Path) -> None:
        self._path = unfinished

    @override
    def seal(self, session_id: str, sessions: tuple[str, ...]) -> Compare:
        before = try_read(self._path)
        return lambda since: self._compare(before, since)

    def _compare(self, before: bytes | None, since: SpokenSince) -> Difference:
        now = try_read(self._path)
        if now == before or before is None:
            return Difference()
        if now is None:
            return Difference(put_back={self._path: before}, gone=(self._path,))
        was = self._tasks(before) or ()
        tasks = self._tasks(now)
        if tasks is None:
            return Difference(altered=(self._path,), put_back={self._path: before})
        moved = [t for t in (*was, *tasks) if (t in was) != (t in tasks)]
        others = since.others() if moved else frozenset[str]()
        false = [task for task in moved if task.session_id not in others]
        if not false:
            return Difference()
        kept = (*(t for t in was if t in tasks or t in false), *_by_others(tasks, was, false))
        back = {self._path: to_file(UnfinishedTasks(tasks=kept))}
        return Difference(altered=(self._path,), put_back=back)

    def _tasks(self, data: bytes) -> tuple[UnfinishedTask, ...] | None:
        try:
            return from_json(UnfinishedTasks, data, self._path.name).tasks
        except MalformedRecordError:
            return None


def _by_others(
    tasks: tuple[UnfinishedTask, ...],
    was: tuple[UnfinishedTask, ...],
    false: list[UnfinishedTask],
) -> list[UnfinishedTask]:
    return [task for task in tasks if task not in was and task not in false]
