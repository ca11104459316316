"""Runs that are killed at random points end as if nothing had happened."""

import asyncio
import sqlite3
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.adapters.engines.journal import AnswerState, Journal, StepAnswer, StepStart
from pm_orchestrator.adapters.engines.local import LocalEngine
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.engine import Engine, Step, StepContext, StepFailedError
from pm_orchestrator.testing.contracts.engine_contract import PASSING
from pm_orchestrator.testing.memory.fake_clock import FakeClock

MODULUS = 1_000_003


class PowerCut(BaseException):
    """The process ends here."""


class Node(Record, frozen=True, kw_only=True):
    """A step of a graph: what it needs, how long it takes, and whether it fails."""

    needs: tuple[int, ...]
    pauses: int
    fails: bool
    busy: int = 0
    """How often it fails for a reason that passes, before it comes to its end."""


class Graph(Record, frozen=True, kw_only=True):
    nodes: tuple[Node, ...]


class Work(Record, frozen=True, kw_only=True):
    number: int
    node: Node
    inputs: tuple[int, ...]


class Result(Record, frozen=True, kw_only=True):
    value: int


class Outcome(Record, frozen=True, kw_only=True):
    values: tuple[int, ...]
    trail: tuple[str, ...]
    """Which answer was taken in when."""


WORK = Step(name="work", input=Work, output=Result)


def value_of(number: int, inputs: tuple[int, ...]) -> int:
    return (number + 1 + 31 * sum(inputs)) % MODULUS


async def walk(engine: Engine, graph: Graph) -> Outcome:
    """Every node as soon as what it needs is there; what may pass stops its own branch alone."""
    values: dict[int, int] = {}
    ready = [asyncio.Event() for _ in graph.nodes]
    trail: list[str] = []
    stopped: list[StepFailedError] = []

    async def visit(number: int, node: Node) -> None:
        for need in node.needs:
            await ready[need].wait()
        if not values.keys() >= set(node.needs):
            return
        inputs = tuple(values[need] for need in node.needs)
        try:
            result = await engine.step(
                WORK, Work(number=number, node=node, inputs=inputs), key=f"node-{number}"
            )
            values[number] = result.value
        except StepFailedError as error:
            if error.passing:
                stopped.append(error)
                return
            values[number] = -1
        trail.append(f"node-{number} {engine.now().isoformat()}")

    async def end(number: int, node: Node) -> None:
        await visit(number, node)
        ready[number].set()

    await engine.all([end(number, node) for number, node in enumerate(graph.nodes)])
    if stopped:
        raise stopped[0]
    return Outcome(values=tuple(values[n] for n in range(len(graph.nodes))), trail=tuple(trail))


def expected(graph: Graph) -> tuple[int, ...]:
    values: list[int] = []
    for number, node in enumerate(graph.nodes):
        value = value_of(number, tuple(values[need] for need in node.needs))
        values.append(-1 if node.fails else value)
    return tuple(values)


class Life:
    """One process: does steps until its power is cut."""

    def __init__(self, clock: FakeClock, busy: Counter[str], how: str, count: int) -> None:
        self._clock = clock
        self._busy = busy
        self._cut_before = count if how == "before" else None
        self._cut_after = count if how == "after" else None
        self.begun: list[tuple[str, int]] = []

    async def body(self, work: Work, context: StepContext) -> Result:
        self.begun.append((context.key, context.attempt))
        mine = len(self.begun)
        if mine == self._cut_before:
            raise PowerCut
        for _ in range(work.node.pauses):
            await asyncio.sleep(0)
        self._clock.advance(1)
        if mine == self._cut_after:
            raise PowerCut
        if self._busy[context.key] < work.node.busy:
            self._busy[context.key] += 1
            raise PASSING[self._busy[context.key] % len(PASSING)]
        if work.node.fails:
            raise PmError("git_failed", operation="x", reason=context.key)
        return Result(value=value_of(work.number, work.inputs))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    nodes: list[Node] = []
    for number in range(draw(st.integers(1, 8))):
        needs = draw(st.sets(st.integers(0, number - 1), max_size=3)) if number else set[int]()
        nodes.append(
            Node(
                needs=tuple(sorted(needs)),
                pauses=draw(st.integers(0, 6)),
                fails=draw(st.integers(0, 5)) == 0,
                busy=draw(st.sampled_from([0, 0, 0, 1, 2])),
            )
        )
    return Graph(nodes=tuple(nodes))


CUTS = st.one_of(
    st.tuples(st.just("before"), st.integers(1, 8)),
    st.tuples(st.just("after"), st.integers(1, 8)),
    st.tuples(st.just("cancel"), st.integers(0, 400)),
)


def answered(path: Path) -> list[tuple[str, str]]:
    """Key and time of each answer in the journal, in its order."""
    if not path.exists():
        return []
    db = sqlite3.connect(path)
    try:
        return db.execute(
            "SELECT key, answered_at FROM step WHERE position IS NOT NULL ORDER BY position"
        ).fetchall()
    finally:
        db.close()


async def live(
    path: Path, graph: Graph, life: Life, clock: FakeClock, ticks: int | None
) -> Outcome:
    run = asyncio.create_task(
        LocalEngine(path, {"work": life.body}, clock).execute(walk, graph, Outcome)
    )
    if ticks is not None:
        for _ in range(ticks):
            await asyncio.sleep(0)
        run.cancel()
    return await run


@given(graph=graphs(), cuts=st.lists(CUTS, max_size=4))
def test_no_finished_step_is_run_again(graph: Graph, cuts: list[tuple[str, int]]) -> None:
    """E-22 State Persistence Round-Trip: a run cut off or stopped anywhere goes on where it was."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        clock = FakeClock()
        attempts: Counter[str] = Counter()
        busy: Counter[str] = Counter()
        outcome: Outcome | None = None
        patience = sum(node.busy for node in graph.nodes) + 1
        for how, count in [*cuts, *[("never", 0)] * patience]:
            before = answered(path)
            life = Life(clock, busy, how, count)
            ticks = count if how == "cancel" else None
            try:
                outcome = asyncio.run(live(path, graph, life, clock, ticks))
            except (PowerCut, asyncio.CancelledError):
                assert how != "never"
            except StepFailedError:
                assert busy
            assert not {key for key, _ in before} & {key for key, _ in life.begun}
            assert answered(path)[: len(before)] == before
            for key, attempt in life.begun:
                # An attempt may be noted and cut off before its body begins, never the reverse.
                assert attempt > attempts[key]
                attempts[key] = attempt
            if outcome is not None:
                break
        assert outcome is not None
        assert outcome.values == expected(graph)
        # Answers were taken in exactly in journal order, at their recorded times.
        assert outcome.trail == tuple(f"{key} {at}" for key, at in answered(path))


KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
ENTRIES = st.lists(
    st.tuples(
        KEYS,
        st.binary(max_size=50),
        st.integers(1, 9),
        st.sampled_from([None, "done", "failed"]),
        st.binary(max_size=50),
        st.datetimes(),
    ),
    unique_by=lambda entry: entry[0],
    max_size=12,
)
Entry = tuple[str, bytes, int, AnswerState | None, bytes, datetime]


async def write(
    path: Path, given: bytes, entries: list[Entry]
) -> tuple[set[str], list[StepAnswer]]:
    journal = await Journal.open(path)
    answers: list[StepAnswer] = []
    try:
        await journal.begin(given, "2026-01-01T00:00:00+00:00")
        for key, payload, attempt, state, data, at in entries:
            await journal.start(
                StepStart(key=key, name="n", digest="d", input=payload, attempt=attempt, failures=0)
            )
            if state is not None:
                answer = StepAnswer(key=key, state=state, answer=data, at=at.isoformat())
                committed: asyncio.Future[PmError | None] = asyncio.Future()
                journal.answer(answer, lambda _, error, c=committed: c.set_result(error))
                assert await committed is None
                answers.append(answer)
    finally:
        journal.close()
    return {entry[0] for entry in entries}, answers


@given(run_input=st.binary(min_size=1, max_size=50), entries=ENTRIES)
def test_a_journal_gives_back_what_was_written(run_input: bytes, entries: list[Entry]) -> None:
    """E-22 State Persistence Round-Trip: every field is restored exactly, in order."""

    async def read(path: Path) -> None:
        keys, answers = await write(path, run_input, entries)
        journal = await Journal.open(path)
        try:
            recorded = await journal.begin(b"ignored", "ignored")
        finally:
            journal.close()
        assert recorded.input == run_input
        assert recorded.started_at == "2026-01-01T00:00:00+00:00"
        assert recorded.outcome is None
        assert list(recorded.answers) == answers
        assert {start.key for start in recorded.starts} == keys
        starts = {start.key: start for start in recorded.starts}
        for key, payload, attempt, *_ in entries:
            assert (starts[key].input, starts[key].attempt) == (payload, attempt)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(read(Path(folder) / "journal.db"))


async def test_a_cancelled_sibling_is_not_started_on_the_way_to_the_failure(
    tmp_path: Path, clock: FakeClock
) -> None:
    """Replay hands over the failure before it starts what the failure had cancelled."""
    begun: list[tuple[str, int]] = []
    lives = 0

    async def body(work: Work, context: StepContext) -> Result:
        begun.append((context.key, context.attempt))
        if work.node.fails:
            raise PmError("no_session")
        if context.key.startswith("sibling"):
            await asyncio.Event().wait()
        return Result(value=1)

    async def code(engine: Engine, graph: Graph) -> Outcome:
        slow, bad = (Work(number=0, node=node, inputs=()) for node in graph.nodes)
        with pytest.raises(StepFailedError):
            await engine.all(
                [
                    engine.step(WORK, slow, key="sibling-1"),
                    engine.step(WORK, bad, key="bad"),
                    engine.step(WORK, slow, key="sibling-2"),
                ]
            )
        # Each life gets one step further, so that each comes to rest with something to start.
        for number in range(lives):
            await engine.step(WORK, slow, key=f"after-{number}")
        raise ZeroDivisionError

    slow = Node(needs=(), pauses=0, fails=False)
    bad = Node(needs=(), pauses=0, fails=True)
    for _ in range(3):
        engine = LocalEngine(tmp_path / "journal.db", {"work": body}, clock)
        with pytest.raises(ZeroDivisionError):
            await engine.execute(code, Graph(nodes=(slow, bad)), Outcome)
        lives += 1
    once = ["sibling-1", "bad", "sibling-2", "after-0", "after-1"]
    assert begun == [(key, 1) for key in once]
    db = sqlite3.connect(tmp_path / "journal.db")
    attempts = db.execute("SELECT key, attempt FROM step").fetchall()
    db.close()
    assert sorted(attempts) == sorted((key, 1) for key in once)


async def test_cleaning_up_after_a_failure_does_not_change_the_order(
    tmp_path: Path, clock: FakeClock
) -> None:
    """An answer that arrives while a cancelled body still cleans up waits for it, as on replay."""
    cleaning = asyncio.Event()
    trails: list[list[str]] = []

    async def body(work: Work, context: StepContext) -> Result:
        if context.key == "bad":
            raise PmError("no_session")
        if context.key == "other":
            await cleaning.wait()
            return Result(value=1)
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.set()
            await asyncio.sleep(0.05)
        raise AssertionError("unreachable")

    async def code(engine: Engine, graph: Graph) -> Outcome:
        trail: list[str] = []
        trails.append(trail)
        work = Work(number=0, node=graph.nodes[0], inputs=())

        async def failing() -> None:
            with pytest.raises(StepFailedError):
                await engine.all([engine.step(WORK, work, key=key) for key in ("bad", "slow")])
            trail.append("failure")

        async def other() -> None:
            await engine.step(WORK, work, key="other")
            trail.append("other")

        await engine.all([failing(), other()])
        raise ZeroDivisionError

    graph = Graph(nodes=(Node(needs=(), pauses=0, fails=False),))
    for _ in range(2):
        engine = LocalEngine(tmp_path / "journal.db", {"work": body}, clock)
        with pytest.raises(ZeroDivisionError):
            await engine.execute(code, graph, Outcome)
    assert trails == [["failure", "other"], ["failure", "other"]]
