"""Retention over any history: what is old goes, what is young stays, and the chain verifies."""

import asyncio
import tempfile
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec
from hypothesis import given, strategies as st

from pm_orchestrator.domain.history.task_log import TaskLogEntry, TaskLogStatus
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.domain.tasks.evidence_record import Evidence, Tombstones
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.chain.links import digest, evidence_hash, record_path
from pm_orchestrator.evidence.chain.pruning import PruneReport, Pruning, SessionsInUse
from pm_orchestrator.evidence.chain.raw_logs import WORTH_IT
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.task_inventory import task_inventory
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.testing.memory.fake_clock import START, CountingIds, FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles, PowerCut

NOW = START + timedelta(days=400)
TASKS = ("task-1", "task_2")
SESSIONS = ("s-1", "s_2", "project")
hours = st.integers(0, 60 * 24)


class Told(NamedTuple):
    """One operation: whose, and how many hours ago."""

    session: str
    task: str
    age: int
    long: bool = False


class History(NamedTuple):
    """What has happened in a project."""

    told: list[Told]
    ended: dict[tuple[str, str], int | None]
    """Tasks of the indexes: how long ago each ended, None for one that has not."""
    in_use: frozenset[str]

    def is_due(self, one: Told, days: int) -> bool:
        if one.session in self.in_use or one.age <= days * 24:
            return False
        ended = self.ended.get((one.session, one.task), days * 24 + 1)
        return ended is not None and ended > days * 24

    def entries(self, session: str) -> Iterable[TaskLogEntry]:
        for number, ((of, task), age) in enumerate(self.ended.items()):
            if of == session:
                yield entry(f"task-{number:03d}", task, age)


def entry(log_id: str, task: str, age: int | None) -> TaskLogEntry:
    return TaskLogEntry(
        task_id=log_id,
        external_task_id=task,
        thread_id="thr_001",
        run_id="run_001",
        parent_task_id=None,
        status=TaskLogStatus.RUNNING if age is None else TaskLogStatus.COMPLETE,
        started_at="",
        completed_at=None if age is None else ago(age),
        duration_ms=0,
        files_modified_count=0,
        tests_run_count=0,
        log_file="",
    )


def ago(age: int) -> str:
    return iso(NOW - timedelta(hours=age))


histories = st.builds(
    History,
    st.lists(
        st.builds(Told, st.sampled_from(SESSIONS), st.sampled_from(TASKS), hours, st.booleans()),
        min_size=1,
        max_size=10,
    ),
    st.dictionaries(
        st.tuples(st.sampled_from(SESSIONS), st.sampled_from(TASKS)), st.none() | hours
    ),
    st.frozensets(st.sampled_from(SESSIONS), max_size=1),
)


class Project:
    """A project with a history on a disk of its own."""

    def __init__(self, root: str, history: History) -> None:
        self.claude = Path(root) / ".claude"
        self.heads = Path(root) / "heads"
        self.history = history
        self.disk: dict[Path, bytes] = {}
        self._ids = CountingIds()
        self.made = [asyncio.run(self._record(one)) for one in history.told]

    async def _record(self, one: Told) -> Evidence:
        raw = "what was said\n" * (WORTH_IT if one.long else 1)
        operation = Operation(type="t", raw=raw, session_id=one.session, task_id=one.task)
        clock = FakeClock(NOW - timedelta(hours=one.age))
        return await self._recorder(MemoryFiles(self.disk), clock).record(operation)

    def _recorder(self, files: MemoryFiles, clock: FakeClock) -> EvidenceRecorder:
        return EvidenceRecorder(files, clock, self._ids, Masker(), self.claude, self.heads)

    def prune(self, days: int, files: MemoryFiles | None = None) -> PruneReport:
        disk = files or MemoryFiles(self.disk)
        recorder = self._recorder(disk, FakeClock(NOW))
        sessions = SessionsInUse(
            entries=self.history.entries, in_use=self.history.in_use.__contains__
        )
        return asyncio.run(Pruning(disk, recorder, self.claude, sessions).prune(ago(days * 24)))

    def kept(self) -> list[bool]:
        return [self.claude / evidence.raw_logs in self.disk for evidence in self.made]

    def is_intact(self) -> bool:
        with tempfile.TemporaryDirectory() as copy:
            for path, data in self.disk.items():
                place = Path(copy) / path.relative_to(self.claude.parent)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            report = check(Path(copy) / ".claude", Path(copy) / "heads")
        assert not report.intact or report.pruned == self.kept().count(False)
        found = task_inventory(
            MemoryFiles(self.disk), self.claude, [e.evidence_id for e in self.made]
        )
        assert not report.intact or not found.missing_evidence_operations
        assert not report.intact or not found.integrity_failures
        return report.intact


@given(histories, st.integers(1, 50))
def test_what_is_old_goes_and_what_is_young_stays(history: History, days: int) -> None:
    """R-21 Evidence Integrity Management: pruning takes exactly what is due, and is proved."""
    with tempfile.TemporaryDirectory() as root:
        project = Project(root, history)
        before = dict(project.disk)
        report = project.prune(days)
        due = [history.is_due(one, days) for one in history.told]
        assert project.kept() == [not old for old in due]
        assert (report.pruned, report.kept) == (due.count(True), due.count(False) + any(due))
        assert project.is_intact()
        # Nothing but raw logs was touched, and nothing was written where nothing was due.
        gone = {
            project.claude / e.raw_logs for e, old in zip(project.made, due, strict=True) if old
        }
        assert before.keys() - project.disk.keys() == gone
        assert any(due) or project.disk == before
        assert project.prune(days).evidence_id is None


@given(histories, st.integers(1, 50), st.integers(1, 16), st.booleans(), st.booleans())
def test_a_crash_at_any_write_leaves_what_verifies(
    history: History, days: int, die_at: int, torn: bool, reorder: bool
) -> None:
    """R-21 Evidence Integrity Management: no log goes before its tombstone is durable."""
    with tempfile.TemporaryDirectory() as root:
        project = Project(root, history)
        try:
            project.prune(
                days, MemoryFiles(project.disk, die_at=die_at, torn=torn, reorder=reorder)
            )
        except PowerCut:
            pass
        assert project.is_intact()
        due = [history.is_due(one, days) for one in history.told]
        assert all(kept or old for kept, old in zip(project.kept(), due, strict=True))
        # The next one finishes what was begun.
        project.prune(days)
        assert project.kept() == [not old for old in due]
        assert project.is_intact()


def forged(project: Project, stones: Evidence, evidence_id: str) -> None:
    """Name one more in the tombstones, with every hash of the record made to fit."""
    path = project.claude / stones.raw_logs
    known = from_json(Tombstones, project.disk[path])
    more = msgspec.structs.replace(known, evidence_ids=(*known.evidence_ids, evidence_id))
    raw = to_file(more)
    project.disk[path] = raw
    new = msgspec.structs.replace(stones, raw_evidence_refs=(f"sha256:{digest(raw)}",))
    new = msgspec.structs.replace(new, hash=evidence_hash(new))
    project.disk[record_path(project.claude, stones.evidence_id)] = to_file(new)


@given(histories, st.sampled_from(["young", "stones", "byte", "record", "forged", "planted"]))
def test_whoever_tampers_with_a_tombstone_is_found(history: History, how: str) -> None:
    """R-21 Evidence Integrity Management: a missing log needs a tombstone that is in the chain."""
    told = [*history.told, Told("s-3", "task-1", 50 * 24), Told("s-3", "task-9", 2)]
    with tempfile.TemporaryDirectory() as root:
        project = Project(root, History(told, history.ended, history.in_use))
        name = project.prune(30).evidence_id
        assert name is not None
        young = project.made[-1]
        stones = from_json(Evidence, project.disk[record_path(project.claude, name)])
        raw = project.claude / stones.raw_logs
        if how in {"young", "forged", "planted"}:
            del project.disk[project.claude / young.raw_logs]
        if how == "stones":
            del project.disk[raw]
        elif how == "byte":
            project.disk[raw] = project.disk[raw].replace(b"2", b"3", 1)
        elif how == "record":
            del project.disk[record_path(project.claude, name)]
        elif how == "forged":
            forged(project, stones, young.evidence_id)
        elif how == "planted":
            project.disk[raw.with_name("prune_ffffffffffffffff.log")] = to_file(
                Tombstones(before=ago(0), evidence_ids=(young.evidence_id,))
            )
        assert not project.is_intact()


@given(st.integers(1, 50), st.integers(0, 60 * 24))
def test_a_tombstone_covers_only_what_is_older_than_it_says(days: int, age: int) -> None:
    """R-21 Evidence Integrity Management: even a recorded tombstone excuses nothing young."""
    with tempfile.TemporaryDirectory() as root:
        project = Project(root, History([Told("s-1", "task-1", age)], {}, frozenset()))
        stones = Tombstones(before=ago(days * 24), evidence_ids=(project.made[0].evidence_id,))
        operation = Operation(
            type="prune", raw=to_file(stones).decode(), session_id="project", task_id="prune"
        )
        recorder = project._recorder(MemoryFiles(project.disk), FakeClock(NOW))
        asyncio.run(recorder.record(operation))
        del project.disk[project.claude / project.made[0].raw_logs]
        assert project.is_intact() is (age > days * 24)


def recorded(project: Project, days_ago: int, *evidence_ids: str) -> Evidence:
    """Tombstones for these, recorded so many days ago."""
    stones = Tombstones(before=ago(24), evidence_ids=evidence_ids)
    operation = Operation(
        type="prune", raw=to_file(stones).decode(), session_id="project", task_id="prune"
    )
    clock = FakeClock(NOW - timedelta(days=days_ago))
    recorder = project._recorder(MemoryFiles(project.disk), clock)
    return asyncio.run(recorder.record(operation))


def test_tombstones_are_never_pruned() -> None:
    with tempfile.TemporaryDirectory() as root:
        project = Project(root, History([Told("s-1", "task-1", 0)], {}, frozenset()))
        old = recorded(project, 90)
        assert project.prune(30).pruned == 0
        recorded(project, 0, old.evidence_id)
        assert project.is_intact()
        del project.disk[project.claude / old.raw_logs]
        assert not project.is_intact()


def test_a_tombstone_cannot_come_before_what_it_stands_for() -> None:
    with tempfile.TemporaryDirectory() as root:
        project = Project(root, History([Told("s-1", "task-1", 0)], {}, frozenset()))
        guessed = f"ev-{3:016x}"
        recorded(project, 0, guessed)
        late = asyncio.run(project._record(Told("s-1", "task-1", 50 * 24)))
        assert late.evidence_id == guessed
        assert project.is_intact()
        del project.disk[project.claude / late.raw_logs]
        assert not project.is_intact()
